// The distribution P(d) ∝ exp(score(d)) over derivations, pushed down to the edges of a hypergraph.
//
// Mohri (2009), Weighted automata algorithms (weight pushing). With p(e | head) for every edge, a
// derivation's probability is the product over its edges and every node's inside value is 1. What
// follows is done in plain probabilities: nothing under- or overflows, however large scores are.
#pragma once

#include <span>
#include <vector>

#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/semiring.hpp"

namespace hopefear {

// Set p(e | head(e)) for each edge, 0 for impossible ones, and the inside value of each node.
// Return the logarithm of the sum of exp(score) over all derivations.
template <class Hypergraph, class EdgeScore>
double push_scores(const Hypergraph& forest, const EdgeScore& score,
                   std::vector<LogSemiring::Value>& inner, std::vector<double>& conditional) {
    const LogSemiring semiring;
    const auto value = [&](EdgeId edge) { return LogSemiring::Value{score(edge)}; };
    inner.resize(forest.node_count());
    conditional.resize(forest.edge_count());
    std::vector<LogSemiring::Value> products;
    for (NodeId node = 0; node <= forest.root(); ++node) {
        products.clear();
        for (const EdgeId edge : forest.edges(node))
            products.push_back(edge_inside(forest, semiring, value, inner, edge));
        inner[node] = semiring.sum(
            products, std::span(conditional).subspan(*forest.edges(node).begin(), products.size()));
    }
    return inner.back().log();
}

// Set the expected number of times that a derivation uses each node and edge: its probability,
// unless a derivation can use one more than once.
template <class Hypergraph>
void expected_uses(const Hypergraph& forest, std::span<const double> conditional,
                   std::vector<double>& nodes, std::vector<double>& edges) {
    nodes.assign(forest.node_count(), 0.0);
    edges.resize(forest.edge_count());
    nodes[forest.root()] = 1.0;
    for (NodeId node = forest.root(); node >= 0; --node)
        for (const EdgeId edge : forest.edges(node)) {
            edges[edge] = nodes[node] * conditional[edge];
            for (const NodeId tail : forest.tails(edge)) nodes[tail] += edges[edge];
        }
}

}  // namespace hopefear
