// Word error rate and translation edit rate: edits for each word of the reference.
//
// Statistics are [edits, reference words], additive over sentences; both count against the score.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/metrics/reference_words.hpp"
#include "hopefear/metrics/word_metric.hpp"

namespace hopefear {

inline constexpr std::size_t error_rate_dimension = 2;

// Edits for each reference word; without any reference words 1 if there are edits, else 0.
[[nodiscard]] double error_rate(std::span<const double> statistics);

// The Levenshtein distance: how many words to insert, delete or replace. `row` is a buffer.
[[nodiscard]] std::size_t edit_distance(std::span<const WordId> a, std::span<const WordId> b,
                                        std::vector<std::size_t>& row);

// WER: the Levenshtein distance. Of several references the one with the fewest edits counts, of
// equal ones the longest, which makes the lowest rate.
class WerReferences : public WordMetric {
  public:
    using WordMetric::WordMetric;
    [[nodiscard]] std::size_t dimension() const override { return error_rate_dimension; }
    [[nodiscard]] Count make_count() const override;
};

// What the edits of WER are: [words that are too many, words that are missing, wrong words]. Of the
// shortest ways to edit, one with the most wrong words counts, as in NIST's sclite.
class WerParts : public WordMetric {
  public:
    using WordMetric::WordMetric;
    [[nodiscard]] std::size_t dimension() const override { return 3; }
    [[nodiscard]] Count make_count() const override;
};

// TER (see shift_distance.hpp): the fewest edits against any reference, and the average length of
// the references.
class TerReferences : public WordMetric {
  public:
    using WordMetric::WordMetric;
    [[nodiscard]] std::size_t dimension() const override { return error_rate_dimension; }
    [[nodiscard]] Count make_count() const override;
};

}  // namespace hopefear
