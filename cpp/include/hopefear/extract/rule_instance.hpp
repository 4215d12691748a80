// An occurrence of a rule in the bitext, in a form that can be sorted.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/extract/bitext.hpp"
#include "hopefear/extract/phrase_pairs.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear::extraction {

// Source sides as numbers that sort in the order of the trie.

// The symbols of a source side, from the highest bits down; 0 where there are none left.
struct SourceKey {
    std::uint64_t high;
    std::uint64_t low;

    friend auto operator<=>(const SourceKey&, const SourceKey&) = default;
};

// Packs symbols into keys: 1 is X, a word is its id plus 2.
class SourceKeys {
  public:
    // Throws ConfigError if source sides of `max_symbols` symbols do not fit.
    SourceKeys(std::size_t word_count, std::int32_t max_symbols)
        : bits_(std::bit_width(word_count + 1)) {
        if (bits_ * max_symbols > 128)
            fail<ConfigError>("source sides of up to ", max_symbols, " symbols over ", word_count,
                              " words do not fit into 128 bits; at most ", 128 / bits_,
                              " symbols would");
    }

    // Append a symbol to a key of `length` symbols.
    void append(SourceKey& key, int length, std::uint64_t code) const {
        const int shift = 128 - bits_ * (length + 1);
        if (shift >= 64) {
            key.high |= code << (shift - 64);
        } else {
            key.low |= code << shift;
            if (shift > 0 && shift + bits_ > 64) key.high |= code >> (64 - shift);
        }
    }
    [[nodiscard]] static std::uint64_t code(std::int32_t word) {
        return static_cast<std::uint64_t>(word) + 2;
    }
    static constexpr std::uint64_t nonterminal = 1;

    void unpack(const SourceKey& key, std::vector<Symbol>& symbols) const {
        symbols.clear();
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        for (int shift = 128 - bits_; shift >= 0; shift -= bits_) {
            std::uint64_t code = shift >= 64 ? key.high >> (shift - 64) : key.low >> shift;
            if (shift < 64 && shift > 0) code |= key.high << (64 - shift);
            code &= mask;
            if (code == 0) return;
            symbols.push_back(code == nonterminal ? label_symbol(0)
                                                  : static_cast<Symbol>(code - 2));
        }
    }

  private:
    int bits_;
};

// Counts are multiples of 2^-32, so that sums do not depend on the order.
inline constexpr double count_unit = 4294967296.0;

[[nodiscard]] inline double as_count(std::uint64_t count) {
    return static_cast<double>(count) / count_unit;
}

// The position of a rule, from which it can be read off the bitext again.
struct Place {
    std::uint32_t sentence;
    std::uint16_t source;
    std::uint16_t target;
    std::uint8_t source_length;
    std::uint8_t target_length;
    // The holes in source order, with positions relative to the above; a length of 0 means no hole.
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

// Target side and word alignment are hashes here: of 64 bits among the rules of one source side,
// and of 32 bits among the occurrences of one rule.
struct RuleInstance {
    SourceKey source;
    std::uint64_t target;  // with nonterminal indices
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

// Adds the counts of equal rules with equal alignments.
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
// A hash of its target side; with nonterminal indices if `indexed`.
[[nodiscard]] std::uint64_t target_hash(const SentencePair& pair, const Place& place, bool indexed);
// A hash of the links between its words, by positions in the rule.
[[nodiscard]] std::uint32_t alignment_hash(const SentencePair& pair, const Place& place);

// A rule's target side and the links between its words, read off the bitext.
struct RuleText {
    std::vector<Symbol> target;
    std::vector<Link> alignment;       // by positions in the rule, sorted
    std::vector<std::uint32_t> links;  // the same, by positions in the sentence
    std::vector<WordId> source;        // -1 for a nonterminal
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

// Enumerates all rules of a sentence pair with their counts.

// Not thread-safe: each thread has its own.
class RuleWalk {
  public:
    explicit RuleWalk(const Options& options) : options_(options), phrases_(options) {}

    // Call visit(place, count) for every rule.
    template <class Visit>
    void for_each_rule(std::size_t sentence, const SentencePair& pair, Visit&& visit) {
        phrases_.find(pair);
        phrase_pairs_ += phrases_.all().size();
        for (const PhrasePair& outer : phrases_.all()) {
            find_rules(phrases_, outer, options_, rules_);
            instances_ += rules_.size();
            const std::uint64_t share = options_.fractional_counts ? rules_.size() : 1;
            if (rules_.empty()) continue;
            const std::uint64_t count =
                (static_cast<std::uint64_t>(count_unit) + share / 2) / share;
            for (const Holes& holes : rules_) visit(place_of(sentence, outer, holes), count);
        }
    }

    // So far.
    [[nodiscard]] std::uint64_t phrase_pairs() const { return phrase_pairs_; }
    [[nodiscard]] std::uint64_t instances() const { return instances_; }

  private:
    Options options_;
    PhrasePairs phrases_;
    std::vector<Holes> rules_;
    std::uint64_t phrase_pairs_ = 0;
    std::uint64_t instances_ = 0;
};

}  // namespace hopefear::extraction
