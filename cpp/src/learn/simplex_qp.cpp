#include "hopefear/learn/simplex_qp.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"

namespace hopefear {

SimplexQpSolution solve_simplex_qp(std::span<const double> gram, std::span<const double> linear,
                                   double budget, double tolerance, std::size_t max_iterations) {
    const std::size_t n = linear.size();
    if (n == 0 || gram.size() != n * n)
        fail<DataError>("the Gram matrix has ", gram.size(), " entries, expected ", n, " x ", n);
    if (!(budget > 0.0) || !(tolerance > 0.0))
        fail<ConfigError>("budget and tolerance must be > 0, got ", budget, " and ", tolerance);
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::ranges::all_of(gram, finite) || !std::ranges::all_of(linear, finite))
        fail<DataError>("the quadratic program has coefficients that are not finite");

    SimplexQpSolution solution;
    std::vector<double>& alpha = solution.alpha;
    alpha.assign(n, 0.0);
    alpha[0] = budget;
    std::vector<double> gradient(n);  // linear - gram alpha
    for (std::size_t i = 0; i < n; ++i) gradient[i] = linear[i] - gram[i * n] * budget;

    for (;; ++solution.iterations) {
        // At the optimum all elements with alpha > 0 share the largest gradient.
        std::size_t up = 0;
        std::size_t down = n;
        for (std::size_t i = 0; i < n; ++i) {
            if (gradient[i] > gradient[up]) up = i;
            if (alpha[i] > 0.0 && (down == n || gradient[i] < gradient[down])) down = i;
        }
        solution.gap = gradient[up] - gradient[down];
        if (solution.gap <= tolerance || solution.iterations >= max_iterations) return solution;

        const double curvature =
            gram[up * n + up] + gram[down * n + down] - 2.0 * gram[up * n + down];
        double delta = alpha[down];
        if (curvature > 0.0) delta = std::min(delta, solution.gap / curvature);
        alpha[up] += delta;
        alpha[down] = delta == alpha[down] ? 0.0 : alpha[down] - delta;
        for (std::size_t i = 0; i < n; ++i)
            gradient[i] -= delta * (gram[i * n + up] - gram[i * n + down]);
    }
}

}  // namespace hopefear
