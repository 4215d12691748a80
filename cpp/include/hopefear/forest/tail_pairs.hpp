// The tails of all edges of a forest, in the layout that a pass over the edges reads fastest.
#pragma once

#include <cstddef>
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
        NodeId first;  // negative: ~i, where list i has all tails
        NodeId second;

        [[nodiscard]] bool is_list() const { return first < 0; }
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
        const auto at = static_cast<std::size_t>(~pair.first);
        return std::span(lists_).subspan(at, static_cast<std::size_t>(pair.second));
    }
    [[nodiscard]] NodeId tail(EdgeId edge, std::int32_t slot) const {
        const Pair pair = pairs_[edge];
        if (pair.is_list()) return list(pair)[slot];
        return slot == 0 ? pair.first : pair.second;
    }

    [[nodiscard]] std::size_t bytes() const {
        return pairs_.capacity() * sizeof(Pair) + lists_.capacity() * sizeof(NodeId);
    }

  private:
    NodeId none_;
    std::vector<Pair> pairs_;
    std::vector<NodeId> lists_;
};

inline TailPairs::TailPairs(const Forest& forest)
    : none_(static_cast<NodeId>(forest.node_count())) {
    pairs_.reserve(forest.edge_count());
    for (std::size_t edge = 0; edge < forest.edge_count(); ++edge)
        add(forest.tails(static_cast<EdgeId>(edge)));
}

inline void TailPairs::add(std::span<const NodeId> tails) {
    if (tails.size() <= 2) {
        pairs_.push_back({tails.empty() ? none_ : tails[0], tails.size() < 2 ? none_ : tails[1]});
        return;
    }
    pairs_.push_back({~static_cast<NodeId>(lists_.size()), static_cast<NodeId>(tails.size())});
    lists_.insert(lists_.end(), tails.begin(), tails.end());
}

}  // namespace hopefear
