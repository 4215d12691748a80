// The small quadratic program behind margin-based learners, by sequential minimal optimization.
//
// Platt (1998); the pair is the most violating one of Keerthi et al. (2001). In Chiang (2012) it is
// OPTIMIZESET of algorithm 2.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hopefear {

struct SimplexQpSolution {
    std::vector<double> alpha;
    std::size_t iterations = 0;
    double gap = 0.0;  // the largest violation of the optimality conditions that is left
};

// maximize  linear . alpha - 1/2 alpha' gram alpha   subject to  alpha >= 0, sum alpha = budget.
//
// `gram` is symmetric and positive semidefinite, row by row. alpha starts with the whole budget on
// element 0 (the hope, whose row and linear term are zero, which turns = into <= for the others).
// Two elements with equal rows move to their bound. Stops when the gap is at most `tolerance`, or
// after `max_iterations`; the caller looks at the gap.
SimplexQpSolution solve_simplex_qp(std::span<const double> gram, std::span<const double> linear,
                                   double budget, double tolerance, std::size_t max_iterations);

}  // namespace hopefear
