// Frequent words, n-grams and word pairs of a bitext, and pairs with high mutual information.
//
// Chiang (2012), Hope and fear for discriminative training of statistical translation models,
// section 7; Gimpel & Smith (2012), Structured ramp loss minimization for machine translation, 4.3.
// Words come in the order of the bitext's numbers: the most frequent first, then by first
// appearance. Ties go to earlier words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hopefear/base/hash_tables.hpp"
#include "hopefear/extract/bitext.hpp"
#include "hopefear/extract/extractor.hpp"

namespace hopefear::extraction {

// Frequent words, the first ones of each side, are classes of their own; all others form one more
// class. A feature has a target class and either a source class that one of its words is linked to
// or one of two special values: see LexicalFeatures.
struct LexicalCounts {
    std::size_t source_words = 0;
    std::size_t target_words = 0;
    std::vector<std::int32_t> source;  // of each feature; by target class, then by this
    std::vector<std::int32_t> target;
    std::vector<std::uint64_t> count;
};

// Words with at least `min_count` occurrences, and features with at least `min_feature_count`.
[[nodiscard]] LexicalCounts count_lexical(const Bitext& bitext, std::uint64_t min_count,
                                          std::uint64_t min_feature_count,
                                          const Progress& progress);

struct CountedWords {
    std::vector<WordId> words;
    std::uint64_t count;
};

// The `limit` most frequent links; the words are a source word and a target word.
[[nodiscard]] std::vector<CountedWords> frequent_links(const Bitext& bitext, std::size_t limit,
                                                       const Progress& progress);
// The `limit` most frequent n-grams of the target side.
[[nodiscard]] std::vector<CountedWords> frequent_ngrams(const Bitext& bitext, std::size_t order,
                                                        std::size_t limit,
                                                        const Progress& progress);

struct TriggerPair {
    WordId source;
    WordId target;
    double information;
};

// The `limit` pairs of a source word and a target word with the highest mutual information of
// occurring in the same sentence pair, among those that co-occur more often than by chance.
//
// Rosenfeld (1996), A maximum entropy approach to adaptive statistical language modelling, 4.1.
[[nodiscard]] std::vector<TriggerPair> best_triggers(const Bitext& bitext, std::size_t limit,
                                                     const Progress& progress);

// Counting over a bitext.

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

// The counts of the words of a side: `side` selects the side of a pair, `size` is the size of its
// vocabulary.
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

// The most frequent keys; ties go to the smallest.
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
