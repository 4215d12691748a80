#include "hopefear/forest/builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/selection.hpp"

namespace hopefear {

namespace {

// Append a row to a ragged array.
template <class T>
void append(std::vector<T>& values, std::vector<Forest::Offset>& begin, std::span<const T> row) {
    if (row.size() > std::numeric_limits<Forest::Offset>::max() - values.size())
        fail<ForestError>("the forest is too large: more than ",
                          std::numeric_limits<Forest::Offset>::max(), " values in one array");
    values.insert(values.end(), row.begin(), row.end());
    begin.push_back(static_cast<Forest::Offset>(values.size()));
}

}  // namespace

ForestBuilder::ForestBuilder(std::shared_ptr<Vocabulary> words,
                             std::shared_ptr<Vocabulary> feature_names)
    : words_(std::move(words)), feature_names_(std::move(feature_names)) {
    if (!words_ || !feature_names_) fail<ForestError>("a forest needs both its vocabularies");
}

void ForestBuilder::reserve(std::size_t nodes, std::size_t edges, std::size_t tails,
                            std::size_t symbols, std::size_t values) {
    sources_.reserve(nodes);
    heads_.reserve(edges);
    pattern_.reserve(edges);
    for (auto* begin : {&tail_begin_, &target_begin_, &value_begin_}) begin->reserve(edges + 1);
    tails_.reserve(tails);
    targets_.reserve(symbols);
    values_.reserve(values);
}

NodeId ForestBuilder::add_node(SourceSpan source) {
    if (node_count() >= static_cast<std::size_t>(std::numeric_limits<NodeId>::max()))
        fail<ForestError>("the forest is too large: more than ", std::numeric_limits<NodeId>::max(),
                          " nodes");
    sources_.push_back(source);
    return static_cast<NodeId>(node_count()) - 1;
}

EdgeId ForestBuilder::add_edge(NodeId head, std::span<const NodeId> tails, SparseView features,
                               std::span<const Symbol> target) {
    if (features.ids.size() != features.values.size())
        fail<ForestError>("edge ", edge_count(), ": ", features.ids.size(), " feature ids, but ",
                          features.values.size(), " values");
    if (std::ranges::adjacent_find(features.ids, std::ranges::greater_equal()) ==
        features.ids.end())
        return add_edge(head, tails, patterns_.add(features.ids), features.values, target);
    std::vector<FeatureId> ids(features.ids.begin(), features.ids.end());
    std::vector<double> values(features.values.begin(), features.values.end());
    normalize_row(ids, values);
    return add_edge(head, tails, patterns_.add(ids), values, target);
}

EdgeId ForestBuilder::add_edge(NodeId head, std::span<const NodeId> tails,
                               FeaturePatterns::Id pattern, std::span<const double> values,
                               std::span<const Symbol> target) {
    const EdgeId edge = static_cast<EdgeId>(edge_count());
    if (edge == std::numeric_limits<EdgeId>::max())
        fail<ForestError>("the forest is too large: more than ", edge, " edges");
    pattern_.push_back(pattern);
    append(values_, value_begin_, values);
    append(tails_, tail_begin_, tails);
    append(targets_, target_begin_, target);
    heads_.push_back(head);
    return edge;
}

void ForestBuilder::check_root() const {
    if (!root_) fail<ForestError>("the forest has no root; set one of its nodes as the root");
    if (*root_ < 0 || static_cast<std::size_t>(*root_) >= node_count())
        fail<ForestError>("the root is node ", *root_, ", but there are ", node_count(), " nodes");
    for (std::size_t node = 0; node < node_count(); ++node)
        if (sources_[node].covered < 0 || sources_[node].begin < SourceSpan::unknown)
            fail<ForestError>("node ", node, " covers ", sources_[node].covered,
                              " source words from ", sources_[node].begin,
                              " on; neither can be negative");
}

void ForestBuilder::check_edge(EdgeId edge) const {
    const auto check_node = [&](const char* what, NodeId node) {
        if (node < 0 || static_cast<std::size_t>(node) >= node_count())
            fail<ForestError>("edge ", edge, ": its ", what, " is node ", node, ", but there are ",
                              node_count(), " nodes");
    };
    check_node("head", heads_[edge]);
    for (const NodeId tail : tails(edge)) check_node("tail", tail);
}

void ForestBuilder::check_target(EdgeId edge, std::vector<int>& uses) const {
    const std::size_t slots = tails(edge).size();
    uses.assign(slots, 0);
    for (const Symbol symbol : row(targets_, target_begin_, edge)) {
        if (!is_slot(symbol)) {
            if (static_cast<std::size_t>(symbol) >= words_->size())
                fail<ForestError>("edge ", edge, ": its target side has the word ", symbol,
                                  ", but the vocabulary has ", words_->size(), " words");
            continue;
        }
        const std::int32_t slot = slot_of(symbol);
        if (static_cast<std::size_t>(slot) >= slots)
            fail<ForestError>("edge ", edge, ": its target side has tail slot ", slot,
                              ", but the edge has ", slots, " tails");
        if (++uses[slot] > 1)
            fail<ForestError>("edge ", edge, ": its target side uses tail slot ", slot,
                              " twice; each tail is used once");
    }
    const auto unused = std::ranges::find(uses, 0);
    if (unused != uses.end())
        fail<ForestError>("edge ", edge, ": its target side does not use tail slot ",
                          unused - uses.begin(), "; each tail is used once");
}

void ForestBuilder::check_features(EdgeId edge) const {
    const auto ids = patterns_[pattern_[edge]];
    const auto values = row(values_, value_begin_, edge);
    if (!ids.empty() && static_cast<std::size_t>(ids.back()) >= feature_names_->size())
        fail<ForestError>("edge ", edge, ": feature ", ids.back(), " has no name; there are ",
                          feature_names_->size(), " feature names");
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            fail<ForestError>("edge ", edge, ": feature '", feature_names_->text(ids[i]), "' is ",
                              values[i], "; feature values must be finite");
}

void ForestBuilder::check() const {
    check_root();
    std::vector<int> uses;
    for (std::size_t i = 0; i < edge_count(); ++i) {
        const EdgeId edge = static_cast<EdgeId>(i);
        check_edge(edge);
        check_target(edge, uses);
        check_features(edge);
    }
}

Forest ForestBuilder::build() const& {
    check();
    return assemble(ForestSelection(node_count(), heads_, tails_, tail_begin_, *root_));
}

Forest ForestBuilder::build() && {
    check();
    if (is_forest()) return take();
    return assemble(ForestSelection(node_count(), heads_, tails_, tail_begin_, *root_));
}

bool ForestBuilder::is_forest() const {
    if (static_cast<std::size_t>(*root_) + 1 != node_count()) return false;
    if (!std::ranges::is_sorted(heads_)) return false;
    // Top down: every node needs an edge and, unless it is the root, a use as a tail.
    std::vector<char> used(node_count(), 0);
    used.back() = 1;
    NodeId next = *root_;  // the largest node without an edge so far
    for (std::size_t i = edge_count(); i-- > 0;) {
        const NodeId head = heads_[i];
        if (head < next || !used[head]) return false;
        if (head == next) --next;
        for (const NodeId tail : tails(static_cast<EdgeId>(i))) {
            if (tail >= head) return false;
            used[tail] = 1;
        }
    }
    return next < 0;
}

Forest ForestBuilder::take() {
    Forest forest;
    forest.words_ = std::move(words_);
    forest.feature_names_ = std::move(feature_names_);
    forest.source_begin_.reserve(node_count());
    forest.covered_.reserve(node_count());
    for (const SourceSpan& source : sources_) {
        forest.source_begin_.push_back(source.begin);
        forest.covered_.push_back(source.covered);
    }
    forest.edge_begin_.assign(node_count() + 1, 0);
    for (const NodeId head : heads_) ++forest.edge_begin_[head + 1];
    std::partial_sum(forest.edge_begin_.begin(), forest.edge_begin_.end(),
                     forest.edge_begin_.begin());
    forest.heads_ = std::move(heads_);
    forest.tails_ = std::move(tails_);
    forest.tail_begin_ = std::move(tail_begin_);
    forest.targets_ = std::move(targets_);
    forest.target_begin_ = std::move(target_begin_);
    forest.patterns_ = std::move(patterns_);
    forest.pattern_ = std::move(pattern_);
    forest.values_ = std::move(values_);
    forest.value_begin_ = std::move(value_begin_);
    forest.shrink();
    return forest;
}

Forest ForestBuilder::assemble(const ForestSelection& selection) const {
    Forest forest;
    forest.words_ = words_;
    forest.feature_names_ = feature_names_;
    std::vector<NodeId> renumbered(node_count(), -1);
    // Renumber patterns, so that equal forests have equal arrays.
    std::vector<FeaturePatterns::Id> pattern(patterns_.size(), -1);
    std::vector<NodeId> tail_row;
    for (const NodeId node : selection.nodes()) {
        renumbered[node] = static_cast<NodeId>(forest.node_count());
        forest.source_begin_.push_back(sources_[node].begin);
        forest.covered_.push_back(sources_[node].covered);
        for (const std::uint32_t item : selection.edges(node)) {
            const EdgeId edge = static_cast<EdgeId>(item);
            if (!selection.kept(edge)) continue;
            tail_row.clear();
            for (const NodeId tail : tails(edge)) tail_row.push_back(renumbered[tail]);
            FeaturePatterns::Id& id = pattern[pattern_[edge]];
            if (id < 0) id = forest.patterns_.add(patterns_[pattern_[edge]]);
            forest.heads_.push_back(renumbered[node]);
            forest.pattern_.push_back(id);
            append(forest.tails_, forest.tail_begin_, std::span<const NodeId>(tail_row));
            append(forest.targets_, forest.target_begin_, row(targets_, target_begin_, edge));
            append(forest.values_, forest.value_begin_, row(values_, value_begin_, edge));
        }
        forest.edge_begin_.push_back(static_cast<Forest::Offset>(forest.edge_count()));
    }
    forest.shrink();
    return forest;
}

}  // namespace hopefear
