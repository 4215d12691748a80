// Derivations: their edges, words, features and score.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

// The edges of a derivation in pre-order: that of the root first, after each edge the derivations
// of its tails from left to right. An edge can occur more than once.
using Derivation = std::vector<EdgeId>;

struct ScoredDerivation {
    Derivation edges;
    double score;
};

// Many derivations: number i has the edges edges[begin[i]] .. edges[begin[i + 1]].
struct DerivationList {
    std::vector<EdgeId> edges;
    std::vector<std::int64_t> begin{0};
    std::vector<double> scores;

    void push_back(const Derivation& derivation, double score) {
        edges.insert(edges.end(), derivation.begin(), derivation.end());
        begin.push_back(static_cast<std::int64_t>(edges.size()));
        scores.push_back(score);
    }
};

// Some hypergraphs have derivations exponentially larger than themselves. A derivation of more
// edges than this is rejected with ForestError.
inline constexpr std::size_t max_derivation_size = 1u << 24;

// An edge for a node, and the ranks of the derivations of its tails; no ranks means the best ones.
struct Choice {
    EdgeId edge;
    std::span<const std::uint32_t> ranks = {};
};

[[noreturn]] void fail_derivation_size();

// The derivation of the root, which is the last node, that results from `choose(node, rank)`, top
// down.
template <class Hypergraph, class Choose>
[[nodiscard]] Derivation collect_derivation(const Hypergraph& forest, std::uint32_t rank,
                                            const Choose& choose) {
    Derivation edges;
    const auto root = static_cast<NodeId>(forest.node_count()) - 1;
    std::vector<std::pair<NodeId, std::uint32_t>> stack{{root, rank}};
    while (!stack.empty()) {
        const auto [node, node_rank] = stack.back();
        stack.pop_back();
        const Choice choice = choose(node, node_rank);
        if (edges.size() == max_derivation_size) fail_derivation_size();
        edges.push_back(choice.edge);
        const auto tails = forest.tails(choice.edge);
        for (std::size_t i = tails.size(); i-- > 0;)
            stack.emplace_back(static_cast<NodeId>(tails[i]),
                               choice.ranks.empty() ? 0 : choice.ranks[i]);
    }
    return edges;
}

// A derivation as a tree. Throws ForestError if it is not a derivation of the root.
class DerivationTree {
  public:
    DerivationTree(const Forest& forest, std::span<const EdgeId> edges);

    // Positions, in the list of edges, of the derivations of the tails of the edge at `position`.
    [[nodiscard]] std::span<const std::uint32_t> children(std::size_t position) const {
        return std::span(children_).subspan(begin_[position],
                                            begin_[position + 1] - begin_[position]);
    }

  private:
    std::vector<std::uint32_t> begin_;
    std::vector<std::uint32_t> children_;
};

// The functions below throw ForestError unless `edges` is a derivation of the root.

// The words, from left to right.
[[nodiscard]] std::vector<Symbol> derivation_words(const Forest& forest,
                                                   std::span<const EdgeId> edges);
// The sum of the edges' features: increasing ids, and values.
[[nodiscard]] std::pair<std::vector<FeatureId>, std::vector<double>> derivation_features(
    const Forest& forest, std::span<const EdgeId> edges);
// The sum of the edges' scores, added in the order in which `inside` adds them: bit for bit the
// score that viterbi and kbest give.
[[nodiscard]] double derivation_score(const Forest& forest, std::span<const EdgeId> edges,
                                      std::span<const double> scores);
// The depth of each edge below the root, for printing the tree.
[[nodiscard]] std::vector<std::int32_t> derivation_depths(const Forest& forest,
                                                          std::span<const EdgeId> edges);

}  // namespace hopefear
