#include "hopefear/forest/viterbi.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/semiring.hpp"

namespace hopefear {

namespace {

void check_size(const Forest& forest, std::span<const double> values, const char* name) {
    if (values.size() != forest.edge_count())
        fail<ForestError>(values.size(), " ", name, " for a forest of ", forest.edge_count(),
                          " edges");
}

// A weight that is not finite shows in the scores. Checking all weights would be slow: there can be
// millions that this forest does not use.
[[noreturn]] void explain_scores(const Forest& forest, std::span<const double> weights,
                                 std::span<const double> scores) {
    std::size_t edge = 0;
    while (std::isfinite(scores[edge])) ++edge;
    for (const FeatureId id : forest.features(static_cast<EdgeId>(edge)).ids)
        if (!std::isfinite(weights[id]))
            fail<DataError>("the weight of feature '", forest.feature_names()->text(id), "' is ",
                            weights[id], "; weights must be finite");
    fail<ForestError>("the score of edge ", edge, ", the sum of weights times features, is ",
                      scores[edge], "; scale the weights down");
}

}  // namespace

void score_edges(const Forest& forest, std::span<const double> weights, std::span<double> scores) {
    const FeaturePatterns& patterns = forest.patterns();
    constexpr std::size_t few = 4;
    if (few * patterns.size() > scores.size()) {
        for (std::size_t edge = 0; edge < scores.size(); ++edge)
            scores[edge] = forest.features(static_cast<EdgeId>(edge)).dot(weights);
        return;
    }
    // Many edges share a pattern: look its weights up once.
    std::vector<double> own;  // the weights of each pattern
    std::vector<std::size_t> begin{0};
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        for (const FeatureId id : patterns[static_cast<FeaturePatterns::Id>(i)])
            own.push_back(weights[id]);
        begin.push_back(own.size());
    }
    const double* values = forest.values().data();  // row after row
    for (std::size_t edge = 0; edge < scores.size(); ++edge) {
        const auto pattern = static_cast<std::size_t>(forest.pattern()[edge]);
        double sum = 0.0;
        for (std::size_t i = begin[pattern]; i < begin[pattern + 1]; ++i) sum += own[i] * *values++;
        scores[edge] = sum;
    }
}

std::vector<double> score_edges(const Forest& forest, std::span<const double> weights) {
    std::vector<double> padded;
    if (weights.size() < forest.feature_count()) {
        padded.assign(weights.begin(), weights.end());
        padded.resize(forest.feature_count(), 0.0);
        weights = padded;
    }
    std::vector<double> scores(forest.edge_count());
    score_edges(forest, weights, scores);
    if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); }))
        explain_scores(forest, weights, scores);
    return scores;
}

void check_edge_scores(const Forest& forest, std::span<const double> scores) {
    check_size(forest, scores, "edge scores");
    for (std::size_t edge = 0; edge < scores.size(); ++edge)
        if (!(scores[edge] < -impossible))
            fail<ForestError>("the score of edge ", edge, " is ", scores[edge],
                              "; it must be a number, or minus infinity for an impossible edge");
}

void check_edge_values(const Forest& forest, std::span<const double> values, const char* name) {
    check_size(forest, values, name);
    for (std::size_t edge = 0; edge < values.size(); ++edge)
        if (!std::isfinite(values[edge]))
            fail<ForestError>("among the ", name, ", that of edge ", edge, " is ", values[edge],
                              "; it must be finite");
}

void fail_impossible() {
    fail<ForestError>("no derivation is possible: each has an edge with score minus infinity");
}

std::vector<double> best_scores(const Forest& forest, std::span<const double> scores) {
    check_edge_scores(forest, scores);
    return inside(forest, ViterbiSemiring(), [&](EdgeId edge) { return scores[edge]; });
}

EdgeId best_edge(const Forest& forest, std::span<const double> scores,
                 const std::vector<double>& best, NodeId node) {
    // The same sums as in `inside`, so the maximum is attained exactly.
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
