#include "hopefear/forest/viterbi.hpp"

#include "hopefear/base/error.hpp"
#include "hopefear/forest/edge_scores.hpp"
#include "hopefear/forest/inside_outside.hpp"

namespace hopefear {

void fail_impossible() {
    fail<ForestError>("no derivation is possible: each has an edge with score minus infinity");
}

std::vector<double> best_scores(const Forest& forest, std::span<const double> scores) {
    check_edge_scores(forest, scores);
    return inside(forest, ViterbiSemiring(), [&](EdgeId edge) { return scores[edge]; });
}

EdgeId best_edge(const Forest& forest, std::span<const double> scores,
                 const std::vector<double>& best, NodeId node) {
    // The same sums as in `inside`, so the maximum is met exactly.
    const auto score = [&](EdgeId edge) { return scores[edge]; };
    EdgeId edge = forest.edges(node).front();
    while (edge_inside(forest, ViterbiSemiring(), score, best, edge) < best[node]) ++edge;
    return edge;
}

ScoredDerivation viterbi(const Forest& forest, std::span<const double> scores) {
    const std::vector<double> best = best_scores(forest, scores);
    if (best.back() == impossible) fail_impossible();
    Derivation edges = collect_derivation(forest, 0, [&](NodeId node, std::uint32_t) {
        return Choice{best_edge(forest, scores, best, node)};
    });
    return {std::move(edges), best.back()};
}

std::vector<double> max_marginals(const Forest& forest, std::span<const double> scores) {
    const ViterbiSemiring semiring;
    const auto score = [&](EdgeId edge) { return scores[edge]; };
    const std::vector<double> inner = best_scores(forest, scores);
    const std::vector<double> outer = outside(forest, semiring, score, inner);
    std::vector<double> through(forest.edge_count());
    for (std::size_t i = 0; i < through.size(); ++i) {
        const EdgeId edge = static_cast<EdgeId>(i);
        through[i] = semiring.times(outer[forest.head(edge)],
                                    edge_inside(forest, semiring, score, inner, edge));
    }
    return through;
}

Natural count_derivations(const Forest& forest) {
    return inside_root(forest, CountSemiring(), [](EdgeId) { return Natural(1); });
}

}  // namespace hopefear
