// The working set of an example, and the quadratic program over it.
//
// Chiang (2012), Hope and fear, algorithms 2 and 3. For derivations d with violations
//
//     v(d) = ℓ(d, hope) - w · (h(hope) - h(d)),
//
// a step moves the weights as little as needed to make the violations small.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/base/feature_rows.hpp"

namespace hopefear {

// The small quadratic program of margin-based learners, by sequential minimal optimization.
//
// Platt (1998), with the most violating pair of Keerthi et al. (2001). In Chiang (2012) it is
// OPTIMIZESET of algorithm 2.
struct SimplexQpSolution {
    std::vector<double> alpha;
    std::size_t iterations = 0;
    double gap = 0.0;  // the largest remaining violation of the optimality conditions
};

// Solve
//
//     max_α  linear · α - ½ αᵀ gram α      subject to  α ≥ 0, Σα = budget.
//
// `gram` is symmetric and positive semidefinite, row by row. α starts with the whole budget on
// element 0 (the hope, whose row and linear term are zero, which turns = into ≤ for the others).
// Two elements with equal rows move to their bound. Stops when the gap is at most `tolerance` or
// after `max_iterations`; the caller checks the gap.
SimplexQpSolution solve_simplex_qp(std::span<const double> gram, std::span<const double> linear,
                                   double budget, double tolerance, std::size_t max_iterations);

// The hope and some fears: rows x = h(hope) - h(d), and losses ℓ = B(hope) - B(d).
class WorkingSet {
  public:
    // The hope is the first derivation; its row and its loss are 0.
    WorkingSet(SparseView hope, double gain);
    // A set with these rows and losses, as another learner has sent them without the hope's. Rows
    // have a value for each of the ids.
    WorkingSet(std::span<const FeatureId> ids, std::span<const double> rows,
               std::span<const double> losses);

    [[nodiscard]] std::size_t size() const { return losses_.size(); }
    // All features of its derivations, increasing.
    [[nodiscard]] std::span<const FeatureId> ids() const { return ids_; }
    // The rows one after the other, with a value for each of the ids.
    [[nodiscard]] std::span<const double> rows() const { return rows_; }
    [[nodiscard]] std::span<const double> losses() const { return losses_; }

    void add(SparseView features, double gain);

    // The functions below throw DataError for a feature without a weight or a rate.

    // v(d) of each derivation.
    [[nodiscard]] std::vector<double> violations(std::span<const double> weights) const;
    // v(d) of a derivation that need not be in the set.
    [[nodiscard]] double violation(SparseView features, double gain,
                                   std::span<const double> weights) const;
    // Return x = Σ_d α_d (h(hope) - h(d)), the direction of the step w' = w + Σx, where the matrix
    // Σ is the diagonal of `rates` and α maximizes Σ_d α_d v(d) - ½ xᵀΣx for α ≥ 0, Σ_d α_d = 1.
    [[nodiscard]] std::vector<double> solve(std::span<const double> weights,
                                            std::span<const double> rates, double tolerance,
                                            std::size_t max_iterations) const;

    // The matrix of xᵢᵀΣxⱼ, row by row.
    [[nodiscard]] std::vector<double> gram(std::span<const double> rates) const;
    // Σ_d α_d (h(hope) - h(d)).
    [[nodiscard]] std::vector<double> combined(std::span<const double> alpha) const;

  private:
    [[nodiscard]] std::span<const double> row(std::size_t i) const {
        return std::span(rows_).subspan(i * ids_.size(), ids_.size());
    }
    void widen(std::span<const FeatureId> ids);

    std::vector<FeatureId> ids_;
    std::vector<double> hope_;  // h(hope), by ids_
    std::vector<double> rows_;
    std::vector<double> losses_;
    double gain_;  // of the hope
};

// Solve several working sets as one problem (Chiang, algorithm 4, OPTIMIZESETS): return xᵢ of each
// set, where w' = w + Σ Σᵢ xᵢ. By coordinate ascent in the dual: each set is solved anew from where
// the others lead, until no xᵢ changes by more than `tolerance`, or after `max_rounds`. In `trial`,
// the features of these sets are given the values of w'.
struct JointOptions {
    double tolerance = 1e-6;  // of the steps
    double gap = 1e-6;        // of the program of one set
    std::size_t max_iterations = 100'000;
    std::size_t max_rounds = 100;
};
std::vector<std::vector<double>> solve_together(std::span<const WorkingSet* const> sets,
                                                std::span<const double> weights,
                                                std::span<const double> rates,
                                                const JointOptions& options,
                                                std::span<double> trial);

}  // namespace hopefear
