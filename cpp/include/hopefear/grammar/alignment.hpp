// Word alignments: which words of a sentence and of its translation belong together.
//
// Files are in Pharaoh form: a line of 'SOURCE-TARGET' pairs for each sentence, words counted from
// 0. Och & Ney (2003), A systematic comparison of various statistical alignment models.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/base/lines.hpp"

namespace hopefear {

// Source word `source` and target word `target` are translations of each other.
struct Link {
    std::uint16_t source;
    std::uint16_t target;

    friend auto operator<=>(const Link&, const Link&) = default;
};

// The longest sentence whose words a link can name.
inline constexpr std::size_t longest_sentence = 65535;

// The links of many sentences; those of a sentence are sorted and distinct.
class Alignments {
  public:
    void add(std::vector<Link> links);
    [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }
    [[nodiscard]] std::span<const Link> operator[](std::size_t sentence) const {
        return std::span(links_).subspan(begin_[sentence], begin_[sentence + 1] - begin_[sentence]);
    }
    // The links of a sentence in Pharaoh form; throws DataError if there is no such sentence.
    [[nodiscard]] std::string text(std::size_t sentence) const;
    [[nodiscard]] std::size_t link_count() const { return links_.size(); }
    // The number of links of all earlier sentences.
    [[nodiscard]] std::size_t first_link(std::size_t sentence) const { return begin_[sentence]; }

  private:
    std::vector<Link> links_;
    std::vector<std::uint64_t> begin_{0};
};

// Reads Pharaoh files in pieces.
class AlignmentParser {
  public:
    explicit AlignmentParser(std::string file) : lines_(std::move(file)) {}

    void feed(std::string_view bytes);
    // End the file and return its links; the parser is empty afterwards.
    [[nodiscard]] Alignments finish();

  private:
    void parse_line(std::string_view line);

    Lines lines_;
    Alignments alignments_;
};

}  // namespace hopefear
