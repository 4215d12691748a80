// From counts of N-grams to adjusted counts of all orders: the count of the longest n-grams and of
// those that begin with <s>, and for others the number of different words that precede them (Kneser
// and Ney, 1995; Heafield et al., 2013, section 3.2). Unlike lmplz, this includes the very last
// n-gram of each order, for which lmplz counts occurrences when it collects counts of counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

// A suffix of the current N-gram whose count is not complete yet.
struct OpenNGram {
    std::uint64_t occurrences;
    std::uint64_t adjusted;
};

// The number of words that belong to the sentence, including one <s>; the rest is padding.
template <std::size_t N>
[[nodiscard]] std::size_t length_without_padding(const Words<N>& words) {
    const auto begin = std::find(words.begin(), words.end(), sentence_begin);
    return begin == words.end() ? N : static_cast<std::size_t>(begin - words.begin()) + 1;
}

// Read distinct N-grams from `full` in suffix order, padded with <s> at the beginning of a
// sentence. Call emit(n, words, counts) for each n-gram of each order n, in suffix order within its
// order; its words are the first n of `words`.
template <std::size_t N, class Full, class Emit>
void adjust_counts(Full& full, Emit&& emit) {
    std::array<OpenNGram, N + 1> open{};
    Words<N> previous{};
    std::size_t previous_length = 0;
    const auto close = [&](std::size_t above) {
        for (std::size_t n = previous_length; n > above; --n) emit(n, previous, open[n]);
    };
    Counted<N> entry;
    while (full.next(entry)) {
        const std::size_t length = length_without_padding(entry.words);
        std::size_t common = 0;
        while (common < std::min(length, previous_length) &&
               entry.words[common] == previous[common])
            ++common;
        close(common);
        const std::uint64_t count = entry.value.value();
        for (std::size_t n = 1; n <= common; ++n) open[n].occurrences += count;
        if (common > 0) ++open[common].adjusted;  // one more word precedes it
        for (std::size_t n = common + 1; n < length; ++n) open[n] = {count, 1};
        open[length] = {count, count};
        previous = entry.words;
        previous_length = length;
    }
    close(0);
}

}  // namespace hopefear::kneser_ney
