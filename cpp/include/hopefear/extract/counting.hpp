// Counting over a bitext.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hopefear/base/key_counts.hpp"
#include "hopefear/extract/bitext.hpp"
#include "hopefear/extract/extractor.hpp"

namespace hopefear::extraction {

// Call use(pair) for each sentence pair.
template <class Use>
void for_each_pair(const Bitext& bitext, const char* stage, const Progress& progress,
                   const Use& use) {
    constexpr std::size_t between_news = 1 << 16;
    for (std::size_t i = 0; i < bitext.size(); ++i) {
        if (i % between_news == 0) progress(stage, i, bitext.size());
        use(bitext[i]);
    }
    progress(stage, bitext.size(), bitext.size());
}

// How often the words of a side occur: `side` gives that of a pair, `size` is how many words the
// language has.
template <class Side>
std::vector<std::uint64_t> count_words(const Bitext& bitext, std::size_t size, const Side& side) {
    std::vector<std::uint64_t> counts(size);
    for (std::size_t i = 0; i < bitext.size(); ++i)
        for (const WordId word : side(bitext[i])) ++counts[word];
    return counts;
}

// How many words occur at least `min_count` times; words are numbered by decreasing counts.
[[nodiscard]] inline std::size_t frequent_words(const std::vector<std::uint64_t>& counts,
                                                std::uint64_t min_count) {
    const auto rare = [=](std::uint64_t count) { return count < min_count; };
    return static_cast<std::size_t>(std::ranges::find_if(counts, rare) - counts.begin());
}

using KeyCount = std::pair<std::uint64_t, std::uint64_t>;

// The most frequent keys; of equal ones the smallest.
[[nodiscard]] inline std::vector<KeyCount> most_frequent(const KeyCounts& counts,
                                                         std::size_t limit) {
    std::vector<KeyCount> all;
    all.reserve(counts.size());
    counts.for_each([&](std::uint64_t key, std::uint64_t count) { all.emplace_back(key, count); });
    const auto better = [](const KeyCount& a, const KeyCount& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size()));
    std::partial_sort(all.begin(), last, all.end(), better);
    all.erase(last, all.end());
    return all;
}

}  // namespace hopefear::extraction
