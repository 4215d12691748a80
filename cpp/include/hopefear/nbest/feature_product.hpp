// Sums over the feature vectors of n-best lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// The sum of x_i h_r, r = rows_i, of length `features`.
std::vector<double> feature_sum(const NBest& nbest, std::span<const std::int64_t> rows,
                                std::span<const double> x, std::size_t features);

// How much each feature varies within a list: the root of its variance there, averaged over the
// lists with hypotheses. Zero for a feature that is constant in every list: it cannot change any
// choice.
std::vector<double> feature_spread(const NBest& nbest, std::size_t features);

}  // namespace hopefear
