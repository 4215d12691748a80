// Products and sums over the rows of n-best lists, for all sentences in one call.
//
// Every function gives the same bits for any number of threads. Weights must be finite; there may
// be more of them than features that occur.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/threads.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// Throws DataError unless all numbers are finite; `what` names one of them.
void check_finite(std::span<const double> numbers, const char* what);
// Throws DataError unless there is a finite weight for every feature.
void check_finite_weights(const NBest& lists, std::span<const double> weights);

// w · h of a row; throws DataError unless it is finite.
[[noreturn]] void fail_score(const NBest& lists, std::size_t row, double score);
[[nodiscard]] inline double finite_score(const NBest& lists, std::size_t row,
                                         const SparseView& features,
                                         std::span<const double> weights) {
    const double score = features.dot(weights);
    if (!std::isfinite(score)) fail_score(lists, row, score);
    return score;
}

// w · h of every row, or of the rows of one sentence.
[[nodiscard]] std::vector<double> nbest_scores(const NBest& lists, std::span<const double> weights,
                                               std::size_t threads);
[[nodiscard]] std::vector<double> sentence_scores(const NBest& lists, std::size_t sentence,
                                                  std::span<const double> weights);

// The sum of the statistics of `rows`; a row of -1 is skipped.
[[nodiscard]] std::vector<double> sum_statistics(const NBest& lists,
                                                 std::span<const std::int64_t> rows);

// The value of one feature in every row.
[[nodiscard]] std::vector<double> feature_column(const NBest& lists, FeatureId feature,
                                                 std::size_t threads);

// Σ_i x_i h(rows_i), a vector of length `features`.
[[nodiscard]] std::vector<double> feature_sum(const NBest& lists,
                                              std::span<const std::int64_t> rows,
                                              std::span<const double> x, std::size_t features);

// How much each feature varies within a list: the square root of its variance there, averaged over
// the lists that have hypotheses. A feature that is constant in every list has spread zero: it
// cannot change any choice.
[[nodiscard]] std::vector<double> feature_spread(const NBest& lists, std::size_t features);

// Call work(sentence) for every sentence on `threads` threads. Memory of lists that lie in a file
// is released after about 4 MB of features.
template <class Work>
void for_each_sentence(const NBest& lists, std::size_t threads, const Work& work) {
    constexpr std::size_t block_bytes = std::size_t{4} << 20;
    const std::size_t bytes = std::max<std::size_t>(1, lists.bytes());
    const auto block =
        static_cast<std::size_t>(static_cast<double>(lists.sentences()) * block_bytes / bytes);
    parallel_blocks(lists.sentences(), std::clamp<std::size_t>(block, 1, 256), threads,
                    [&](std::size_t begin, std::size_t end) {
                        for (std::size_t s = begin; s < end; ++s) work(s);
                        lists.release(begin, end);
                    });
}

}  // namespace hopefear
