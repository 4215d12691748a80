// Building a forest from nodes and edges in any order: checked, pruned and sorted.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

class ForestSelection;

// Nodes and edges are numbered as they are added, from 0; an edge may name nodes that are added
// later. Everything is checked in `build`, whose errors name these numbers.
class ForestBuilder {
  public:
    ForestBuilder(std::shared_ptr<Vocabulary> words, std::shared_ptr<Vocabulary> feature_names);

    // Reserve memory for this many nodes and edges, and tails, symbols and values of all edges.
    void reserve(std::size_t nodes, std::size_t edges, std::size_t tails, std::size_t symbols,
                 std::size_t values);
    NodeId add_node(SourceSpan source);
    // Feature ids may come in any order; the values of repeated ids are summed.
    EdgeId add_edge(NodeId head, std::span<const NodeId> tails, SparseView features,
                    std::span<const Symbol> target);
    // The same for edges that share a list of increasing feature ids.
    [[nodiscard]] FeaturePatterns::Id add_pattern(std::span<const FeatureId> ids) {
        return patterns_.add(ids);
    }
    EdgeId add_edge(NodeId head, std::span<const NodeId> tails, FeaturePatterns::Id pattern,
                    std::span<const double> values, std::span<const Symbol> target);
    void set_root(NodeId node) { root_ = node; }
    // For formats that give the span of a node after the node itself, which must exist.
    void set_source(NodeId node, SourceSpan source) { sources_[node] = source; }

    [[nodiscard]] std::size_t node_count() const { return sources_.size(); }
    [[nodiscard]] std::size_t edge_count() const { return heads_.size(); }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const { return words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }

    // Return the forest of all nodes and edges that are part of a derivation of the root. They keep
    // their order as far as the topological order allows. Throws ForestError if an edge is
    // malformed, the root is missing or has no derivation, or a node can be derived from itself.
    [[nodiscard]] Forest build() const&;
    // The same; the builder ends, and nothing is copied if the order does not change.
    [[nodiscard]] Forest build() &&;
    // The same, unchecked, for the core's own forests, in which every node and edge is part of a
    // derivation of the root, the last node, and all are in order.
    [[nodiscard]] Forest build_sound() && { return take(); }

  private:
    using Offset = Forest::Offset;

    template <class T>
    [[nodiscard]] std::span<const T> row(const std::vector<T>& values,
                                         const std::vector<Offset>& begin, EdgeId edge) const {
        return {values.data() + begin[edge], values.data() + begin[edge + 1]};
    }
    [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const {
        return row(tails_, tail_begin_, edge);
    }
    void check() const;
    void check_root() const;
    void check_edge(EdgeId edge) const;
    void check_target(EdgeId edge, std::vector<int>& uses) const;
    void check_features(EdgeId edge) const;
    // Whether all nodes and edges are part of derivations of the root, and in order.
    [[nodiscard]] bool is_forest() const;
    [[nodiscard]] Forest assemble(const ForestSelection& selection) const;
    [[nodiscard]] Forest take();

    std::shared_ptr<Vocabulary> words_;
    std::shared_ptr<Vocabulary> feature_names_;
    std::vector<SourceSpan> sources_;
    std::vector<NodeId> heads_;
    std::vector<NodeId> tails_;
    std::vector<Offset> tail_begin_{0};
    std::vector<Symbol> targets_;
    std::vector<Offset> target_begin_{0};
    FeaturePatterns patterns_;
    std::vector<FeaturePatterns::Id> pattern_;
    std::vector<double> values_;
    std::vector<Offset> value_begin_{0};
    std::optional<NodeId> root_;
};

}  // namespace hopefear
