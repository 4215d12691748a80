// A forest: all derivations of one sentence as an acyclic hypergraph, in flat arrays.
//
// Gallo et al. (1993), Directed hypergraphs and applications; Huang & Chiang (2005), Better k-best
// parsing. A node stands for the ways to translate a part of the source; an edge makes its head out
// of its tails. A derivation of a node is one edge into it and a derivation of each of the edge's
// tails. Lattices (every edge has one tail) and n-best lists (no edge has any) are forests too.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/base/vocabulary.hpp"

namespace hopefear {

using NodeId = std::int32_t;
using EdgeId = std::int32_t;

// One place of a target side: a word's id if >= 0, otherwise ~slot, where the string of the tail
// number `slot` goes.
using Symbol = std::int32_t;

[[nodiscard]] constexpr bool is_slot(Symbol symbol) {
    return symbol < 0;
}
[[nodiscard]] constexpr Symbol slot_symbol(std::int32_t slot) {
    return ~slot;
}
[[nodiscard]] constexpr std::int32_t slot_of(Symbol symbol) {
    return ~symbol;
}

// The source words that a node covers. Some formats give only their number, not their positions;
// they need not be contiguous, so `covered` is not a difference of positions.
struct SourceSpan {
    static constexpr std::int32_t unknown = -1;

    std::int32_t begin = unknown;
    std::int32_t covered = 0;

    friend bool operator==(const SourceSpan&, const SourceSpan&) = default;
};

// Nodes are in topological order: the tails of an edge precede its head, and the root is the last
// node. Edges are sorted by head. Every node and edge is part of a derivation of the root.
// ForestBuilder guarantees all this; a forest never changes.
class Forest {
  public:
    using Offset = std::uint32_t;

    [[nodiscard]] std::size_t node_count() const { return covered_.size(); }
    [[nodiscard]] std::size_t edge_count() const { return heads_.size(); }
    [[nodiscard]] NodeId root() const { return static_cast<NodeId>(node_count()) - 1; }

    // The numbers of the edges into `node`; there is at least one.
    [[nodiscard]] std::ranges::iota_view<EdgeId, EdgeId> edges(NodeId node) const {
        return {static_cast<EdgeId>(edge_begin_[node]), static_cast<EdgeId>(edge_begin_[node + 1])};
    }
    // Returns `edge`; throws ForestError if it does not exist.
    [[nodiscard]] EdgeId checked_edge(EdgeId edge) const;
    [[nodiscard]] NodeId head(EdgeId edge) const { return heads_[edge]; }
    [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const {
        return row(tails_, tail_begin_, edge);
    }
    [[nodiscard]] std::span<const Symbol> target(EdgeId edge) const {
        return row(targets_, target_begin_, edge);
    }
    [[nodiscard]] SparseView features(EdgeId edge) const {
        return {patterns_[pattern_[edge]], row(values_, value_begin_, edge)};
    }
    [[nodiscard]] SourceSpan source(NodeId node) const {
        return {source_begin_[node], covered_[node]};
    }
    // How many source words `node` covers.
    [[nodiscard]] std::int32_t covered(NodeId node) const { return covered_[node]; }
    // How many source words `edge` itself covers: those of its head that no tail covers.
    [[nodiscard]] std::int32_t covered_by_edge(EdgeId edge) const {
        std::int32_t own = covered_[heads_[edge]];
        for (const NodeId tail : tails(edge)) own -= covered_[tail];
        return own;
    }

    // Shared by the forests of a corpus; the strings of the ids in `target` and `features`.
    [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const { return words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }
    // One more than the largest feature id on any edge; the minimum number of weights.
    [[nodiscard]] std::size_t feature_count() const { return patterns_.features(); }
    [[nodiscard]] std::size_t bytes() const;

    // A copy in which every value of feature i is multiplied by factors[i].
    [[nodiscard]] Forest scaled(std::span<const double> factors) const;

    // A copy with other features, a row for each edge.
    [[nodiscard]] Forest with_features(std::shared_ptr<Vocabulary> names,
                                       const FeatureRows& rows) const;

    // A copy without these words in its target sides.
    [[nodiscard]] Forest without_words(std::span<const Symbol> words) const;

    // The arrays themselves. Row i of a ragged array is values[begin[i]] .. values[begin[i + 1]].
    [[nodiscard]] std::span<const Offset> edge_begin() const { return edge_begin_; }
    [[nodiscard]] std::span<const NodeId> heads() const { return heads_; }
    [[nodiscard]] std::span<const NodeId> tails() const { return tails_; }
    [[nodiscard]] std::span<const Offset> tail_begin() const { return tail_begin_; }
    [[nodiscard]] std::span<const Symbol> targets() const { return targets_; }
    [[nodiscard]] std::span<const Offset> target_begin() const { return target_begin_; }
    [[nodiscard]] std::span<const FeaturePatterns::Id> pattern() const { return pattern_; }
    [[nodiscard]] std::span<const double> values() const { return values_; }
    [[nodiscard]] std::span<const Offset> value_begin() const { return value_begin_; }
    [[nodiscard]] std::span<const std::int32_t> source_begin() const { return source_begin_; }
    [[nodiscard]] std::span<const std::int32_t> covered() const { return covered_; }
    [[nodiscard]] const FeaturePatterns& patterns() const { return patterns_; }

  private:
    friend class ForestBuilder;
    Forest() = default;
    // Release memory that growing arrays reserved in advance.
    void shrink();

    template <class T>
    static std::span<const T> row(const std::vector<T>& values, const std::vector<Offset>& begin,
                                  EdgeId edge) {
        return {values.data() + begin[edge], values.data() + begin[edge + 1]};
    }

    std::shared_ptr<Vocabulary> words_;
    std::shared_ptr<Vocabulary> feature_names_;
    std::vector<std::int32_t> source_begin_;
    std::vector<std::int32_t> covered_;
    std::vector<Offset> edge_begin_{0};
    std::vector<NodeId> heads_;
    std::vector<NodeId> tails_;
    std::vector<Offset> tail_begin_{0};
    std::vector<Symbol> targets_;
    std::vector<Offset> target_begin_{0};
    FeaturePatterns patterns_;
    std::vector<FeaturePatterns::Id> pattern_;
    std::vector<double> values_;
    std::vector<Offset> value_begin_{0};
};

}  // namespace hopefear
