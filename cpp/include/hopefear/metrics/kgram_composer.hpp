// Finds the k-grams of an automaton in strings composed of words and other strings.
//
// Of each string only those outer words are kept that can still become part of a k-gram, so that
// strings which look the same from outside are interchangeable.
#pragma once

#include <cstdint>
#include <vector>

#include "hopefear/base/hash.hpp"
#include "hopefear/metrics/reference_automaton.hpp"

namespace hopefear {

// All that the context of a string needs to know about it.
struct KgramEnds {
    using State = ReferenceAutomaton::State;

    // The longest prefix that, with words before it, can be a k-gram.
    State left = ReferenceAutomaton::root;
    // The longest suffix that, with words after it, can be a k-gram.
    State right = ReferenceAutomaton::root;
    // Whether the string is `left` and nothing else, so that k-grams can go through it.
    bool whole = true;

    friend bool operator==(const KgramEnds&, const KgramEnds&) = default;
    [[nodiscard]] std::uint64_t hash() const {
        const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32;
        return hash_combine(high | static_cast<std::uint32_t>(right), whole);
    }
};

// Not thread-safe. `found(state)` is called for each k-gram that ends at a word, the longest first.
class KgramComposer {
  public:
    using State = ReferenceAutomaton::State;

    // The automaton must outlive this object.
    explicit KgramComposer(const ReferenceAutomaton& automaton)
        : automaton_(&automaton),
          extends_left_(automaton.size(), false),
          extends_right_(automaton.size(), false) {
        extends_right_[ReferenceAutomaton::root] = true;
        for (std::size_t i = 1; i < automaton.size(); ++i) {
            const auto state = static_cast<State>(i);
            extends_right_[automaton.parent(state)] = true;
            if (automaton.depth(state) > 1) extends_left_[automaton.shorter(state)] = true;
        }
    }

    void start() {
        state_ = left_ = ReferenceAutomaton::root;
        whole_ = true;
    }

    template <class Found>
    void add_word(WordId word, const Found& found) {
        state_ = automaton_->next(state_, word);
        tell_longer_than(0, found);
        extend_left(word);
    }

    // Append a string. Its own k-grams are not reported again.
    template <class Found>
    void add_string(const KgramEnds& string, const Found& found) {
        const std::size_t size = read_words(string.left);
        bool through = true;  // whether a k-gram may still cross into the string
        for (std::size_t i = 0; i < size && through; ++i) {
            state_ = automaton_->next(state_, words_[i]);
            tell_longer_than(static_cast<int>(i) + 1, found);
            through = automaton_->depth(state_) > static_cast<int>(i) + 1;
        }
        if (!through || !string.whole) state_ = string.right;
        for (std::size_t i = 0; i < size; ++i) extend_left(words_[i]);
        whole_ = whole_ && string.whole;
    }

    // The ends of the string so far.
    [[nodiscard]] KgramEnds ends() const {
        State right = state_;
        while (!extends_right_[right]) right = automaton_->shorter(right);
        // No k-gram crosses a string that nothing can follow.
        return {left_, right, whole_ && extends_right_[left_]};
    }

  private:
    template <class Found>
    void tell_longer_than(int size, const Found& found) const {
        for (State s = state_; automaton_->depth(s) > size; s = automaton_->shorter(s)) found(s);
    }

    void extend_left(WordId word) {
        if (!whole_) return;
        const State longer =
            word == unknown_word ? ReferenceAutomaton::none : automaton_->child(left_, word);
        whole_ = longer != ReferenceAutomaton::none && extends_left_[longer];
        if (whole_) left_ = longer;
    }

    // Read the words of a k-gram into words_; returns k.
    std::size_t read_words(State state) {
        const auto size = static_cast<std::size_t>(automaton_->depth(state));
        for (std::size_t i = size; i > 0; --i, state = automaton_->parent(state))
            words_[i - 1] = automaton_->last_word(state);
        return size;
    }

    const ReferenceAutomaton* automaton_;
    std::vector<char> extends_left_;
    std::vector<char> extends_right_;
    State state_ = ReferenceAutomaton::root;
    State left_ = ReferenceAutomaton::root;
    bool whole_ = true;
    WordId words_[ReferenceAutomaton::max_order] = {};
};

}  // namespace hopefear
