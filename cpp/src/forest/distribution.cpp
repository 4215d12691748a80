#include "hopefear/forest/distribution.hpp"

#include <cmath>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/pushing.hpp"
#include "hopefear/forest/viterbi.hpp"

namespace hopefear {

namespace {

std::vector<double> scaled(const Forest& forest, std::span<const double> scores,
                           double temperature) {
    if (!(temperature > 0.0) || std::isinf(temperature))
        fail<ConfigError>("the temperature must be positive and finite, got ", temperature);
    check_edge_scores(forest, scores);
    std::vector<double> quotients(scores.begin(), scores.end());
    for (std::size_t edge = 0; edge < quotients.size(); ++edge) {
        quotients[edge] /= temperature;
        if (std::isinf(quotients[edge]) && scores[edge] != impossible)
            fail<ForestError>("the score of edge ", edge, ", ", scores[edge],
                              ", divided by the temperature ", temperature,
                              " is too large for a double");
    }
    return quotients;
}

void check_finite(std::span<const double> values, const char* what) {
    for (const double value : values)
        if (!std::isfinite(value)) fail<ForestError>(what, " is too large for a double");
}

}  // namespace

Distribution::Distribution(const Forest& forest, std::span<const double> scores, double temperature)
    : forest_(&forest), scores_(scores.begin(), scores.end()), possible_(forest.node_count()) {
    const std::vector<double> quotients = scaled(forest, scores, temperature);
    std::vector<LogSemiring::Value> inner;
    log_partition_ =
        push_scores(forest, [&](EdgeId edge) { return quotients[edge]; }, inner, conditional_);
    if (log_partition_ == impossible) fail_impossible();
    for (std::size_t node = 0; node < inner.size(); ++node)
        possible_[node] = inner[node].best != impossible;
}

Posteriors Distribution::posteriors() const {
    Posteriors expected;
    expected_uses(*forest_, conditional_, expected.nodes, expected.edges);
    check_finite(expected.nodes, "the expected number of uses of a node");
    return expected;
}

double Distribution::expectation(std::span<const double> values) const {
    check_edge_values(*forest_, values, "edge values");
    const auto [p, r] = inside_root(*forest_, ExpectationSemiring(), [&](EdgeId edge) {
        return ExpectationSemiring::Value{conditional_[edge], conditional_[edge] * values[edge]};
    });
    const double mean = r / p;  // p is 1 up to rounding, and r has the same error
    check_finite(std::span(&mean, 1), "an expectation");
    return mean;
}

// b'(e) = b(e) + Σ_tails E[B at tail] - E[B at head]. Along a derivation this sums to B(d) - E[B],
// and its mean at every node is 0. So covariances do not involve the difference of two large
// numbers, E[B h] and E[B] E[h]. For the same reason the edges of a node are compared with its
// first edge: what they have in common cancels exactly.
std::vector<double> Distribution::centered(std::span<const double> values) const {
    check_edge_values(*forest_, values, "edge values");
    std::vector<double> mean(forest_->node_count(), 0.0);
    std::vector<double> deviation(forest_->edge_count(), 0.0);
    for (NodeId node = 0; node <= forest_->root(); ++node) {
        if (!possible_[node]) continue;
        double first_tails = 0.0;
        const EdgeId first = forest_->edges(node).front();
        for (const NodeId tail : forest_->tails(first)) first_tails += mean[tail];
        double sum = 0.0;
        for (const EdgeId edge : forest_->edges(node)) {
            double tails = 0.0;
            for (const NodeId tail : forest_->tails(edge)) tails += mean[tail];
            deviation[edge] = (values[edge] - values[first]) + (tails - first_tails);
            sum += conditional_[edge] * deviation[edge];
        }
        for (const EdgeId edge : forest_->edges(node)) deviation[edge] -= sum;
        mean[node] = values[first] + first_tails + sum;
    }
    check_finite(mean, "an expectation");
    check_finite(deviation, "the difference of two expectations");
    return deviation;
}

std::vector<double> Distribution::edge_covariance(std::span<const double> values) const {
    const std::vector<double> deviation = centered(values);
    const ExpectationSemiring semiring;
    const auto value = [&](EdgeId edge) {
        return ExpectationSemiring::Value{conditional_[edge], conditional_[edge] * deviation[edge]};
    };
    std::vector<ExpectationSemiring::Value> inner(forest_->node_count());
    for (std::size_t node = 0; node < inner.size(); ++node)
        inner[node] = possible_[node] ? semiring.one() : semiring.zero();
    const auto outer = outside(*forest_, semiring, value, inner);
    std::vector<double> covariance(forest_->edge_count());
    for (std::size_t i = 0; i < covariance.size(); ++i) {
        const EdgeId edge = static_cast<EdgeId>(i);
        // p(e) (E[B | e] - E[B])
        covariance[i] = semiring.times(outer[forest_->head(edge)], value(edge)).r;
    }
    check_finite(covariance, "a covariance");
    return covariance;
}

FeatureVector Distribution::weighted_features(std::span<const double> coefficients) const {
    std::vector<double> sums(forest_->feature_count(), 0.0);
    std::vector<char> seen(sums.size(), 0);
    for (std::size_t edge = 0; edge < coefficients.size(); ++edge) {
        const SparseView features = forest_->features(static_cast<EdgeId>(edge));
        for (std::size_t i = 0; i < features.size(); ++i) {
            sums[features.ids[i]] += coefficients[edge] * features.values[i];
            seen[features.ids[i]] = 1;
        }
    }
    check_finite(sums, "the expectation of a feature");
    FeatureVector row;
    for (std::size_t id = 0; id < sums.size(); ++id) {
        if (!seen[id]) continue;
        row.first.push_back(static_cast<FeatureId>(id));
        row.second.push_back(sums[id]);
    }
    return row;
}

FeatureVector Distribution::expected_features() const {
    return weighted_features(posteriors().edges);
}

FeatureVector Distribution::covariance(std::span<const double> values) const {
    return weighted_features(edge_covariance(values));
}

Derivation Distribution::sample_one(Random& random) const {
    return collect_derivation(*forest_, 0, [&](NodeId node, std::uint32_t) {
        double rest = random.uniform();
        EdgeId chosen = -1;
        for (const EdgeId edge : forest_->edges(node)) {
            if (conditional_[edge] == 0.0) continue;
            chosen = edge;  // the last possible edge, if rounding leaves a remainder
            rest -= conditional_[edge];
            if (rest < 0.0) break;
        }
        return Choice{chosen};
    });
}

DerivationList Distribution::sample(std::size_t count, std::uint64_t seed) const {
    DerivationList drawn;
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
        const Derivation edges = sample_one(random);
        drawn.push_back(edges, derivation_score(*forest_, edges, scores_));
    }
    return drawn;
}

}  // namespace hopefear
