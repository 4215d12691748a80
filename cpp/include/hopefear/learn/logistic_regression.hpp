// Logistic regression on rows that should all have a positive product with the weights.
//
// Lin, Weng and Keerthi (2008), Trust region Newton method for large-scale logistic regression,
// JMLR 9: the Hessian is only ever multiplied by vectors, so that millions of sparse features cost
// no more than their entries. Nocedal and Wright (2006), Numerical optimization, algorithm 7.1: the
// line search in place of a trust region.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/learn/ranking_pairs.hpp"

namespace hopefear {

// sum_p log(1 + exp(-w . row_p)), and its gradient.
double logistic_loss(const PairDifferences& rows, std::span<const double> weights,
                     std::span<double> gradient);

struct LogisticRegression {
    double strength = 1.0;     // C
    double tolerance = 1e-6;   // the greatest component of the gradient at the end
    std::size_t steps = 1000;  // of Newton's method, at most
};

// The w that minimizes C/2 |w - origin|^2 + sum_p log(1 + exp(-w . row_p)), found from `start`. The
// search is in w * unit, where features of different units look alike; units must be positive.
[[nodiscard]] std::vector<double> logistic_regression(const PairDifferences& rows,
                                                      std::span<const double> start,
                                                      std::span<const double> origin,
                                                      std::span<const double> unit,
                                                      const LogisticRegression& options);

}  // namespace hopefear
