// One place in the bitext where a rule was found, in a form that can be sorted.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "hopefear/extract/bitext.hpp"
#include "hopefear/extract/phrase_pairs.hpp"
#include "hopefear/extract/source_key.hpp"

namespace hopefear::extraction {

// Counts are whole multiples of 2^-32, so that their sums do not depend on any order.
inline constexpr double count_unit = 4294967296.0;

[[nodiscard]] inline double as_count(std::uint64_t count) {
    return static_cast<double>(count) / count_unit;
}

// Where the rule is: enough to read it off the bitext again.
struct Place {
    std::uint32_t sentence;
    std::uint16_t source;
    std::uint16_t target;
    std::uint8_t source_length;
    std::uint8_t target_length;
    // Of each hole, in the order of the source: its places and lengths relative to the above;
    // lengths of 0: there is none.
    struct Hole {
        std::uint8_t source;
        std::uint8_t source_length;
        std::uint8_t target;
        std::uint8_t target_length;

        friend auto operator<=>(const Hole&, const Hole&) = default;
    };
    Hole holes[2];

    friend auto operator<=>(const Place&, const Place&) = default;
};

// The target side and the word alignment are hashes here: of 64 bits among the rules of the same
// source side, and of 32 bits among the places of the same rule.
struct RuleInstance {
    SourceKey source;
    std::uint64_t target;  // with the numbers of its nonterminals
    std::uint64_t count;
    std::uint32_t alignment;
    Place place;
};
static_assert(sizeof(RuleInstance) == 56);

struct RuleInstanceLess {
    bool operator()(const RuleInstance& a, const RuleInstance& b) const {
        return std::tie(a.source, a.target, a.alignment) <
               std::tie(b.source, b.target, b.alignment);
    }
};

// Equal rules with equal alignments become one, wherever they come from.
struct AddRuleInstances {
    bool operator()(RuleInstance& into, const RuleInstance& other) const {
        if (std::tie(into.source, into.target, into.alignment) !=
            std::tie(other.source, other.target, other.alignment))
            return false;
        into.count += other.count;
        into.place = std::min(into.place, other.place);
        return true;
    }
};

[[nodiscard]] Place place_of(std::size_t sentence, const PhrasePair& outer, const Holes& holes);

// The source side of the rule at `place`.
[[nodiscard]] SourceKey source_key(const SourceKeys& keys, const SentencePair& pair,
                                   const Place& place);
// A hash of its target side; `indexed`: with the numbers of its nonterminals.
[[nodiscard]] std::uint64_t target_hash(const SentencePair& pair, const Place& place, bool indexed);
// A hash of the links between its words, by their places in the rule.
[[nodiscard]] std::uint32_t alignment_hash(const SentencePair& pair, const Place& place);

// A rule's target side and the links between its words, read off the bitext.
struct RuleText {
    std::vector<Symbol> target;
    std::vector<Link> alignment;       // by places in the rule, sorted
    std::vector<std::uint32_t> links;  // the same, by their numbers in the sentence
    std::vector<WordId> source;        // -1: a nonterminal
};
void read_rule(const SentencePair& pair, const Place& place, RuleText& text);

// The lexical weights of a rule: Π over the words of one side of the mean of w over their links, or
// w(word|NULL).
struct RuleWeights {
    double target_given_source = 1.0;
    double source_given_target = 1.0;
};
[[nodiscard]] RuleWeights lexical_weights(const SentencePair& pair, const LexicalWeights& weights,
                                          const RuleText& text);

}  // namespace hopefear::extraction
