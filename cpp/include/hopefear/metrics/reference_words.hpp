// The references of a corpus as numbered words, and hypotheses in the same numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// A word that is in no reference. It matches nothing, so all such words share one number.
inline constexpr WordId unknown_word = -1;

// One or more references for each sentence; the number may differ from sentence to sentence.
class ReferenceWords {
  public:
    // references[i] are the references of sentence i, their words separated by white space.
    explicit ReferenceWords(const std::vector<std::vector<std::string>>& references);

    // How many sentences there are.
    [[nodiscard]] std::size_t size() const { return reference_begin_.size() - 1; }
    // How many references `sentence` has; at least one.
    [[nodiscard]] std::size_t count(std::size_t sentence) const {
        return reference_begin_[sentence + 1] - reference_begin_[sentence];
    }
    [[nodiscard]] std::span<const WordId> words(std::size_t sentence, std::size_t reference) const {
        const std::size_t row = reference_begin_[sentence] + reference;
        return std::span(words_).subspan(word_begin_[row], word_begin_[row + 1] - word_begin_[row]);
    }
    [[nodiscard]] double average_length(std::size_t sentence) const;
    [[nodiscard]] WordId find(std::string_view word) const {
        return vocabulary_.find(word).value_or(unknown_word);
    }
    // The number of each entry of another vocabulary. If `spellings` are given, they are looked up
    // instead of the entries: lowercased ones, for example.
    [[nodiscard]] std::vector<WordId> find_all(
        const Vocabulary& vocabulary,
        const std::optional<std::vector<std::string>>& spellings) const;

  private:
    Vocabulary vocabulary_;
    std::vector<WordId> words_;
    std::vector<std::uint64_t> word_begin_{0};
    std::vector<std::uint64_t> reference_begin_{0};
};

// Hypotheses from any source, with the references' word numbers. They are read in blocks of rows,
// so that a source whose neighbouring rows share storage is read in order.
struct Hypotheses {
    using Visit =
        std::function<void(std::size_t row, std::size_t sentence, std::span<const WordId> words)>;

    std::shared_ptr<const ReferenceWords> references;
    std::size_t size = 0;
    std::size_t blocks = 0;
    // The first row of a block; `size` after the last block.
    std::function<std::size_t(std::size_t block)> first_row;
    // Call visit for each row of a block, in order. Thread-safe.
    std::function<void(std::size_t block, const Visit& visit)> read;
};

// Throws DataError unless there are `rows` sentence numbers, all below `sentence_count`.
void check_sentences(std::size_t rows, std::span<const std::int64_t> sentences,
                     std::size_t sentence_count);

// sentences[i] is the sentence that texts[i] translates.
[[nodiscard]] Hypotheses text_hypotheses(std::shared_ptr<const ReferenceWords> references,
                                         std::vector<std::string> texts,
                                         std::vector<std::int64_t> sentences);

// The rows of `lists`, which must outlive the result; `spellings` as in find_all.
[[nodiscard]] Hypotheses nbest_hypotheses(std::shared_ptr<const ReferenceWords> references,
                                          const NBest& lists,
                                          const std::optional<std::vector<std::string>>& spellings);

}  // namespace hopefear
