#include "hopefear/learn/dual_coordinate_descent.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/random.hpp"

namespace hopefear {

namespace {

// The range of the projected gradients of a pass (Hsieh et al. 2008, section 3.2).
struct Violations {
    double least = -std::numeric_limits<double>::infinity();
    double greatest = std::numeric_limits<double>::infinity();

    void add(double projected) {
        least = std::min(least, projected);
        greatest = std::max(greatest, projected);
    }
    // Limits for setting rows aside in the next pass; infinite on a side without violation.
    [[nodiscard]] Violations limits() const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {least < 0.0 ? least : -infinity, greatest > 0.0 ? greatest : infinity};
    }
};

}  // namespace

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

    std::size_t active = order.size();
    Violations before;
    for (std::size_t visits = 0; visits < max_passes * rows.size(); visits += active) {
        ++solution.passes;
        Violations now{0.0, 0.0};
        for (std::size_t i = active; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        for (std::size_t i = 0; i < active;) {
            const std::size_t p = order[i];
            const SparseView row = rows[p];
            double& tau = solution.tau[p];
            const double gradient = margins[p] - row.dot(solution.weights);
            // At a bound, and further from leaving it than any row in the last pass: set aside.
            if ((tau <= 0.0 && gradient < before.least) ||
                (tau >= bound && gradient > before.greatest)) {
                std::swap(order[i], order[--active]);
                continue;
            }
            ++i;
            // The projected gradient.
            const double projected = tau <= 0.0     ? std::max(gradient, 0.0)
                                     : tau >= bound ? std::min(gradient, 0.0)
                                                    : gradient;
            now.add(projected);
            if (projected == 0.0) continue;
            // A zero row has constant loss and any τ is optimal: take the bound.
            const double unbounded = squared_norms[p] > 0.0 ? tau + gradient / squared_norms[p]
                                     : gradient > 0.0       ? bound
                                                            : 0.0;
            const double next = std::clamp(unbounded, 0.0, bound);
            for (std::size_t k = 0; k < row.size(); ++k)
                solution.weights[row.ids[k]] += (next - tau) * row.values[k];
            tau = next;
        }
        solution.gap = std::max(now.greatest, -now.least);
        before = now.limits();
        if (solution.gap > tolerance) continue;
        if (active == order.size()) break;
        // The rows set aside have to be checked.
        active = order.size();
        before = {};
    }
    return solution;
}

}  // namespace hopefear
