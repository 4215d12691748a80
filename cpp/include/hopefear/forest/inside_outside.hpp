// Inside and outside values of the nodes of a forest, in any semiring.
//
// Goodman (1999), Semiring parsing. The inside value of a node sums over its derivations, the
// outside value over everything around the node: over all ways to complete a derivation of it to
// one of the root.
#pragma once

#include <utility>
#include <vector>

#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/semiring.hpp"

namespace hopefear {

// The value of `edge` times the inside values of its tails, from the left.
template <class Hypergraph, Semiring S, class EdgeValue, class Inside>
[[nodiscard]] typename S::Value edge_inside(const Hypergraph& forest, const S& semiring,
                                            const EdgeValue& value, const Inside& inside,
                                            EdgeId edge) {
    typename S::Value product = value(edge);
    for (const NodeId tail : forest.tails(edge)) product = semiring.times(product, inside[tail]);
    return product;
}

// β(v) = ⊕ over edges e into v of  value(e) ⊗ ⊗ over tails u of β(u).
// `leave(v)` is called when β(v) is known, with all values so far.
template <Semiring S, class EdgeValue, class Leave>
[[nodiscard]] std::vector<typename S::Value> inside(const Forest& forest, const S& semiring,
                                                    const EdgeValue& value, const Leave& leave) {
    std::vector<typename S::Value> values(forest.node_count(), semiring.zero());
    std::vector<typename S::Value> products;
    for (NodeId node = 0; node <= forest.root(); ++node) {
        if constexpr (SummingSemiring<S>) {
            products.clear();
            for (const EdgeId edge : forest.edges(node))
                products.push_back(edge_inside(forest, semiring, value, values, edge));
            values[node] = semiring.sum(products);
        } else {
            typename S::Value sum = semiring.zero();
            for (const EdgeId edge : forest.edges(node))
                sum = semiring.plus(sum, edge_inside(forest, semiring, value, values, edge));
            values[node] = std::move(sum);
        }
        leave(node, values);
    }
    return values;
}

template <Semiring S, class EdgeValue>
[[nodiscard]] std::vector<typename S::Value> inside(const Forest& forest, const S& semiring,
                                                    const EdgeValue& value) {
    return inside(forest, semiring, value, [](NodeId, const auto&) {});
}

// β(root) alone, for large values: each is dropped after its last use.
template <Semiring S, class EdgeValue>
[[nodiscard]] typename S::Value inside_root(const Forest& forest, const S& semiring,
                                            const EdgeValue& value) {
    std::vector<NodeId> last_use(forest.node_count(), forest.root());
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge)
        for (const NodeId tail : forest.tails(edge)) last_use[tail] = forest.head(edge);
    const auto leave = [&](NodeId node, std::vector<typename S::Value>& values) {
        for (const EdgeId edge : forest.edges(node))
            for (const NodeId tail : forest.tails(edge))
                if (last_use[tail] == node) values[tail] = semiring.zero();
    };
    return std::move(inside(forest, semiring, value, leave).back());
}

// α(root) = 1;  α(u) = ⊕ over edges e and positions i of u among the tails of e of
// α(head(e)) ⊗ value(e) ⊗ ⊗ over the other positions j of β(tail j of e).
// Positions, not nodes: an edge that has u as a tail twice is counted for each.
template <Semiring S, class EdgeValue>
[[nodiscard]] std::vector<typename S::Value> outside(const Forest& forest, const S& semiring,
                                                     const EdgeValue& value,
                                                     const std::vector<typename S::Value>& inside) {
    std::vector<typename S::Value> values(forest.node_count(), semiring.zero());
    values[forest.root()] = semiring.one();
    std::vector<typename S::Value> rest;  // rest[i]: the product of the tails after i
    for (NodeId node = forest.root(); node >= 0; --node) {
        for (const EdgeId edge : forest.edges(node)) {
            const auto tails = forest.tails(edge);
            if (tails.empty()) continue;
            rest.assign(tails.size(), semiring.one());
            for (std::size_t i = tails.size(); i-- > 1;)
                rest[i - 1] = semiring.times(inside[tails[i]], rest[i]);
            typename S::Value before = semiring.times(values[node], value(edge));
            for (std::size_t i = 0; i < tails.size(); ++i) {
                values[tails[i]] = semiring.plus(values[tails[i]], semiring.times(before, rest[i]));
                before = semiring.times(before, inside[tails[i]]);
            }
        }
    }
    return values;
}

}  // namespace hopefear
