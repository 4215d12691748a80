#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/hash.hpp"
#include "hopefear/base/hash_tables.hpp"
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

// Numbers edges in order of first use; equal ones have the same number.
class EdgeNumbers {
  public:
    // `equal(other)` says whether an edge numbered before, with the same hash, equals this one.
    template <class Equal>
    std::uint32_t add(EdgeId edge, std::uint64_t hash, const Equal& equal) {
        if (2 * (first_.size() + 1) > slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (; slots_[at] > 0; at = (at + 1) & mask) {
            const std::uint32_t number = slots_[at] - 1;
            if (hashes_[number] == hash && equal(first_[number])) return number;
        }
        first_.push_back(edge);
        hashes_.push_back(hash);
        slots_[at] = static_cast<std::uint32_t>(first_.size());
        return slots_[at] - 1;
    }
    // By number: the first edge.
    [[nodiscard]] std::vector<EdgeId>& first() { return first_; }

  private:
    void grow() {
        slots_.assign(2 * slots_.size(), 0);
        const std::size_t mask = slots_.size() - 1;
        for (std::uint32_t number = 0; number < first_.size(); ++number) {
            std::size_t at = hashes_[number] & mask;
            while (slots_[at] > 0) at = (at + 1) & mask;
            slots_[at] = number + 1;
        }
    }

    std::vector<EdgeId> first_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, 0);  // number + 1
};

std::uint64_t bits_of(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

// Edges with the same features and target side are of the same kind.
std::uint64_t hash_of_kind(const Forest& forest, EdgeId edge) {
    auto hash = static_cast<std::uint64_t>(forest.pattern()[edge]);
    for (const Symbol symbol : forest.target(edge))
        hash = hash_combine(hash, static_cast<std::uint32_t>(symbol));
    return hash;
}

bool same_kind(const Forest& forest, EdgeId a, EdgeId b) {
    return forest.pattern()[a] == forest.pattern()[b] &&
           std::ranges::equal(forest.target(a), forest.target(b));
}

// Edges of one kind with the same values of the features in `used`.
class Rules {
  public:
    Rules(const Forest& forest, const std::vector<char>& used) : forest_(forest), used_(used) {}

    std::uint32_t add(EdgeId edge) {
        std::uint64_t hash = hash_of_kind(forest_, edge);
        const SparseView features = forest_.features(edge);
        for (std::size_t i = 0; i < features.size(); ++i)
            if (used_[features.ids[i]]) hash = hash_combine(hash, bits_of(features.values[i]));
        return numbers_.add(edge, hash, [&](EdgeId other) {
            if (!same_kind(forest_, edge, other)) return false;
            const auto values = forest_.features(other).values;
            for (std::size_t i = 0; i < values.size(); ++i)
                if (used_[features.ids[i]] && bits_of(values[i]) != bits_of(features.values[i]))
                    return false;
            return true;
        });
    }
    [[nodiscard]] std::vector<EdgeId>& first() { return numbers_.first(); }

  private:
    const Forest& forest_;
    const std::vector<char>& used_;
    EdgeNumbers numbers_;
};

// `rows` are the edges that differ in anything but their places.
std::vector<char> shared_features(const Forest& forest, std::span<const EdgeId> rows) {
    std::vector<std::size_t> edges(forest.feature_count(), 0);
    std::vector<std::size_t> kinds(forest.feature_count(), 0);
    std::vector<std::size_t> values(forest.feature_count(), 0);  // different ones of each kind
    for (const FeaturePatterns::Id pattern : forest.pattern())
        for (const FeatureId id : forest.patterns()[pattern]) ++edges[id];
    EdgeNumbers numbers;
    FlatTable<char> seen;
    for (const EdgeId edge : rows) {
        const SparseView features = forest.features(edge);
        const std::uint64_t hash = hash_of_kind(forest, edge);
        const std::uint32_t kind =
            numbers.add(edge, hash, [&](EdgeId other) { return same_kind(forest, edge, other); });
        const bool added = numbers.first()[kind] == edge;
        for (std::size_t i = 0; i < features.size(); ++i) {
            const FeatureId id = features.ids[i];
            kinds[id] += added;
            const std::uint64_t place = hash_combine(kind, static_cast<std::uint64_t>(id));
            values[id] += seen.insert(hash_combine(place, bits_of(features.values[i]))).second;
        }
    }
    std::vector<char> shared(forest.feature_count(), 0);
    for (std::size_t id = 0; id < shared.size(); ++id)
        shared[id] = edges[id] > 0 && cost_of_rule * (values[id] - kinds[id]) <= edges[id];
    return shared;
}

}  // namespace

ForestRules::ForestRules(const Forest& forest) {
    const std::vector<char> all(forest.feature_count(), 1);
    Rules rows(forest, all);
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge)
        rule.push_back(rows.add(edge));
    shared = shared_features(forest, rows.first());
    Rules rules(forest, shared);
    std::vector<std::uint32_t> rule_of_row;
    for (const EdgeId edge : rows.first()) rule_of_row.push_back(rules.add(edge));
    for (std::uint32_t& number : rule) number = rule_of_row[number];
    first = std::move(rules.first());
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
