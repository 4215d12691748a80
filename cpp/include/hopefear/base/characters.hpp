// Characters and words of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace hopefear {

// The length of the longest prefix of `text` that is valid UTF-8.
[[nodiscard]] std::size_t valid_utf8_prefix(std::string_view text);

// Words separated by white space, which is what Python's str.split() takes for white space:
// sacreBLEU splits that way, and the statistics must agree on every text.

// The length in bytes of the white space character that `text` begins with; 0 if there is none.
[[nodiscard]] constexpr std::size_t whitespace_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) return 0;
    const unsigned char first = byte(0);
    if (first < 0x80) {
        const bool space =
            first == ' ' || (first >= 0x09 && first <= 0x0d) || (first >= 0x1c && first <= 0x1f);
        return space ? 1 : 0;
    }
    if (first == 0xc2)  // U+0085, U+00A0
        return text.size() >= 2 && (byte(1) == 0x85 || byte(1) == 0xa0) ? 2 : 0;
    if ((first != 0xe1 && first != 0xe2 && first != 0xe3) || text.size() < 3) return 0;
    const unsigned code = ((first & 0x0fu) << 12) | ((byte(1) & 0x3fu) << 6) | (byte(2) & 0x3fu);
    const bool space = code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
                       code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
    return space ? 3 : 0;
}

// Call visit(word) for each word of `text`, in order.
template <class Visit>
constexpr void for_each_word(std::string_view text, Visit&& visit) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte > ' ' && byte < 0x80) {  // most bytes of most texts
            ++at;
            continue;
        }
        const std::size_t space = whitespace_size(text.substr(at));
        if (space == 0) {
            ++at;
            continue;
        }
        if (at > begin) visit(text.substr(begin, at - begin));
        at += space;
        begin = at;
    }
    if (begin < text.size()) visit(text.substr(begin));
}

// Words separated by blanks, which are the bytes that KenLM takes for blanks and no others: a word
// of a language model may contain a no-break space, and word alignments count words this way.

// Space, tab, carriage return, and NUL, which no word in KenLM's files can contain.
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

// Words that are often the same in every language.

// At least one digit, and otherwise only digits and ASCII punctuation.
[[nodiscard]] bool is_number(std::string_view word);
// Begins with a capital letter: Latin, Greek or Cyrillic.
[[nodiscard]] bool is_name(std::string_view word);

}  // namespace hopefear
