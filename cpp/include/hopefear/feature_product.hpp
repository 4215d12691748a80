// The transposed product with all feature vectors: where every batch gradient ends.
#pragma once

#include <span>
#include <vector>

#include "hopefear/nbest.hpp"

namespace hopefear {

// sum_r x_r h_r, of length `features`. Rows with x_r = 0 are not read.
std::vector<double> feature_sum(const NBest& nbest, std::span<const double> x, std::size_t features,
                                std::size_t threads);

}  // namespace hopefear
