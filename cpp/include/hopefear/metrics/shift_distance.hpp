// The edits of TER: insertions, deletions and substitutions of words, and shifts of blocks.
//
// Snover et al. (2006), A study of translation edit rate with targeted human annotation, AMTA.
// Finding the best sequence of shifts is hard; shifts are made greedily, one at a time, as long as
// they reduce the Levenshtein distance by more than they cost. The shifts tried, the choice among
// equally good ones and the limits are those of sacreBLEU (after Tercom), so that scores agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hopefear/metrics/reference_words.hpp"

namespace hopefear {

// Levenshtein distances between a reference and hypotheses of one length, close to the diagonal:
// row i of the matrix has only the columns within `beam` of where the diagonal crosses it.
class BeamDistance {
  public:
    static constexpr std::ptrdiff_t beam = 25;

    // The edit that leads to a cell; ties go to the first of these.
    enum class Edit : std::uint8_t { match, replace, remove, insert };

    void start(std::span<const WordId> reference, std::size_t hypothesis_length);
    // Compute the distance of `hypothesis` and keep its matrix.
    int align(std::span<const WordId> hypothesis);
    // The distance of a hypothesis that agrees with the aligned one in its first `same` words, if
    // it is at most `limit`; otherwise some larger number.
    [[nodiscard]] int distance(std::span<const WordId> hypothesis, std::size_t same, int limit);

    // Follow the edits of the aligned hypothesis from the end to the beginning: visit(edit, i, j)
    // with the numbers of hypothesis and reference words up to and including this edit.
    template <class Visit>
    void trace(Visit&& visit) const {
        std::size_t i = rows_.size() - 1;
        std::size_t j = reference_.size();
        while (i > 0 || j > 0) {
            const Edit edit = edits_[rows_[i].at + (j - rows_[i].begin)];
            visit(edit, i, j);
            if (edit != Edit::insert) --i;
            if (edit != Edit::remove) --j;
        }
    }

  private:
    static constexpr int infinity = 1 << 29;

    struct Row {
        std::size_t begin;  // columns [begin, end)
        std::size_t end;
        std::size_t at;  // of column `begin` in costs_ and edits_
    };

    std::span<const WordId> reference_;
    std::vector<Row> rows_;
    std::vector<int> costs_;
    std::vector<Edit> edits_;
    std::vector<int> above_;
    std::vector<int> below_;
};

class ShiftDistance {
  public:
    static constexpr std::size_t max_shift_size = 10;
    static constexpr std::size_t max_shift_distance = 50;
    static constexpr std::size_t max_tries = 1000;

    // The number of edits between `hypothesis` and `reference`.
    [[nodiscard]] std::size_t operator()(std::span<const WordId> hypothesis,
                                         std::span<const WordId> reference);

  private:
    // Move the `length` words from `begin` on to follow the first `target` words.
    struct Shift {
        std::size_t begin;
        std::size_t length;
        std::size_t target;
        int gain;  // how much smaller the distance becomes
    };

    void read_alignment(std::size_t hypothesis_length, std::size_t reference_length);
    [[nodiscard]] bool worth_trying(std::size_t begin, std::size_t reference_begin,
                                    std::size_t length) const;
    void try_targets(std::size_t begin, std::size_t reference_begin, std::size_t length);
    void try_shift(const Shift& shift);
    void find_best_shift(std::span<const WordId> reference);

    // The beginning of the block after the shift. A target inside the block moves it to the right.
    [[nodiscard]] std::size_t destination(const Shift& shift) const;
    static void move(std::vector<WordId>& words, const Shift& shift, std::size_t to);

    BeamDistance distance_;
    std::vector<WordId> words_;
    std::vector<WordId> shifted_;
    int current_ = 0;  // the distance of words_
    std::size_t tries_ = 0;
    std::optional<Shift> best_;
    // The words of words_ and of the reference that do not match, and how many words of words_
    // precede the end of each reference word.
    std::vector<bool> hypothesis_errors_;
    std::vector<bool> reference_errors_;
    std::vector<std::size_t> aligned_;
};

}  // namespace hopefear
