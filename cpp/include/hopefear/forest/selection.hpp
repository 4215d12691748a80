// Which nodes and edges of a hypergraph belong to derivations of its root, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

// Items 0, 1, ... grouped by a key; the items of a group keep their order.
class Groups {
  public:
    Groups(std::size_t count, std::span<const NodeId> keys);
    [[nodiscard]] std::span<const std::uint32_t> operator[](NodeId key) const {
        return std::span(items_).subspan(begin_[key], begin_[key + 1] - begin_[key]);
    }

  private:
    std::vector<std::uint32_t> begin_;
    std::vector<std::uint32_t> items_;
};

// The part of a hypergraph that makes up the derivations of `root`: nodes and edges that can be
// completed from the leaves up and are reached from the root down. All ids must be valid. Throws
// ForestError if the root has no derivation or the remaining part has a cycle.
class ForestSelection {
  public:
    ForestSelection(std::size_t nodes, std::span<const NodeId> heads, std::span<const NodeId> tails,
                    std::span<const Forest::Offset> tail_begin, NodeId root);

    // In topological order: the smallest number first among those whose tails have all been placed.
    [[nodiscard]] const std::vector<NodeId>& nodes() const { return order_; }
    [[nodiscard]] std::span<const std::uint32_t> edges(NodeId node) const { return by_head_[node]; }
    [[nodiscard]] bool kept(EdgeId edge) const { return edge_kept_[edge]; }

  private:
    [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const {
        return tails_.subspan(tail_begin_[edge], tail_begin_[edge + 1] - tail_begin_[edge]);
    }
    void complete();
    void reach();
    void sort();
    [[nodiscard]] bool in_order() const;
    [[noreturn]] void explain_no_derivation() const;
    [[noreturn]] void explain_cycle(const std::vector<std::uint32_t>& waiting) const;

    std::span<const NodeId> heads_;
    std::span<const NodeId> tails_;
    std::span<const Forest::Offset> tail_begin_;
    NodeId root_;
    Groups by_head_;
    Groups uses_;                      // positions in tails_ by node
    std::vector<EdgeId> edge_of_use_;  // position in tails_ -> edge
    std::vector<char> derivable_;      // by node
    std::vector<char> node_kept_;
    std::vector<char> edge_kept_;
    std::vector<NodeId> order_;
};

}  // namespace hopefear
