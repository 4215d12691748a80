#include "hopefear/dual_coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hopefear/error.hpp"
#include "hopefear/random.hpp"

namespace hopefear {

MarginSolution solve_margins(const SparseRows& rows, std::span<const double> margins,
                             std::span<const double> start, double bound, double tolerance,
                             std::size_t max_passes, std::uint64_t seed) {
    rows.check(start.size());
    if (margins.size() != rows.size())
        fail<DataError>(margins.size(), " margins for ", rows.size(), " rows");
    if (!(bound > 0.0) || !(tolerance > 0.0))
        fail<ConfigError>("bound and tolerance must be > 0, got ", bound, " and ", tolerance);
    MarginSolution solution;
    solution.tau.assign(rows.size(), 0.0);
    solution.weights.assign(start.begin(), start.end());
    std::vector<double> squared_norms(rows.size());
    for (std::size_t p = 0; p < rows.size(); ++p)
        for (const double x : rows[p].values) squared_norms[p] += x * x;
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    Random random(seed);

    while (solution.passes < max_passes) {
        ++solution.passes;
        solution.gap = 0.0;
        random.shuffle(order);
        for (const std::size_t p : order) {
            const SparseView row = rows[p];
            double& tau = solution.tau[p];
            const double gradient = margins[p] - row.dot(solution.weights);
            // What of the gradient the bounds let through.
            const double projected = tau <= 0.0     ? std::max(gradient, 0.0)
                                     : tau >= bound ? std::min(gradient, 0.0)
                                                    : gradient;
            solution.gap = std::max(solution.gap, std::abs(projected));
            if (projected == 0.0) continue;
            // A row of zeros cannot be moved; its loss is constant and tau is free: take the bound.
            const double unbounded = squared_norms[p] > 0.0 ? tau + gradient / squared_norms[p]
                                     : gradient > 0.0       ? bound
                                                            : 0.0;
            const double next = std::clamp(unbounded, 0.0, bound);
            for (std::size_t i = 0; i < row.size(); ++i)
                solution.weights[row.ids[i]] += (next - tau) * row.values[i];
            tau = next;
        }
        if (solution.gap <= tolerance) break;
    }
    return solution;
}

}  // namespace hopefear
