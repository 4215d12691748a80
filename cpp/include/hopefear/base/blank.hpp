// What separates words in the texts of language models: the bytes that KenLM takes for blanks, and
// no others. (The metrics split as Python does, see whitespace.hpp; but a word of a model may hold
// a no-break space, and word alignments count words by blanks.)
#pragma once

#include <cstddef>
#include <string_view>

namespace hopefear {

// Space, tab, carriage return, and NUL, which cannot be in a word of KenLM's files.
[[nodiscard]] constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\0';
}

// Call visit(word) for each word of a line, in order.
template <class Visit>
constexpr void for_each_word_between_blanks(std::string_view line, Visit&& visit) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= line.size(); ++at) {
        if (at < line.size() && !is_blank(line[at])) continue;
        if (at > begin) visit(line.substr(begin, at - begin));
        begin = at + 1;
    }
}

}  // namespace hopefear
