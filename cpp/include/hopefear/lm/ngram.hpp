// N-grams as records, and the two orders that the estimation sorts them in (Heafield et al., 2013,
// Scalable modified Kneser-Ney language model estimation, figure 2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hopefear::kneser_ney {

using WordId = std::uint32_t;

inline constexpr WordId unknown_word = 0;
inline constexpr WordId sentence_begin = 1;
inline constexpr WordId sentence_end = 2;

inline constexpr std::size_t max_order = 6;

// The last word comes first: suffixes of the n-gram are prefixes of the array.
template <std::size_t N>
using Words = std::array<WordId, N>;

// A 63-bit count and a flag for pruned n-grams, in two halves: records have no padding.
class Count {
  public:
    Count() = default;
    explicit Count(std::uint64_t value, bool pruned = false)
        : low_(static_cast<std::uint32_t>(value)),
          high_(static_cast<std::uint32_t>(value >> 32) | (pruned ? flag : 0)) {}

    [[nodiscard]] std::uint64_t value() const {
        return static_cast<std::uint64_t>(high_ & ~flag) << 32 | low_;
    }
    [[nodiscard]] bool pruned() const { return (high_ & flag) != 0; }

  private:
    static constexpr std::uint32_t flag = std::uint32_t{1} << 31;
    std::uint32_t low_;
    std::uint32_t high_;
};

// The weights of an n-gram: u(wₙ | w₁…wₙ₋₁), not interpolated, and the weight γ(w₁…wₙ₋₁) of the
// lower order. Single precision, as in KenLM's files.
struct Weight {
    float probability;
    float gamma;
};

template <std::size_t N, class Value>
struct Entry {
    Words<N> words;
    Value value;
};
template <std::size_t N>
using Counted = Entry<N, Count>;
template <std::size_t N>
using Weighted = Entry<N, Weight>;
template <std::size_t N>
using Scored = Entry<N, float>;  // a probability, or a back-off weight

// By the last word, then the one before it, and so on.
struct SuffixOrder {
    template <std::size_t N, class Value>
    bool operator()(const Entry<N, Value>& a, const Entry<N, Value>& b) const {
        for (std::size_t i = 0; i < N; ++i)
            if (a.words[i] != b.words[i]) return a.words[i] < b.words[i];
        return false;
    }
};

// By the context in suffix order, then by the last word: n-grams with one context are adjacent.
struct ContextOrder {
    template <std::size_t N, class Value>
    bool operator()(const Entry<N, Value>& a, const Entry<N, Value>& b) const {
        for (std::size_t i = 1; i < N; ++i)
            if (a.words[i] != b.words[i]) return a.words[i] < b.words[i];
        return a.words[0] < b.words[0];
    }
};

// Adds the counts of equal n-grams.
struct AddCounts {
    template <std::size_t N>
    bool operator()(Counted<N>& into, const Counted<N>& other) const {
        if (into.words != other.words) return false;
        into.value = Count(into.value.value() + other.value.value());
        return true;
    }
};

template <std::size_t N>
[[nodiscard]] Words<N - 1> context_of(const Words<N>& words) {
    Words<N - 1> context;
    for (std::size_t i = 1; i < N; ++i) context[i - 1] = words[i];
    return context;
}

template <std::size_t N>
[[nodiscard]] Words<N - 1> suffix_of(const Words<N>& words) {
    Words<N - 1> suffix;
    for (std::size_t i = 0; i + 1 < N; ++i) suffix[i] = words[i];
    return suffix;
}

}  // namespace hopefear::kneser_ney
