// Many margin constraints at once, by dual coordinate descent.
//
// Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/sparse_rows.hpp"

namespace hopefear {

struct MarginSolution {
    std::vector<double> tau;      // one multiplier per row
    std::vector<double> weights;  // start + rows' tau
    std::size_t passes = 0;
    double gap = 0.0;  // the largest projected gradient of the last pass
};

// Solve
//
//     min_w  ½ |w - start|² + bound Σ_p max(0, margin_p - w · row_p)
//
// in its dual, 0 ≤ τ_p ≤ bound, one τ_p at a time in an order shuffled by `seed`. Rows that are
// likely to stay at a bound are set aside for a while (section 3.2), so that most passes visit few
// rows. Stops when a pass over all rows has no projected gradient above `tolerance`, or after the
// work of `max_passes` full passes.
MarginSolution solve_margins(const SparseRows& rows, std::span<const double> margins,
                             std::span<const double> start, double bound, double tolerance,
                             std::size_t max_passes, std::uint64_t seed);

}  // namespace hopefear
