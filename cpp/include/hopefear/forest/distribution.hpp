// The distribution P(d) ∝ exp(score(d) / T) over the derivations of a forest, pushed down to edges
// (pushing.hpp), and what is expected under it.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "hopefear/base/random.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

using FeatureVector = std::pair<std::vector<FeatureId>, std::vector<double>>;

struct Posteriors {
    std::vector<double> edges;
    std::vector<double> nodes;
};

class Distribution {
  public:
    // Scores are divided by `temperature` > 0. Throws ForestError if every derivation is
    // impossible. `forest` must outlive this object.
    Distribution(const Forest& forest, std::span<const double> scores, double temperature);

    // log of the sum of exp(score / T) over all derivations.
    [[nodiscard]] double log_partition() const { return log_partition_; }
    // p(e | head(e)) for each edge; 0 for impossible ones.
    [[nodiscard]] std::span<const double> conditional() const { return conditional_; }
    // The expected number of times a derivation uses each edge and node: a probability, unless a
    // derivation can use one more than once.
    [[nodiscard]] Posteriors posteriors() const;
    // E[B] of B(d) = the sum of `values` over the edges of d.
    [[nodiscard]] double expectation(std::span<const double> values) const;
    // E[h], of all features in the forest.
    [[nodiscard]] FeatureVector expected_features() const;
    // Cov(B, h) = E[B h] - E[B] E[h]: T times the gradient of E[B] with respect to the weights.
    [[nodiscard]] FeatureVector covariance(std::span<const double> values) const;
    // Cov(B, number of times that e is used) for each edge.
    [[nodiscard]] std::vector<double> edge_covariance(std::span<const double> values) const;
    // `count` derivations, drawn independently with their probabilities. The first n of them depend
    // on `seed` alone.
    [[nodiscard]] DerivationList sample(std::size_t count, std::uint64_t seed) const;

  private:
    [[nodiscard]] std::vector<double> centered(std::span<const double> values) const;
    [[nodiscard]] FeatureVector weighted_features(std::span<const double> coefficients) const;
    [[nodiscard]] Derivation sample_one(Random& random) const;

    const Forest* forest_;
    std::vector<double> scores_;
    std::vector<double> conditional_;
    std::vector<char> possible_;  // by node
    double log_partition_;
};

}  // namespace hopefear
