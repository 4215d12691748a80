// The best derivations of a forest under several scores, all found in one pass over its edges.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "hopefear/base/lanes.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/semiring.hpp"
#include "hopefear/forest/tail_pairs.hpp"

namespace hopefear {

// Viterbi in several lanes. The cost of a pass is in reading the edges and their tails; a few more
// scores, in the lanes of vector registers, are nearly free. Sums and ties are those of `viterbi`,
// bit for bit.
template <std::size_t Count>
class BestDerivations {
  public:
    using Scores = Lanes<Count>;

    // The edges of node v are edge_begin[v] .. edge_begin[v + 1]; value(edge, scores) sets the
    // finite scores of an edge. The root is the last node.
    template <class Value>
    void find(std::span<const Forest::Offset> edge_begin, const TailPairs& tails,
              const Value& value);

    // Of the best derivation.
    [[nodiscard]] double score(std::size_t lane) const { return best_[best_.size() - 2][lane]; }
    // Of the best derivation of a node.
    [[nodiscard]] const Scores& scores(NodeId node) const { return best_[node]; }
    // The edge with which the best derivation of a node begins, given what `find` was given;
    // value(edge) is the score of an edge in the lane. It is looked for when a derivation is read:
    // a pass that remembered all of them would take longer.
    template <class Value>
    [[nodiscard]] EdgeId edge(std::span<const Forest::Offset> edge_begin, const TailPairs& tails,
                              const Value& value, NodeId node, std::size_t lane) const;
    // Add the scores of the best derivations of an edge's tails.
    [[gnu::always_inline]] void add_tails(const TailPairs& tails, EdgeId edge, Scores& sum) const;

  private:
    std::vector<Scores> best_;  // by node, and zeros after the last
};

template <std::size_t Count>
inline void BestDerivations<Count>::add_tails(const TailPairs& tails, EdgeId edge,
                                              Scores& sum) const {
    const TailPairs::Pair pair = tails[edge];
    if (!pair.is_list()) [[likely]] {
        const Scores& first = best_[pair.nodes[0]];
        const Scores& second = best_[pair.nodes[1]];
        for (std::size_t i = 0; i < sum.parts.size(); ++i)
            sum.parts[i] = (sum.parts[i] + first.parts[i]) + second.parts[i];
    } else {
        for (const NodeId tail : tails.list(pair))
            for (std::size_t i = 0; i < sum.parts.size(); ++i) sum.parts[i] += best_[tail].parts[i];
    }
}

template <std::size_t Count>
template <class Value>
[[gnu::always_inline]] inline void BestDerivations<Count>::find(
    std::span<const Forest::Offset> edge_begin, const TailPairs& tails, const Value& value) {
    const std::size_t nodes = edge_begin.size() - 1;
    best_.resize(nodes + 1);
    best_.back().fill(0.0);
    for (std::size_t node = 0; node < nodes; ++node) {
        Scores top;
        top.fill(impossible);
        for (Forest::Offset i = edge_begin[node]; i < edge_begin[node + 1]; ++i) {
            const auto edge = static_cast<EdgeId>(i);
            Scores sum;
            value(edge, sum);
            add_tails(tails, edge, sum);
            for (std::size_t part = 0; part < sum.parts.size(); ++part)
                top.parts[part] =
                    sum.parts[part] > top.parts[part] ? sum.parts[part] : top.parts[part];
        }
        best_[node] = top;
    }
    for (std::size_t lane = 0; lane < Count; ++lane)
        if (!std::isfinite(score(lane))) fail_overflow();
}

template <std::size_t Count>
template <class Value>
EdgeId BestDerivations<Count>::edge(std::span<const Forest::Offset> edge_begin,
                                    const TailPairs& tails, const Value& value, NodeId node,
                                    std::size_t lane) const {
    // The first one with the best score; sums are the same bits as before.
    const double best = best_[node][lane];
    auto edge = static_cast<EdgeId>(edge_begin[node]);
    for (const auto last = static_cast<EdgeId>(edge_begin[node + 1]) - 1; edge < last; ++edge) {
        double sum = value(edge);
        const TailPairs::Pair pair = tails[edge];
        if (!pair.is_list()) [[likely]] {
            sum = (sum + best_[pair.nodes[0]][lane]) + best_[pair.nodes[1]][lane];
        } else {
            for (const NodeId tail : tails.list(pair)) sum += best_[tail][lane];
        }
        if (sum == best) break;
    }
    return edge;
}

// A derivation's edges, in the order of the target side, and its words.
struct DerivationText {
    std::vector<EdgeId> edges;
    std::vector<WordId> words;
    // The reading position: an edge, and the next symbol of its target side.
    std::vector<std::pair<EdgeId, std::uint32_t>> stack;
};

// Read the derivation in which node v begins with the edge choose(v); target(edge) is an edge's
// target side.
template <class Choose, class Target>
void read_derivation(NodeId root, const TailPairs& tails, const Choose& choose,
                     const Target& target, DerivationText& out) {
    out.edges.clear();
    out.words.clear();
    out.stack.clear();
    const auto enter = [&](NodeId node) {
        if (out.edges.size() == max_derivation_size) fail_derivation_size();
        out.edges.push_back(choose(node));
        out.stack.emplace_back(out.edges.back(), 0);
    };
    enter(root);
    while (!out.stack.empty()) {
        auto& [edge, position] = out.stack.back();
        const std::span<const Symbol> symbols = target(edge);
        while (position < symbols.size() && !is_slot(symbols[position]))
            out.words.push_back(symbols[position++]);
        if (position == symbols.size())
            out.stack.pop_back();
        else
            enter(tails.tail(edge, slot_of(symbols[position++])));
    }
}

}  // namespace hopefear
