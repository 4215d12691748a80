// The chart of a sentence: all its parses, as a hypergraph whose edges come in bundles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/decode/rule_list.hpp"

namespace hopefear {

// Nodes are in topological order. Word positions count <s> as the first word.
struct Chart {
    // The ways to derive the words from `begin` up to `end` from a label.
    struct Node {
        std::int32_t begin;
        std::int32_t end;
        Label label;
        std::uint32_t first_bundle;
        std::uint32_t last_bundle;  // one past the last
    };
    // Edges that differ only in the rule: one source side over the same tails.
    struct Bundle {
        Bundle(const RuleList& list, std::uint32_t tail)
            : rules(&list),
              first_tail(tail),
              arity(list.arity),
              rule_count(static_cast<std::uint32_t>(list.rules.size())),
              priority(list.rules.front().priority) {}

        const RuleList* rules;
        std::uint32_t first_tail;
        // Of the list, so that passes over bundles need not look there.
        std::int32_t arity;
        std::uint32_t rule_count;
        float priority;  // of its first rule
    };

    std::vector<Node> nodes;
    std::vector<Bundle> bundles;
    std::vector<std::uint32_t> tails;  // nodes
    std::uint32_t root = 0;

    [[nodiscard]] std::span<const Bundle> bundles_of(const Node& node) const {
        return std::span(bundles).subspan(node.first_bundle, node.last_bundle - node.first_bundle);
    }
    // In the order of the slots.
    [[nodiscard]] std::span<const std::uint32_t> tails_of(const Bundle& bundle) const {
        return std::span(tails).subspan(bundle.first_tail, static_cast<std::size_t>(bundle.arity));
    }
    void clear() {
        nodes.clear();
        bundles.clear();
        tails.clear();
        root = 0;
    }
};

}  // namespace hopefear
