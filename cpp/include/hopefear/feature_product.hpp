// Sums over all feature vectors of n-best lists.
#pragma once

#include <span>
#include <vector>

#include "hopefear/nbest.hpp"

namespace hopefear {

// The transposed product, where every batch gradient ends: sum_r x_r h_r, of length `features`.
// Rows with x_r = 0 are not read.
std::vector<double> feature_sum(const NBest& nbest, std::span<const double> x, std::size_t features,
                                std::size_t threads);

// How much each feature varies within a list: the root of its variance there, averaged over the
// lists with hypotheses. Zero for a feature that is constant in every list: it cannot change any
// choice.
std::vector<double> feature_spread(const NBest& nbest, std::size_t features);

}  // namespace hopefear
