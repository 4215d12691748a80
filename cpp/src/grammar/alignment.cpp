#include "hopefear/grammar/alignment.hpp"

#include <algorithm>
#include <charconv>

#include "hopefear/base/characters.hpp"

namespace hopefear {

namespace {

Link parse_link(std::string_view text) {
    unsigned source = 0;
    unsigned target = 0;
    const char* const end = text.data() + text.size();
    const auto [dash, first] = std::from_chars(text.data(), end, source);
    if (first == std::errc() && dash != end && *dash == '-') {
        const auto [rest, second] = std::from_chars(dash + 1, end, target);
        if (second == std::errc() && rest == end) {
            if (std::max(source, target) >= longest_sentence)
                fail<DataError>("link '", text, "' names a word beyond ", longest_sentence);
            return {static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)};
        }
    }
    fail<DataError>("expected links such as 0-0 1-2, found '", text, "'");
}

}  // namespace

void Alignments::add(std::vector<Link> links) {
    std::sort(links.begin(), links.end());
    links_.insert(links_.end(), links.begin(), std::unique(links.begin(), links.end()));
    begin_.push_back(links_.size());
}

std::string Alignments::text(std::size_t sentence) const {
    if (sentence >= size())
        fail<DataError>("there is no sentence ", sentence, " among the alignments of ", size());
    std::string text;
    for (const Link link : (*this)[sentence]) {
        if (!text.empty()) text += ' ';
        text += std::to_string(link.source);
        text += '-';
        text += std::to_string(link.target);
    }
    return text;
}

void AlignmentParser::feed(std::string_view bytes) {
    lines_.feed(bytes, [this](std::string_view line) { parse_line(line); });
}

Alignments AlignmentParser::finish() {
    lines_.finish([this](std::string_view line) { parse_line(line); });
    return std::exchange(alignments_, {});
}

void AlignmentParser::parse_line(std::string_view line) {
    std::vector<Link> links;
    for_each_word(line, [&](std::string_view word) { links.push_back(parse_link(word)); });
    alignments_.add(std::move(links));
}

}  // namespace hopefear
