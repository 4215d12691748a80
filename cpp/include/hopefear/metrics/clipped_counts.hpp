// How often the k-grams of a sentence's references occur in each of many strings, clipped.
//
// Papineni et al. (2002), BLEU. min(a + b, limit) = min(min(a, limit) + min(b, limit), limit):
// parts may be clipped before they are put together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/metrics/reference_automaton.hpp"

namespace hopefear {

// Most k-grams may match once, so that a bit says it all; only the others have counts.
class ClippedCounts {
  public:
    using State = ReferenceAutomaton::State;
    using String = std::uint32_t;  // its number

    // The automaton has to live as long as this.
    explicit ClippedCounts(const ReferenceAutomaton& automaton);

    void clear();
    // Of a k-gram, in some strings together; each of them is clipped.
    [[nodiscard]] std::int64_t count(State state, std::span<const String> strings) const {
        std::int64_t sum = 0;
        const std::int32_t column = column_[state];
        for (const String string : strings)
            sum += column < 0 ? has(state, string) : counts_[string * columns_ + column];
        return sum;
    }
    // Call excess(depth, n) for k-grams that are in `strings` together by n more than count.
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
    // The next string: made of others, with k-grams besides. No k-gram of `added` is in all of it
    // more often than it counts.
    void push_back(std::span<const String> strings, std::span<const State> added);
    // The same in the place of another string; `strings` come before it.
    void replace(String string, std::span<const String> strings, std::span<const State> added);

  private:
    using Bits = std::uint64_t;
    static constexpr std::size_t bits = 64;

    [[nodiscard]] bool has(State state, String string) const {
        const auto at = static_cast<std::size_t>(state);
        return (present_[string * blocks_ + at / bits] >> at % bits & 1) != 0;
    }

    const ReferenceAutomaton* automaton_;
    std::vector<std::int32_t> column_;  // of k-grams that may match more than once; -1: once
    std::vector<std::int32_t> limits_;  // by column
    std::size_t columns_ = 0;
    std::size_t blocks_;
    std::vector<Bits> present_;         // by string: a bit for each state
    std::vector<std::int32_t> counts_;  // by string and column
};

}  // namespace hopefear
