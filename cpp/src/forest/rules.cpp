#include "hopefear/forest/rules.hpp"

#include <limits>
#include <string>

#include "hopefear/base/vocabulary.hpp"

namespace hopefear {

namespace {

// What it costs to store one more rule, in values of a feature.
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

}  // namespace hopefear
