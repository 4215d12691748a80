// Logistic regression on rows that should all have a positive product with the weights.
//
// Lin, Weng and Keerthi (2008), Trust region Newton method for large-scale logistic regression,
// JMLR 9: the Hessian is only multiplied by vectors, so that the cost is in the entries of the
// sparse rows, not in the number of features. Unlike the paper, steps are limited by a line search
// (Nocedal and Wright 2006, Numerical optimization, algorithm 7.1) instead of a trust region.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/learn/ranking_pairs.hpp"

namespace hopefear {

// Σ_p log(1 + exp(-w · row_p)), and its gradient.
double logistic_loss(const PairDifferences& rows, std::span<const double> weights,
                     std::span<double> gradient);

struct LogisticRegression {
    double strength = 1.0;     // C
    double margin = 0.0;       // m
    double tolerance = 1e-6;   // bound on the largest component of the gradient
    std::size_t steps = 1000;  // limit on the steps of Newton's method
};

// Return argmin_w C/2 |w - origin|² + Σ_p log(1 + exp(m - w · row_p)), searched from `start`. The
// search uses the variables w · unit, in which features of different scale look alike; units must
// be positive.
[[nodiscard]] std::vector<double> logistic_regression(const PairDifferences& rows,
                                                      std::span<const double> start,
                                                      std::span<const double> origin,
                                                      std::span<const double> unit,
                                                      const LogisticRegression& options);

}  // namespace hopefear
