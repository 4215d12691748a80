// Composes the strings of derivations from those of their tails, and counts their matches.
//
// All that matters of a string are its first K - 1 words, the state of the automaton after the last
// one, its length, and the count of each reference k-gram.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/reference_automaton.hpp"

namespace hopefear {

// Clipped counts of a sentence's reference k-grams in each of many strings.
//
// Papineni et al. (2002), BLEU. min(a + b, limit) = min(min(a, limit) + min(b, limit), limit):
// parts may be clipped before they are combined.

// Most k-grams can match only once: one bit is enough. Only the others have counts.
class ClippedCounts {
  public:
    using State = ReferenceAutomaton::State;
    using String = std::uint32_t;  // its number

    // The automaton must outlive this object.
    explicit ClippedCounts(const ReferenceAutomaton& automaton);

    void clear();
    // The count of a k-gram in some strings together; each string's count is clipped.
    [[nodiscard]] std::int64_t count(State state, std::span<const String> strings) const {
        std::int64_t sum = 0;
        const std::int32_t column = column_[state];
        for (const String string : strings)
            sum += column < 0 ? has(state, string) : counts_[string * columns_ + column];
        return sum;
    }
    // Call excess(depth, n) for k-grams whose count in `strings` together exceeds the limit by n.
    template <class Excess>
    void for_each_excess(std::span<const String> strings, const Excess& excess) const {
        for (std::size_t block = 0; block < blocks_; ++block) {
            Bits any = 0;
            Bits several = 0;
            for (const String string : strings) {
                const Bits own = present_[string * blocks_ + block];
                several |= any & own;
                any |= own;
            }
            for (; several != 0; several &= several - 1) {
                const auto state = static_cast<State>(block * bits + std::countr_zero(several));
                const std::int64_t more = count(state, strings) - automaton_->limit(state);
                if (more > 0) excess(automaton_->depth(state), more);
            }
        }
    }
    // Append a string composed of others and additional k-grams. No k-gram of `added` exceeds its
    // limit in the whole string.
    void push_back(std::span<const String> strings, std::span<const State> added);
    // The same, replacing another string; `strings` precede it.
    void replace(String string, std::span<const String> strings, std::span<const State> added);

  private:
    using Bits = std::uint64_t;
    static constexpr std::size_t bits = 64;

    [[nodiscard]] bool has(State state, String string) const {
        const auto at = static_cast<std::size_t>(state);
        return (present_[string * blocks_ + at / bits] >> at % bits & 1) != 0;
    }

    const ReferenceAutomaton* automaton_;
    // of k-grams that can match more than once; -1 for the others
    std::vector<std::int32_t> column_;
    std::vector<std::int32_t> limits_;  // by column
    std::size_t columns_ = 0;
    std::size_t blocks_;
    std::vector<Bits> present_;         // by string: a bit for each state
    std::vector<std::int32_t> counts_;  // by string and column
};

// m_1 .. m_K, in Lanes >= K numbers of which the others are 0.
template <std::size_t Lanes>
using KGramMatches = std::array<std::int32_t, Lanes>;

template <std::size_t Lanes>
struct ComposedString {
    std::int32_t length;
    ReferenceAutomaton::State right;     // after reading it
    KGramMatches<Lanes> matches;         // clipped
    std::array<WordId, Lanes - 1> left;  // the first K - 1 words
};

// Strings are numbered from 0; `Strings` is a container of types derived from ComposedString.
template <std::size_t Lanes>
class StringComposer {
  public:
    using State = ReferenceAutomaton::State;
    using Id = ClippedCounts::String;
    using Composed = ComposedString<Lanes>;

    // The strings of derivations can be exponentially longer than their forest: all lengths beyond
    // this one are equal.
    static constexpr std::int64_t max_length = std::int64_t{1} << 30;

    // The forest must outlive this object. numbers[w] is the number of its word w in the
    // references.
    StringComposer(const Forest& forest, ReferenceAutomaton automaton,
                   std::span<const WordId> numbers)
        : forest_(&forest),
          automaton_(std::move(automaton)),
          order_(automaton_.order()),
          counts_(automaton_),
          times_added_(automaton_.size(), 0) {
        words_.reserve(forest.targets().size());
        for (const Symbol symbol : forest.targets())
            words_.push_back(is_slot(symbol) ? unknown_word : numbers[symbol]);
        for (std::size_t k = 0; k < Lanes; ++k)
            before_kgram_[k] =
                static_cast<std::int32_t>(static_cast<int>(k) < order_ ? k : max_length);
    }
    StringComposer(const StringComposer&) = delete;
    StringComposer& operator=(const StringComposer&) = delete;

    [[nodiscard]] int order() const { return order_; }

    // The length of the string of `edge` with these strings for its tails, and the matches within
    // them.
    template <class Strings>
    void add_tails(EdgeId edge, std::span<const Id> tails, const Strings& strings, Composed& out) {
        auto length = static_cast<std::int64_t>(forest_->target(edge).size() - tails.size());
        KGramMatches<Lanes> matches{};
        for (const Id tail : tails) {
            const Composed& own = strings[tail];
            length += own.length;
            for (std::size_t k = 0; k < Lanes; ++k) matches[k] += own.matches[k];
        }
        if (tails.size() > 1)
            counts_.for_each_excess(tails, [&](int depth, std::int64_t more) {
                matches[depth - 1] -= static_cast<std::int32_t>(more);
            });
        out.length = static_cast<std::int32_t>(std::min(length, max_length));
        out.matches = matches;
    }

    // The matches if every k-gram that is in none of the tails matched.
    template <class Strings>
    [[nodiscard]] KGramMatches<Lanes> most_matches(std::span<const Id> tails,
                                                   const Strings& strings,
                                                   const Composed& composed) const {
        KGramMatches<Lanes> most = composed.matches;
        add_kgrams(composed.length, 1, most);
        for (const Id tail : tails) add_kgrams(strings[tail].length, -1, most);
        return most;
    }

    // After add_tails: the matches of k-grams that are in none of the tails, and the state.
    template <class Strings>
    void read(EdgeId edge, std::span<const Id> tails, const Strings& strings, Composed& out) {
        for (const State added : added_) times_added_[added] = 0;
        added_.clear();
        State state = ReferenceAutomaton::root;
        const WordId* word = words_.data() + forest_->target_begin()[edge];
        for (const Symbol symbol : forest_->target(edge)) {
            state = is_slot(symbol) ? read_tail(strings[tails[slot_of(symbol)]], tails, state, out)
                                    : read_word(*word, tails, state, out);
            ++word;
        }
        out.right = state;
    }
    // The k-grams that `read` has added to the tails.
    [[nodiscard]] std::span<const State> added() const { return added_; }

    // The first words of a string.
    template <class Strings>
    void read_left(EdgeId edge, std::span<const Id> tails, const Strings& strings,
                   Composed& out) const {
        const int size = std::min(out.length, order_ - 1);
        const WordId* word = words_.data() + forest_->target_begin()[edge];
        int done = 0;
        for (const Symbol symbol : forest_->target(edge)) {
            if (done == size) return;
            if (is_slot(symbol)) {
                const Composed& tail = strings[tails[slot_of(symbol)]];
                for (int i = 0; i < tail.length && done < size; ++i)
                    out.left[done++] = tail.left[i];
            } else {
                out.left[done++] = *word;
            }
            ++word;
        }
    }

    // The counts of the numbered strings.
    [[nodiscard]] ClippedCounts& counts() { return counts_; }

  private:
    State read_word(WordId word, std::span<const Id> tails, State state, Composed& out) {
        state = automaton_.next(state, word);
        for (State s = state; s != ReferenceAutomaton::root; s = automaton_.shorter(s))
            add(s, tails, out);
        return state;
    }

    // K-grams within a tail were counted there; only those that begin before it are new. Once none
    // continues from before the tail, none will.
    State read_tail(const Composed& tail, std::span<const Id> tails, State state, Composed& out) {
        const int size = std::min(tail.length, order_ - 1);
        for (int i = 0; i < size; ++i) {
            state = automaton_.extend(state, i, tail.left[i]);
            if (state == ReferenceAutomaton::none) return tail.right;
            for (State s = state; automaton_.depth(s) > i + 1; s = automaton_.shorter(s))
                add(s, tails, out);
        }
        return tail.length > size ? tail.right : state;
    }

    void add(State state, std::span<const Id> tails, Composed& out) {
        if (counts_.count(state, tails) + times_added_[state] >= automaton_.limit(state)) return;
        ++times_added_[state];
        ++out.matches[automaton_.depth(state) - 1];
        added_.push_back(state);
    }

    void add_kgrams(std::int32_t length, std::int32_t sign, KGramMatches<Lanes>& sum) const {
        for (std::size_t k = 0; k < Lanes; ++k)
            sum[k] += sign * std::max(length - before_kgram_[k], 0);
    }

    const Forest* forest_;
    ReferenceAutomaton automaton_;
    int order_;  // K
    ClippedCounts counts_;
    std::vector<WordId> words_;         // by symbol of all target sides, in the references' numbers
    KGramMatches<Lanes> before_kgram_;  // words: n_k is the length without them
    std::vector<State> added_;
    std::vector<std::int32_t> times_added_;  // by state
};

}  // namespace hopefear
