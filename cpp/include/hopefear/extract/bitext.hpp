// A word-aligned bitext in memory, with the lexical translation probabilities that it gives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/base/lines.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "hopefear/grammar/alignment.hpp"

namespace hopefear::extraction {

using WordId = Vocabulary::Id;

// The sentences from `begin` on, up to `end`.
struct SentenceRange {
    std::size_t begin;
    std::size_t end;

    [[nodiscard]] std::size_t size() const { return end - begin; }
    // Throws DataError if a text of `count` sentences does not have them.
    void check(std::size_t count) const {
        if (begin > end || end > count)
            fail<DataError>("no sentences ", begin, " to ", end, " in a text of ", count);
    }
};

// The sentences of one language.
struct Text {
    Vocabulary words;
    std::vector<WordId> ids;
    std::vector<std::uint64_t> begin{0};

    [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
    [[nodiscard]] std::span<const WordId> operator[](std::size_t sentence) const {
        return std::span(ids).subspan(begin[sentence], begin[sentence + 1] - begin[sentence]);
    }
    // Renumber the words, the most frequent first: small numbers take few bytes.
    void sort_words();
};

// Reads a text in pieces: one sentence a line, words separated by blanks.
class TextParser {
  public:
    explicit TextParser(std::string file) : lines_(std::move(file)) {}

    void feed(std::string_view bytes);
    void finish();
    [[nodiscard]] Text& text() { return text_; }
    [[nodiscard]] const std::string& file() const { return lines_.file(); }

  private:
    void parse_line(std::string_view line);

    Lines lines_;
    Text text_;
};

// Koehn, Och & Marcu (2003): w(e|f) = count(f, e) / Σ_e' count(f, e') over the links of the bitext;
// a word without any is linked to NULL. Known for each link, so nothing is looked up later.
struct LexicalWeights {
    std::vector<float> target_given_source;  // of each link
    std::vector<float> source_given_target;
    std::vector<float> target_given_null;  // of each word
    std::vector<float> source_given_null;
};

// One sentence pair.
struct SentencePair {
    std::span<const WordId> source;
    std::span<const WordId> target;
    std::span<const Link> links;       // sorted
    const float* target_given_source;  // of each link
    const float* source_given_target;
};

class Bitext {
  public:
    // Throws FormatError if texts and alignments differ in length or a link points outside its
    // sentences.
    Bitext(TextParser source, TextParser target, Alignments alignments,
           const std::string& alignment_file);

    [[nodiscard]] std::size_t size() const { return source_.size(); }
    [[nodiscard]] SentencePair operator[](std::size_t sentence) const;
    [[nodiscard]] const Vocabulary& source_words() const { return source_.words; }
    [[nodiscard]] const Vocabulary& target_words() const { return target_.words; }
    [[nodiscard]] const LexicalWeights& weights() const { return weights_; }

  private:
    void check(const std::string& source_file, const std::string& target_file,
               const std::string& alignment_file) const;
    void count_words();

    Text source_;
    Text target_;
    Alignments alignments_;
    LexicalWeights weights_;
};

}  // namespace hopefear::extraction
