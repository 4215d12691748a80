// The k-grams of a sentence's references as an automaton: a trie with failure links.
//
// Aho & Corasick (1975), Efficient string matching. Every k-gram up to the order is itself a
// reference k-gram, so a state tells everything: the longest suffix read so far that is a reference
// k-gram and, through its failure links, all shorter ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/metrics/reference_words.hpp"

namespace hopefear {

class ReferenceAutomaton {
  public:
    using State = std::int32_t;
    static constexpr State root = 0;  // no suffix read so far is part of a k-gram
    static constexpr State none = -1;
    static constexpr int max_order = 16;

    // Accepts the k-grams of all `references`, with k up to `order`.
    ReferenceAutomaton(std::span<const std::span<const WordId>> references, int order);

    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    // Add to matches[k - 1] how many k-grams of `words` match the references, for k from 1 to the
    // order, clipped by the count in the reference that has the k-gram most often. `seen` is a
    // buffer.
    void count_clipped(std::span<const WordId> words, std::vector<std::int32_t>& seen,
                       std::span<double> matches) const {
        seen.assign(size(), 0);
        State state = root;
        for (const WordId word : words) {
            state = next(state, word);
            for (State s = state; s != root; s = shorter(s))
                if (++seen[s] <= limit(s)) matches[depth(s) - 1] += 1.0;
        }
    }

    // How many words long the k-gram of `state` is.
    [[nodiscard]] int depth(State state) const { return nodes_[state].depth; }
    // The state of the k-gram without its first word.
    [[nodiscard]] State shorter(State state) const { return nodes_[state].shorter; }
    // How often the k-gram occurs in the reference that has it most often.
    [[nodiscard]] std::int32_t limit(State state) const { return nodes_[state].limit; }

    // The state of the k-gram without its last word, and that word; not for the root.
    [[nodiscard]] State parent(State state) const { return into_[state].from; }
    [[nodiscard]] WordId last_word(State state) const { return into_[state].word; }

    // The state of the k-gram followed by `word`, or none if no reference has that.
    [[nodiscard]] State child(State state, WordId word) const {
        for (std::size_t at = slot(state, word);; at = (at + 1) & mask_) {
            const Arc& arc = arcs_[at];
            if (arc.to == none || (arc.from == state && arc.word == word)) return arc.to;
        }
    }
    // The state after reading `word` in `state`.
    [[nodiscard]] State next(State state, WordId word) const {
        if (word == unknown_word) return root;
        State found = extend(state, 0, word);
        if (found == none) found = child(root, word);
        return found == none ? root : found;
    }
    // The same if `word` extends more than `longer` words; otherwise none.
    [[nodiscard]] State extend(State state, int longer, WordId word) const {
        for (; depth(state) > longer; state = shorter(state)) {
            const State found = child(state, word);
            if (found != none) return found;
        }
        return none;
    }

  private:
    struct Node {
        State shorter = root;
        std::int32_t depth = 0;
        std::int32_t limit = 0;
    };
    struct Arc {
        State from = none;
        WordId word = unknown_word;
        State to = none;
    };

    [[nodiscard]] std::size_t slot(State state, WordId word) const {
        const std::uint64_t key =
            (static_cast<std::uint64_t>(static_cast<std::uint32_t>(state)) << 32) |
            static_cast<std::uint32_t>(word);
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> shift_) & mask_;
    }
    State add_child(State state, WordId word);
    void link();

    int order_;
    int shift_ = 0;
    std::size_t mask_ = 0;
    std::vector<Node> nodes_;
    std::vector<Arc> into_;  // the arc into each state
    std::vector<Arc> arcs_;  // open addressing; a power of two, half empty
};

}  // namespace hopefear
