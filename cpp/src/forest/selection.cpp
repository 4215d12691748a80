#include "hopefear/forest/selection.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "hopefear/base/error.hpp"

namespace hopefear {

Groups::Groups(std::size_t count, std::span<const NodeId> keys)
    : begin_(count + 1, 0), items_(keys.size()) {
    for (const NodeId key : keys) ++begin_[key + 1];
    for (std::size_t i = 0; i < count; ++i) begin_[i + 1] += begin_[i];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t item = 0; item < keys.size(); ++item)
        items_[next[keys[item]]++] = static_cast<std::uint32_t>(item);
}

ForestSelection::ForestSelection(std::size_t nodes, std::span<const NodeId> heads,
                                 std::span<const NodeId> tails,
                                 std::span<const Forest::Offset> tail_begin, NodeId root)
    : heads_(heads),
      tails_(tails),
      tail_begin_(tail_begin),
      root_(root),
      by_head_(nodes, heads),
      uses_(nodes, tails),
      edge_of_use_(tails.size()),
      derivable_(nodes, 0),
      node_kept_(nodes, 0),
      edge_kept_(heads.size(), 0) {
    for (std::size_t edge = 0; edge < heads.size(); ++edge)
        for (Forest::Offset use = tail_begin[edge]; use < tail_begin[edge + 1]; ++use)
            edge_of_use_[use] = static_cast<EdgeId>(edge);
    complete();
    if (!derivable_[root]) explain_no_derivation();
    reach();
    sort();
}

void ForestSelection::complete() {
    std::vector<std::uint32_t> missing(heads_.size());  // tails not known to be derivable yet
    std::vector<NodeId> stack;
    const auto derive = [&](NodeId node) {
        if (derivable_[node]) return;
        derivable_[node] = 1;
        stack.push_back(node);
    };
    for (std::size_t edge = 0; edge < heads_.size(); ++edge) {
        missing[edge] = tail_begin_[edge + 1] - tail_begin_[edge];
        if (missing[edge] == 0) derive(heads_[edge]);
    }
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        for (const std::uint32_t use : uses_[node])
            if (--missing[edge_of_use_[use]] == 0) derive(heads_[edge_of_use_[use]]);
    }
}

void ForestSelection::reach() {
    std::vector<NodeId> stack{root_};
    node_kept_[root_] = 1;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        for (const std::uint32_t edge : by_head_[node]) {
            const auto edge_tails = tails(static_cast<EdgeId>(edge));
            if (!std::ranges::all_of(edge_tails, [&](NodeId tail) { return derivable_[tail]; }))
                continue;
            edge_kept_[edge] = 1;
            for (const NodeId tail : edge_tails) {
                if (node_kept_[tail]) continue;
                node_kept_[tail] = 1;
                stack.push_back(tail);
            }
        }
    }
}

bool ForestSelection::in_order() const {
    for (std::size_t edge = 0; edge < heads_.size(); ++edge)
        if (edge_kept_[edge])
            for (const NodeId tail : tails(static_cast<EdgeId>(edge)))
                if (tail >= heads_[edge]) return false;
    return true;
}

void ForestSelection::sort() {
    const std::size_t count = std::ranges::count(node_kept_, 1);
    order_.reserve(count);
    if (in_order()) {
        for (std::size_t node = 0; node < node_kept_.size(); ++node)
            if (node_kept_[node]) order_.push_back(static_cast<NodeId>(node));
        return;
    }
    std::vector<std::uint32_t> waiting(node_kept_.size(), 0);  // number of tails not placed yet
    for (std::size_t edge = 0; edge < heads_.size(); ++edge)
        if (edge_kept_[edge]) waiting[heads_[edge]] += tail_begin_[edge + 1] - tail_begin_[edge];
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (std::size_t node = 0; node < node_kept_.size(); ++node)
        if (node_kept_[node] && waiting[node] == 0) ready.push(static_cast<NodeId>(node));
    while (!ready.empty()) {
        const NodeId node = ready.top();
        ready.pop();
        order_.push_back(node);
        for (const std::uint32_t use : uses_[node]) {
            const EdgeId edge = edge_of_use_[use];
            if (edge_kept_[edge] && --waiting[heads_[edge]] == 0) ready.push(heads_[edge]);
        }
    }
    if (order_.size() < count) explain_cycle(waiting);
}

// Walk down from the root through nodes without a derivation to the cause.
void ForestSelection::explain_no_derivation() const {
    std::vector<char> seen(derivable_.size(), 0);
    NodeId node = root_;
    while (!seen[node]) {
        seen[node] = 1;
        const auto edges = by_head_[node];
        if (edges.empty())
            fail<ForestError>("node ", root_,
                              " is the root and has no derivation: there is no edge into node ",
                              node);
        for (const NodeId tail : tails(static_cast<EdgeId>(edges.front())))
            if (!derivable_[tail]) {
                node = tail;
                break;
            }
    }
    fail<ForestError>("node ", root_, " is the root and has no derivation: node ", node,
                      " can only be derived from itself");
}

void ForestSelection::explain_cycle(const std::vector<std::uint32_t>& waiting) const {
    std::vector<char> seen(waiting.size(), 0);
    NodeId node = root_;  // a node that waits for another one
    while (!seen[node]) {
        seen[node] = 1;
        NodeId next = node;
        for (const std::uint32_t edge : by_head_[node]) {
            if (!edge_kept_[edge]) continue;
            for (const NodeId tail : tails(static_cast<EdgeId>(edge)))
                if (waiting[tail] > 0) next = tail;
        }
        node = next;
    }
    fail<ForestError>("node ", node,
                      " is on a cycle: it can be derived from itself, so the root has infinitely "
                      "many derivations");
}

}  // namespace hopefear
