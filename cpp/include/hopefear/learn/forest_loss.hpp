// The losses of loss.hpp over all derivations of forests, for the concave-convex procedure.
//
//     L(w) = - M_d (s_d + a c_d)  +  M_d (s_d + b c_d),      M = max or log-sum-exp,
//
// where the cost c_d = - α B(d) is the linear gain of derivation d, which adds up over edges
// (Chiang 2012, A.3), and so does the score s_d. A derivative with respect to the scores of edges
// is the number of times that the best derivation uses an edge, or its expectation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/forest_set.hpp"
#include "hopefear/learn/loss.hpp"
#include "hopefear/learn/subgradient.hpp"
#include "hopefear/metrics/bleu_forests.hpp"

namespace hopefear {

// What the gain of a derivation is: linear in its statistics, with these coefficients.
struct ForestGains {
    const ForestSet& forests;
    const BleuForests& split;
    std::span<const double> coefficients;
};

// q_e = ∂M_U/∂s_e of every edge of all forests at the weights: how often what goes up uses it. Of
// Pool::least_cost the gain counts a million times as much as the score, which decides between
// derivations of the same statistics. All q of a sentence are zero if it has no forest, or one
// without statistics on its edges. Throws DataError for losses that need a list. The same result
// for any number of threads.
[[nodiscard]] std::vector<double> raised_edges(const ForestGains& gains,
                                               std::span<const double> weights, double cost_scale,
                                               const Loss& loss, std::size_t threads);

// One epoch over the sentences in `order`, with the concave part -M_U in the place of its tangent
// -Σ_e q_e s_e, where `held` are the q. A sentence whose q are all zero is skipped.
[[nodiscard]] SubgradientState forest_subgradient_epoch(const ForestGains& gains, const Loss& loss,
                                                        std::span<const double> held,
                                                        std::span<const std::int64_t> order,
                                                        const SubgradientStep& step,
                                                        SubgradientState state);

}  // namespace hopefear
