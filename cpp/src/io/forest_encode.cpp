#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/io/columns.hpp"
#include "hopefear/io/forest_codec.hpp"

namespace hopefear {

// Detects which edges of a forest come from the same rule.

// Edges come from one rule if they have the same features, the same target side and the same values
// of all features that belong to rules. A feature belongs to rules unless keeping it constant
// within each would take many more rules.
struct ForestRules {
    explicit ForestRules(const Forest& forest);

    std::vector<char> shared;         // by feature: does it belong to rules?
    std::vector<std::uint32_t> rule;  // by edge
    std::vector<EdgeId> first;        // by rule, in order of first use: its first edge
};

namespace {

// The cost of storing one more rule, in values of a feature.
constexpr std::size_t cost_of_rule = 6;

template <class T>
void append_bytes(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Edges with the same features and target side have the same number.
std::vector<std::uint32_t> edge_kinds(const Forest& forest) {
    Vocabulary kinds;  // of any bytes
    std::vector<std::uint32_t> kind;
    std::string key;
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge) {
        key.clear();
        append_bytes(key, forest.pattern()[edge]);
        for (const Symbol symbol : forest.target(edge)) append_bytes(key, symbol);
        kind.push_back(static_cast<std::uint32_t>(kinds.add(key)));
    }
    return kind;
}

std::vector<char> shared_features(const Forest& forest, const std::vector<std::uint32_t>& kind) {
    struct Tally {
        Vocabulary kinds;
        Vocabulary kinds_and_values;
        std::size_t edges = 0;
    };
    constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> number(forest.feature_count(), unseen);
    std::vector<Tally> tallies;  // of the features that occur, which can be few
    std::string key;
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge) {
        const SparseView features = forest.features(edge);
        for (std::size_t i = 0; i < features.size(); ++i) {
            std::uint32_t& place = number[features.ids[i]];
            if (place == unseen) {
                place = static_cast<std::uint32_t>(tallies.size());
                tallies.emplace_back();
            }
            Tally& tally = tallies[place];
            ++tally.edges;
            key.clear();
            append_bytes(key, kind[edge]);
            tally.kinds.add(key);
            append_bytes(key, features.values[i]);
            tally.kinds_and_values.add(key);
        }
    }
    std::vector<char> shared(forest.feature_count(), 0);
    for (std::size_t id = 0; id < shared.size(); ++id) {
        if (number[id] == unseen) continue;
        const Tally& tally = tallies[number[id]];
        const std::size_t more = tally.kinds_and_values.size() - tally.kinds.size();
        shared[id] = cost_of_rule * more <= tally.edges;
    }
    return shared;
}

}  // namespace

ForestRules::ForestRules(const Forest& forest) {
    const std::vector<std::uint32_t> kind = edge_kinds(forest);
    shared = shared_features(forest, kind);
    Vocabulary rules;
    std::string key;
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge) {
        key.clear();
        append_bytes(key, kind[edge]);
        const SparseView features = forest.features(edge);
        for (std::size_t i = 0; i < features.size(); ++i)
            if (shared[features.ids[i]]) append_bytes(key, features.values[i]);
        const auto number = static_cast<std::uint32_t>(rules.add(key));
        if (number == first.size()) first.push_back(edge);
        rule.push_back(number);
    }
}

namespace {

// Numbers ids in order of first use, and maps them to the store.
class LocalNumbers {
  public:
    explicit LocalNumbers(std::size_t size) : number_(size, -1) {}
    std::int32_t add(std::int32_t id) {
        if (number_[id] < 0) {
            number_[id] = static_cast<std::int32_t>(ids_.size());
            ids_.push_back(id);
        }
        return number_[id];
    }
    void write(ByteWriter& out, const Vocabulary& from, Vocabulary& store) const {
        out.varint(ids_.size());
        std::int64_t last = 0;
        for (const std::int32_t id : ids_) {
            const std::int64_t stored = &from == &store ? id : store.add(from.text(id));
            out.varint(zigzag(stored - last));
            last = stored;
        }
    }
    [[nodiscard]] const std::vector<std::int32_t>& ids() const { return ids_; }

  private:
    std::vector<std::int32_t> number_;
    std::vector<std::int32_t> ids_;
};

void write_nodes(ByteWriter& out, const Forest& forest) {
    out.varint(forest.node_count());
    for (NodeId node = 0; node <= forest.root(); ++node) out.varint(forest.edges(node).size());
    const auto write_differences = [&](std::span<const std::int32_t> numbers) {
        std::int64_t last = 0;
        for (const std::int32_t number : numbers) {
            out.varint(zigzag(number - last));
            last = number;
        }
    };
    write_differences(forest.source_begin());
    write_differences(forest.covered());
}

// In the order of their ids, so that a decoded forest has its features in the same order.
LocalNumbers number_features(const Forest& forest) {
    std::vector<char> used(forest.feature_count(), 0);
    for (std::size_t i = 0; i < forest.patterns().size(); ++i)
        for (const FeatureId id : forest.patterns()[static_cast<FeaturePatterns::Id>(i)])
            used[id] = 1;
    LocalNumbers features(used.size());
    for (std::size_t id = 0; id < used.size(); ++id)
        if (used[id]) features.add(static_cast<FeatureId>(id));
    return features;
}

void write_patterns(ByteWriter& out, const Forest& forest, LocalNumbers& features) {
    out.varint(forest.patterns().size());
    for (std::size_t i = 0; i < forest.patterns().size(); ++i) {
        const auto ids = forest.patterns()[static_cast<FeaturePatterns::Id>(i)];
        out.varint(ids.size());
        for (const FeatureId id : ids) out.varint(features.add(id));
    }
}

void write_rules(ByteWriter& out, const Forest& forest, const ForestRules& rules,
                 LocalNumbers& words) {
    out.varint(rules.first.size());
    for (const EdgeId edge : rules.first) out.varint(forest.pattern()[edge]);
    for (const EdgeId edge : rules.first) out.varint(forest.target(edge).size());
    for (const EdgeId edge : rules.first)
        for (const Symbol symbol : forest.target(edge))
            out.varint(is_slot(symbol) ? 2 * slot_of(symbol) + 1
                                       : 2 * std::uint64_t(words.add(symbol)));
}

void write_edges(ByteWriter& out, const Forest& forest, const ForestRules& rules) {
    std::uint32_t known = 0;
    for (const std::uint32_t rule : rules.rule) {
        out.varint(known - rule);  // 0: the next one
        known += rule == known ? 1 : 0;
    }
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge)
        for (const NodeId tail : forest.tails(edge)) out.varint(forest.head(edge) - tail - 1);
}

// A column for each feature: with one value for each rule if it belongs to rules, otherwise one for
// each edge.
void write_values(ByteWriter& out, const Forest& forest, const ForestRules& rules,
                  LocalNumbers& features) {
    std::vector<std::vector<double>> columns(features.ids().size());
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge) {
        const bool first = rules.first[rules.rule[edge]] == edge;
        const SparseView row = forest.features(edge);
        for (std::size_t i = 0; i < row.size(); ++i)
            if (first || !rules.shared[row.ids[i]])
                columns[features.add(row.ids[i])].push_back(row.values[i]);
    }
    for (const FeatureId id : features.ids()) out.byte(static_cast<std::uint8_t>(rules.shared[id]));
    for (const std::vector<double>& column : columns) write_values(out, column);
}

}  // namespace

std::string encode_vocabulary(const Vocabulary& vocabulary) {
    ByteWriter out;
    out.varint(vocabulary.size());
    for (const std::string_view text : vocabulary.texts()) {
        out.varint(text.size());
        for (const char character : text) out.byte(static_cast<std::uint8_t>(character));
    }
    return out.take();
}

std::string encode_forest(const Forest& forest, Vocabulary& words, Vocabulary& feature_names) {
    const ForestRules rules(forest);
    LocalNumbers local_words(forest.words()->size());
    LocalNumbers local_features = number_features(forest);
    ByteWriter patterns;
    write_patterns(patterns, forest, local_features);
    ByteWriter rule_table;
    write_rules(rule_table, forest, rules, local_words);
    ByteWriter out;
    local_words.write(out, *forest.words(), words);
    local_features.write(out, *forest.feature_names(), feature_names);
    out.append(patterns);
    write_nodes(out, forest);
    out.append(rule_table);
    write_edges(out, forest, rules);
    write_values(out, forest, rules, local_features);
    return out.take();
}

}  // namespace hopefear
