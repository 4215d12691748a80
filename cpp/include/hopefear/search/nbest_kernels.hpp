// What every learner asks of n-best lists, over all sentences in one call.
//
// All of them give the same bits for any number of threads. Weights, gains and scores have to be
// finite; weights may be longer than needed, that is have features that do not occur.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// A gain for each row, and how much it counts: 1 for the hope, -1 for the fear, 0 for none.
struct ScaledGains {
    std::span<const double> gains;
    double scale = 0.0;
};

// w . h of each row; of the rows of one sentence.
[[nodiscard]] std::vector<double> nbest_scores(const NBest& lists, std::span<const double> weights,
                                               std::size_t threads);
[[nodiscard]] std::vector<double> sentence_scores(const NBest& lists, std::size_t sentence,
                                                  std::span<const double> weights);

// Of each sentence the row with the greatest w . h + scale * gain, the first of equals; -1 if it
// has no hypotheses.
[[nodiscard]] std::vector<std::int64_t> best_rows(const NBest& lists,
                                                  std::span<const double> weights,
                                                  const ScaledGains& gains, std::size_t threads);
// The same with the scores w . h at hand.
[[nodiscard]] std::vector<std::int64_t> best_rows_of(const NBest& lists,
                                                     std::span<const double> scores,
                                                     const ScaledGains& gains);

// The sum of the statistics of these rows; -1 counts nothing.
[[nodiscard]] std::vector<double> sum_statistics(const NBest& lists,
                                                 std::span<const std::int64_t> rows);

// The value of one feature in each row.
[[nodiscard]] std::vector<double> feature_column(const NBest& lists, FeatureId feature,
                                                 std::size_t threads);

}  // namespace hopefear
