// The softmax loss of Watanabe (2012), linearized at the weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// For each sentence L = log(Z_oracle / Z_nbest) (equation 6), which is to be raised, and its
// gradient Psi.
struct SoftmaxTangents {
    std::vector<double> values;
    SparseRows gradients;
};
SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights);

}  // namespace hopefear
