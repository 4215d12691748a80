#include <algorithm>

#include "hopefear/decode/lexical_template.hpp"
#include "hopefear/extract/counting.hpp"
#include "hopefear/extract/patterns.hpp"

namespace hopefear::extraction {

namespace {

// The key of a feature; source classes that are none are negative.
std::uint64_t feature_key(std::int32_t source, std::size_t target) {
    const std::int32_t shifted = source - LexicalFeatures::null;
    return pair_key(static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(shifted));
}

}  // namespace

LexicalCounts count_lexical(const Bitext& bitext, std::uint64_t min_count,
                            std::uint64_t min_feature_count, const Progress& progress) {
    LexicalCounts result;
    const auto frequent = [&](const Vocabulary& words, const auto& side) {
        return frequent_words(count_words(bitext, words.size(), side), min_count);
    };
    result.source_words =
        frequent(bitext.source_words(), [](const SentencePair& pair) { return pair.source; });
    result.target_words =
        frequent(bitext.target_words(), [](const SentencePair& pair) { return pair.target; });
    KeyCounts counts;
    std::vector<char> linked;
    for_each_pair(bitext, "lexical features", progress, [&](const SentencePair& pair) {
        const auto target = [&](std::size_t place) {
            return std::min<std::size_t>(pair.target[place], result.target_words);
        };
        linked.assign(pair.target.size(), 0);
        for (const Link link : pair.links) {
            linked[link.target] = 1;
            const auto source =
                std::min<std::size_t>(pair.source[link.source], result.source_words);
            ++counts[feature_key(static_cast<std::int32_t>(source), target(link.target))];
        }
        for (std::size_t place = 0; place < pair.target.size(); ++place) {
            ++counts[feature_key(LexicalFeatures::any, target(place))];
            if (!linked[place]) ++counts[feature_key(LexicalFeatures::null, target(place))];
        }
    });
    std::vector<KeyCount> kept;
    counts.for_each([&](std::uint64_t key, std::uint64_t count) {
        if (count >= min_feature_count) kept.emplace_back(key, count);
    });
    std::ranges::sort(kept);
    for (const auto& [key, count] : kept) {
        result.target.push_back(static_cast<std::int32_t>(first_of(key)));
        result.source.push_back(static_cast<std::int32_t>(second_of(key)) + LexicalFeatures::null);
        result.count.push_back(count);
    }
    return result;
}

std::vector<CountedWords> frequent_links(const Bitext& bitext, std::size_t limit,
                                         const Progress& progress) {
    KeyCounts counts;
    for_each_pair(bitext, "word pairs", progress, [&](const SentencePair& pair) {
        for (const Link link : pair.links) {
            const auto source = static_cast<std::uint32_t>(pair.source[link.source]);
            ++counts[pair_key(source, static_cast<std::uint32_t>(pair.target[link.target]))];
        }
    });
    std::vector<CountedWords> result;
    for (const auto& [key, count] : most_frequent(counts, limit))
        result.push_back(
            {{static_cast<WordId>(first_of(key)), static_cast<WordId>(second_of(key))}, count});
    return result;
}

}  // namespace hopefear::extraction
