#include "hopefear/nbest/derived.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/nbest/products.hpp"

namespace hopefear {

namespace {

std::vector<std::uint64_t> word_hashes(std::string_view text) {
    std::vector<std::uint64_t> hashes;
    for_each_word(text, [&](std::string_view word) { hashes.push_back(hash_bytes(word)); });
    return hashes;
}

double count_characters(std::string_view text) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return static_cast<double>(std::ranges::count_if(text, begins));
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

double copied(std::string_view text, std::string_view source) {
    std::unordered_map<std::uint64_t, std::size_t> left;
    for (const std::uint64_t word : word_hashes(source)) ++left[word];
    const auto words = word_hashes(text);
    std::size_t found = 0;
    for (const std::uint64_t word : words)
        if (const auto at = left.find(word); at != left.end() && at->second > 0) {
            --at->second;
            ++found;
        }
    return share(found, words.size());
}

double repeated(std::string_view text) {
    const auto words = word_hashes(text);
    if (words.size() < 2) return 0.0;
    std::unordered_set<std::uint64_t> pairs;
    for (std::size_t i = 1; i < words.size(); ++i)
        pairs.insert(hash_combine(words[i - 1], words[i]));
    return share(words.size() - 1 - pairs.size(), words.size() - 1);
}

double value_of(TextFeature feature, std::string_view text, std::string_view source) {
    switch (feature) {
        case TextFeature::words:
            return static_cast<double>(word_hashes(text).size());
        case TextFeature::characters:
            return count_characters(text);
        case TextFeature::length_ratio:
            return count_characters(text) / std::max(1.0, count_characters(source));
        case TextFeature::copy:
            return copied(text, source);
        case TextFeature::repetition:
            return repeated(text);
        case TextFeature::rank:
            break;
    }
    return 0.0;
}

}  // namespace

std::vector<double> text_feature(const NBest& lists, TextFeature feature,
                                 const std::vector<std::string>& sources, std::size_t threads) {
    const bool bilingual = feature == TextFeature::length_ratio || feature == TextFeature::copy;
    if (bilingual && sources.size() < lists.sentences())
        fail<DataError>("found ", sources.size(), " source sentences, but lists of ",
                        lists.sentences());
    std::vector<double> found(lists.hypotheses());
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        const NBest::Rows rows = lists.rows(sentence);
        if (feature == TextFeature::rank) {
            for (std::size_t row = rows.begin; row < rows.end; ++row)
                found[row] = static_cast<double>(row - rows.begin);
            return;
        }
        const std::vector<std::string> texts = lists.texts(sentence);
        const std::string_view source = bilingual ? std::string_view(sources[sentence]) : "";
        for (std::size_t i = 0; i < texts.size(); ++i)
            found[rows.begin + i] = value_of(feature, texts[i], source);
    });
    return found;
}

}  // namespace hopefear
