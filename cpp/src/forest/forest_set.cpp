#include "hopefear/forest/forest_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "hopefear/base/checksum.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/forest/distribution.hpp"
#include "hopefear/forest/viterbi.hpp"

namespace hopefear {

ForestSet::ForestSet(std::vector<std::shared_ptr<const Forest>> forests)
    : forests_(std::move(forests)) {
    const Forest* first = nullptr;
    for (std::size_t sentence = 0; sentence < size(); ++sentence) {
        const Forest* forest = forests_[sentence].get();
        if (!forest) {
            tails_.emplace_back(0);
            first_edge_.push_back(first_edge_.back());
            continue;
        }
        if (!first) first = forest;
        if (forest->words() != first->words() || forest->feature_names() != first->feature_names())
            fail<DataError>("the forest of sentence ", sentence,
                            " has other vocabularies than earlier forests; read all forests of a "
                            "data set with the same vocabularies");
        tails_.emplace_back(*forest);
        first_edge_.push_back(first_edge_.back() + forest->edge_count());
        features_ = std::max(features_, forest->feature_count());
    }
    if (first) feature_names_ = first->feature_names();
}

std::size_t ForestSet::checked_sentence(std::int64_t sentence) const {
    if (sentence < 0 || static_cast<std::size_t>(sentence) >= size())
        fail<DataError>("there is no sentence ", sentence, ": there are ", size());
    return static_cast<std::size_t>(sentence);
}

std::size_t ForestSet::checked_forest(std::int64_t sentence) const {
    const std::size_t checked = checked_sentence(sentence);
    if (!forests_[checked]) fail<DataError>("sentence ", sentence, " has no forest");
    return checked;
}

void ForestSet::check_edges(std::span<const double> values, const char* what) const {
    if (values.size() != edge_count())
        fail<DataError>(values.size(), " ", what, " for ", edge_count(), " edges");
    // In vectors: a number is not finite if all bits of its exponent are set, and one more of them
    // would be the bit of the sign.
    constexpr std::uint64_t exponent = 0x7ff0'0000'0000'0000;
    std::uint64_t found = 0;
    for (const double x : values)
        found |= (std::bit_cast<std::uint64_t>(x) & exponent) + (std::uint64_t{1} << 52);
    if (found >> 63 == 0) return;
    const auto at = std::ranges::find_if(values, [](double x) { return !std::isfinite(x); });
    if (at != values.end())
        fail<DataError>("among the ", what, ", that of edge ", at - values.begin(), " is ", *at,
                        "; it must be finite");
}

void ForestSet::check_weights(std::span<const double> weights) const {
    if (weights.size() < features_)
        fail<DataError>(weights.size(), " weights for ", features_, " features");
    const auto at = std::ranges::find_if(weights, [](double x) { return !std::isfinite(x); });
    if (at != weights.end())
        fail<DataError>("the weight of feature ", at - weights.begin(), " is ", *at,
                        "; it must be finite");
}

namespace {

// Score edges by one feature alone: line searches along coordinates are most of MERT's.
void score_by_feature(const Forest& forest, FeatureId feature, double weight,
                      std::span<double> scores) {
    constexpr std::size_t absent = static_cast<std::size_t>(-1);
    const FeaturePatterns& patterns = forest.patterns();
    std::vector<std::size_t> places(patterns.size(), absent);  // of its value in rows, by pattern
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto ids = patterns[static_cast<FeaturePatterns::Id>(i)];
        const auto found = std::ranges::lower_bound(ids, feature);
        if (found != ids.end() && *found == feature)
            places[i] = static_cast<std::size_t>(found - ids.begin());
    }
    for (std::size_t edge = 0; edge < scores.size(); ++edge) {
        const std::size_t place = places[forest.pattern()[edge]];
        scores[edge] = place == absent
                           ? 0.0
                           : 0.0 + weight * forest.values()[forest.value_begin()[edge] + place];
    }
}

}  // namespace

std::vector<double> score_edges(const ForestSet& forests, std::span<const double> weights,
                                std::size_t threads) {
    forests.check_weights(weights);
    std::vector<double> scores(forests.edge_count());
    const auto is_nonzero = [](double weight) { return weight != 0.0; };
    const bool only_one = std::ranges::count_if(weights, is_nonzero) == 1;
    const auto one =
        static_cast<FeatureId>(std::ranges::find_if(weights, is_nonzero) - weights.begin());
    parallel_blocks(forests.size(), 4, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            const auto out = forests.edges(std::span(scores), sentence);
            if (!forests[sentence]) continue;
            if (only_one)
                score_by_feature(*forests[sentence], one, weights[one], out);
            else
                score_edges(*forests[sentence], weights, out);
        }
    });
    return scores;
}

std::vector<std::int64_t> count_features(const ForestSet& forests, std::size_t features) {
    if (features < forests.feature_count())
        fail<DataError>("the forests have ", forests.feature_count(), " features, not ", features);
    std::vector<std::int64_t> counts(features, 0);
    std::vector<std::size_t> last(features, forests.size());  // the last forest that has it
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
        const Forest* forest = forests[sentence];
        if (!forest) continue;
        std::vector<char> used;  // by pattern
        for (const auto pattern : forest->pattern()) {
            const auto number = static_cast<std::size_t>(pattern);
            if (number >= used.size()) used.resize(number + 1, 0);
            if (std::exchange(used[number], 1)) continue;
            for (const FeatureId id : forest->patterns()[pattern])
                if (std::exchange(last[id], sentence) != sentence) ++counts[id];
        }
    }
    return counts;
}

namespace {

// Sums of variances, by feature.
struct Variances {
    explicit Variances(std::size_t features)
        : derivations(features), edges(features), nodes(features) {}

    void add(const Variances& other) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            derivations[i] += other.derivations[i];
            edges[i] += other.edges[i];
            nodes[i] += other.nodes[i];
        }
    }

    std::vector<double> derivations;
    std::vector<double> edges;
    std::vector<double> nodes;  // the number of nodes at which it varies
};

// Mean and variance of the features of one forest, node by node: a derivation is an edge, drawn
// given its head, and independent derivations of the edge's tails.
class Moments {
  public:
    explicit Moments(std::size_t features) : place_(features, -1) {}

    void add(const Forest& forest, Variances& sum) {
        number_features(forest);
        const std::vector<double> zeros(forest.edge_count(), 0.0);
        const Distribution uniform(forest, zeros, 1.0);
        mean_.assign(forest.node_count() * ids_.size(), 0.0);
        variance_.assign(forest.node_count() * ids_.size(), 0.0);
        for (NodeId node = 0; node <= forest.root(); ++node) {
            add_node(forest, node, uniform.conditional());
            add_edges(forest.edges(node).size(), sum);
        }
        const std::size_t root = static_cast<std::size_t>(forest.root()) * ids_.size();
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (varies(i, variance_[root + i])) sum.derivations[ids_[i]] += variance_[root + i];
            place_[ids_[i]] = -1;
        }
    }

  private:
    // Number the features of this forest, which are few of all.
    void number_features(const Forest& forest) {
        ids_.clear();
        const FeaturePatterns& patterns = forest.patterns();
        for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern)
            for (const FeatureId id : patterns[static_cast<FeaturePatterns::Id>(pattern)])
                if (place_[id] < 0) {
                    place_[id] = static_cast<std::int32_t>(ids_.size());
                    ids_.push_back(id);
                }
        largest_.assign(ids_.size(), 0.0);
    }

    void add_node(const Forest& forest, NodeId node, std::span<const double> probability) {
        const std::size_t count = ids_.size();
        const auto edges = forest.edges(node);
        edge_means_.assign(edges.size() * count, 0.0);
        double* const mean = mean_.data() + static_cast<std::size_t>(node) * count;
        double* const variance = variance_.data() + static_cast<std::size_t>(node) * count;
        double* edge_mean = edge_means_.data();
        for (const EdgeId edge : edges) {
            const SparseView h = forest.features(edge);
            for (std::size_t i = 0; i < h.size(); ++i) edge_mean[place_[h.ids[i]]] += h.values[i];
            for (const NodeId tail : forest.tails(edge)) {
                const std::size_t at = static_cast<std::size_t>(tail) * count;
                for (std::size_t i = 0; i < count; ++i) {
                    edge_mean[i] += mean_[at + i];
                    variance[i] += probability[edge] * variance_[at + i];
                }
            }
            for (std::size_t i = 0; i < count; ++i) {
                mean[i] += probability[edge] * edge_mean[i];
                largest_[i] = std::max(largest_[i], std::abs(edge_mean[i]));
            }
            edge_mean += count;
        }
        edge_mean = edge_means_.data();
        for (const EdgeId edge : edges) {
            for (std::size_t i = 0; i < count; ++i) {
                const double aside = edge_mean[i] - mean[i];
                variance[i] += probability[edge] * aside * aside;
            }
            edge_mean += count;
        }
    }

    // The variance among the edges of the node that was added last.
    void add_edges(std::size_t edges, Variances& sum) const {
        const std::size_t count = ids_.size();
        for (std::size_t i = 0; i < count; ++i) {
            double mean = 0.0;
            double variance = 0.0;
            for (std::size_t edge = 0; edge < edges; ++edge) mean += edge_means_[edge * count + i];
            mean /= static_cast<double>(edges);
            for (std::size_t edge = 0; edge < edges; ++edge) {
                const double aside = edge_means_[edge * count + i] - mean;
                variance += aside * aside / static_cast<double>(edges);
            }
            if (!varies(i, variance)) continue;
            sum.edges[ids_[i]] += variance;
            sum.nodes[ids_[i]] += 1.0;
        }
    }

    // For a constant feature only the rounding errors of the means are left.
    [[nodiscard]] bool varies(std::size_t place, double variance) const {
        return variance > 1e-20 * largest_[place] * largest_[place];
    }

    std::vector<std::int32_t> place_;  // of a feature in ids_; -1: not in this forest
    std::vector<FeatureId> ids_;
    std::vector<double> mean_;  // by node and place
    std::vector<double> variance_;
    std::vector<double> edge_means_;
    std::vector<double> largest_;  // mean of an edge with its tails, by place
};

}  // namespace

FeatureSpread feature_spread(const ForestSet& forests, std::size_t features, std::size_t threads) {
    if (features < forests.feature_count())
        fail<DataError>("the spread of ", features,
                        " features was asked for, but the forests have ", forests.feature_count());
    // Blocks do not depend on the number of threads.
    constexpr std::size_t block = 64;
    std::vector<Variances> pieces((forests.size() + block - 1) / block, Variances(features));
    parallel_blocks(forests.size(), block, threads, [&](std::size_t begin, std::size_t end) {
        Moments moments(features);
        for (std::size_t sentence = begin; sentence < end; ++sentence)
            if (forests[sentence]) moments.add(*forests[sentence], pieces[begin / block]);
    });
    Variances sum(features);
    for (const Variances& piece : pieces) sum.add(piece);
    double count = 0.0;
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence)
        count += forests[sentence] ? 1.0 : 0.0;
    FeatureSpread spread{std::move(sum.derivations), std::move(sum.edges)};
    for (double& x : spread.derivations) x = count > 0.0 ? std::sqrt(x / count) : 0.0;
    for (std::size_t i = 0; i < features; ++i)
        if (sum.nodes[i] > 0.0) spread.edges[i] = std::sqrt(spread.edges[i] / sum.nodes[i]);
    return spread;
}

std::optional<EdgeValue> find_value_above(const ForestSet& forests, double bound) {
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
        if (!forests[sentence]) continue;
        const Forest& forest = *forests[sentence];
        const std::span<const double> values = forest.values();
        if (std::ranges::none_of(values, [&](double x) { return std::abs(x) > bound; })) continue;
        for (EdgeId edge = 0; static_cast<std::size_t>(edge) < forest.edge_count(); ++edge) {
            const SparseView h = forest.features(edge);
            for (std::size_t i = 0; i < h.size(); ++i)
                if (std::abs(h.values[i]) > bound)
                    return EdgeValue{sentence, edge, h.ids[i], h.values[i]};
        }
    }
    return std::nullopt;
}

std::uint64_t checksum(const ForestSet& forests) {
    Checksum sum;
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
        const std::uint64_t present = forests[sentence] != nullptr;
        sum.add_numbers(std::span(&present, 1));
        if (!present) continue;
        const Forest& forest = *forests[sentence];
        sum.add_numbers(forest.edge_begin());
        sum.add_numbers(forest.tails());
        sum.add_numbers(forest.tail_begin());
        sum.add_numbers(forest.targets());
        sum.add_numbers(forest.target_begin());
        sum.add_numbers(forest.values());
        sum.add_numbers(forest.covered());
        for (EdgeId edge = 0; static_cast<std::size_t>(edge) < forest.edge_count(); ++edge)
            sum.add_numbers(forest.features(edge).ids);
    }
    return sum.value();
}

}  // namespace hopefear
