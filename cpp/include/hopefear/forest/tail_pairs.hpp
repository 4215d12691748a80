// The tails of all edges of a forest, in the layout that a pass over the edges reads fastest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

// Most edges have at most two tails. These are kept as pairs, so that a pass over edges has no
// unpredictable branch: a missing tail is the node after the last, which adds nothing. Longer lists
// are stored separately.
class TailPairs {
  public:
    struct Pair {
        std::array<NodeId, 2> nodes;  // if the first is negative, ~i: list i has all tails

        [[nodiscard]] bool is_list() const { return nodes[0] < 0; }
    };

    explicit TailPairs(NodeId nodes) : none_(nodes) {}
    explicit TailPairs(const Forest& forest);

    void add(std::span<const NodeId> tails);

    // The node after the last.
    [[nodiscard]] NodeId none() const { return none_; }
    [[nodiscard]] std::size_t size() const { return pairs_.size(); }
    [[nodiscard]] Pair operator[](EdgeId edge) const { return pairs_[edge]; }
    // The tails of a pair that is a list.
    [[nodiscard]] std::span<const NodeId> list(Pair pair) const {
        const auto at = static_cast<std::size_t>(~pair.nodes[0]);
        return std::span(lists_).subspan(at, static_cast<std::size_t>(pair.nodes[1]));
    }
    // The tails of any edge.
    [[nodiscard]] std::span<const NodeId> all(EdgeId edge) const {
        const Pair& pair = pairs_[edge];
        if (pair.is_list()) return list(pair);
        const std::size_t missing = std::ranges::count(pair.nodes, none_);
        return std::span(pair.nodes).first(pair.nodes.size() - missing);
    }
    [[nodiscard]] NodeId tail(EdgeId edge, std::int32_t slot) const {
        const Pair pair = pairs_[edge];
        if (pair.is_list()) return list(pair)[slot];
        return pair.nodes[slot];
    }

    [[nodiscard]] std::size_t bytes() const {
        return pairs_.capacity() * sizeof(Pair) + lists_.capacity() * sizeof(NodeId);
    }

  private:
    NodeId none_;
    std::vector<Pair> pairs_;
    std::vector<NodeId> lists_;
};

// Nodes, their edges and the tails of these, as templates over hypergraphs read them.
class HypergraphView {
  public:
    // The edges of node v are edge_begin[v] .. edge_begin[v + 1]. The root is the last node.
    HypergraphView(std::span<const Forest::Offset> edge_begin, const TailPairs& tails)
        : edge_begin_(edge_begin), tails_(&tails) {}

    [[nodiscard]] std::size_t node_count() const { return edge_begin_.size() - 1; }
    [[nodiscard]] std::size_t edge_count() const { return edge_begin_.back(); }
    [[nodiscard]] NodeId root() const { return static_cast<NodeId>(node_count()) - 1; }
    [[nodiscard]] std::ranges::iota_view<EdgeId, EdgeId> edges(NodeId node) const {
        return {static_cast<EdgeId>(edge_begin_[node]), static_cast<EdgeId>(edge_begin_[node + 1])};
    }
    [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const { return tails_->all(edge); }

    [[nodiscard]] std::span<const Forest::Offset> edge_begin() const { return edge_begin_; }
    [[nodiscard]] const TailPairs& tail_pairs() const { return *tails_; }

  private:
    std::span<const Forest::Offset> edge_begin_;
    const TailPairs* tails_;
};

inline TailPairs::TailPairs(const Forest& forest)
    : none_(static_cast<NodeId>(forest.node_count())) {
    pairs_.reserve(forest.edge_count());
    for (std::size_t edge = 0; edge < forest.edge_count(); ++edge)
        add(forest.tails(static_cast<EdgeId>(edge)));
}

inline void TailPairs::add(std::span<const NodeId> tails) {
    if (tails.size() <= 2) {
        pairs_.push_back({{tails.empty() ? none_ : tails[0], tails.size() < 2 ? none_ : tails[1]}});
        return;
    }
    pairs_.push_back({{~static_cast<NodeId>(lists_.size()), static_cast<NodeId>(tails.size())}});
    lists_.insert(lists_.end(), tails.begin(), tails.end());
}

}  // namespace hopefear
