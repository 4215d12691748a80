#include "hopefear/forest/tail_pairs.hpp"

namespace hopefear {

TailPairs::TailPairs(const Forest& forest) : none_(static_cast<NodeId>(forest.node_count())) {
    pairs_.reserve(forest.edge_count());
    for (std::size_t edge = 0; edge < forest.edge_count(); ++edge)
        add(forest.tails(static_cast<EdgeId>(edge)));
}

void TailPairs::add(std::span<const NodeId> tails) {
    if (tails.size() <= 2) {
        pairs_.push_back({tails.empty() ? none_ : tails[0], tails.size() < 2 ? none_ : tails[1]});
        return;
    }
    pairs_.push_back({~static_cast<NodeId>(lists_.size()), static_cast<NodeId>(tails.size())});
    lists_.insert(lists_.end(), tails.begin(), tails.end());
}

}  // namespace hopefear
