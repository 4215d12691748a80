#include "hopefear/extract/patterns.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/lexical_template.hpp"

namespace hopefear::extraction {

namespace {

// All n-grams that occur at least `min_count` times. Longer ones are built from them only, so that
// the many rare ones need not be counted.
class NgramLevels {
  public:
    NgramLevels(const Bitext& bitext, std::uint64_t min_count);

    // Proceed to the next order.
    void extend(const Progress& progress);
    [[nodiscard]] std::size_t order() const { return numbers_.size() + 1; }
    [[nodiscard]] std::size_t size() const { return counts_.size(); }
    // The most frequent of the present order.
    [[nodiscard]] std::vector<CountedWords> best(std::size_t limit) const;

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    // The numbers of the n-grams that begin at each word of a sentence, or none.
    void find(std::span<const WordId> sentence, std::vector<std::uint32_t>& found) const;
    [[nodiscard]] std::vector<WordId> words(std::uint32_t ngram) const;

    const Bitext& bitext_;
    std::uint64_t min_count_;
    std::size_t frequent_;  // the number of frequent words
    // An n-gram is a key of the number of its first n - 1 words and its last word; its own number
    // is the rank of this key, so n-grams sort by their words. From order 2 on.
    std::vector<KeyCounts> numbers_;  // 1 + the number of each key
    std::vector<std::vector<std::uint64_t>> keys_;
    std::vector<std::uint64_t> counts_;  // of the present order
};

NgramLevels::NgramLevels(const Bitext& bitext, std::uint64_t min_count)
    : bitext_(bitext), min_count_(min_count) {
    const auto target = [](const SentencePair& pair) { return pair.target; };
    counts_ = count_words(bitext, bitext.target_words().size(), target);
    frequent_ = frequent_words(counts_, min_count);
    counts_.resize(frequent_);
}

void NgramLevels::find(std::span<const WordId> sentence, std::vector<std::uint32_t>& found) const {
    found.assign(sentence.size(), none);
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const auto word = static_cast<std::uint32_t>(sentence[i]);
        std::uint32_t number = word < frequent_ ? word : none;
        for (std::size_t level = 0; level < numbers_.size() && number != none; ++level) {
            const std::size_t last = i + level + 1;
            if (last >= sentence.size()) {
                number = none;
                break;
            }
            const auto next = static_cast<std::uint32_t>(sentence[last]);
            // 0 becomes `none`.
            number = static_cast<std::uint32_t>(numbers_[level].count(pair_key(number, next))) - 1;
        }
        found[i] = number;
    }
}

void NgramLevels::extend(const Progress& progress) {
    KeyCounts counts;
    std::vector<std::uint32_t> found;
    const std::string stage = "n-grams of order " + std::to_string(order() + 1);
    for_each_pair(bitext_, stage.c_str(), progress, [&](const SentencePair& pair) {
        find(pair.target, found);
        for (std::size_t i = 0; i + order() < pair.target.size(); ++i)
            if (found[i] != none && found[i + 1] != none)
                ++counts[pair_key(found[i], static_cast<std::uint32_t>(pair.target[i + order()]))];
    });
    std::vector<KeyCount> kept;
    counts.for_each([&](std::uint64_t key, std::uint64_t count) {
        if (count >= min_count_) kept.emplace_back(key, count);
    });
    std::ranges::sort(kept);
    numbers_.emplace_back();
    keys_.emplace_back();
    counts_.clear();
    for (const auto& [key, count] : kept) {
        keys_.back().push_back(key);
        counts_.push_back(count);
        numbers_.back()[key] = counts_.size();
    }
}

std::vector<WordId> NgramLevels::words(std::uint32_t ngram) const {
    std::vector<WordId> words;
    for (std::size_t level = keys_.size(); level-- > 0;) {
        words.push_back(static_cast<WordId>(second_of(keys_[level][ngram])));
        ngram = first_of(keys_[level][ngram]);
    }
    words.push_back(static_cast<WordId>(ngram));
    std::ranges::reverse(words);
    return words;
}

std::vector<CountedWords> NgramLevels::best(std::size_t limit) const {
    std::vector<std::uint32_t> order(size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [this](std::uint32_t ngram) { return counts_[ngram]; });
    order.resize(std::min(limit, order.size()));
    std::vector<CountedWords> result;
    result.reserve(order.size());
    for (const std::uint32_t ngram : order) result.push_back({words(ngram), counts_[ngram]});
    return result;
}

}  // namespace

std::vector<CountedWords> frequent_ngrams(const Bitext& bitext, std::size_t order,
                                          std::size_t limit, const Progress& progress) {
    if (order == 0) fail<ConfigError>("n-grams have an order of at least 1, got 0");
    if (limit == 0) return {};
    std::uint64_t tokens = 0;
    for (std::size_t i = 0; i < bitext.size(); ++i) tokens += bitext[i].target.size();
    // A guess at their frequency; if too few are that frequent, it was too high.
    for (std::uint64_t min_count = std::max<std::uint64_t>(1, tokens / (20 * limit));;
         min_count = std::max<std::uint64_t>(1, min_count / 4)) {
        NgramLevels levels(bitext, min_count);
        while (levels.order() < order) levels.extend(progress);
        if (min_count == 1 || levels.size() >= limit) return levels.best(limit);
    }
}

namespace {

// The key of a feature; special source classes are negative.
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

namespace {

// c/n log(c n / (a b)): the contribution of one of four cases to the mutual information.
double share(double together, double first, double second, double all) {
    return together > 0.0 ? together / all * std::log(together * all / (first * second)) : 0.0;
}

double mutual_information(std::uint64_t together, std::uint64_t first, std::uint64_t second,
                          std::uint64_t all) {
    const auto n = static_cast<double>(all);
    const auto c = static_cast<double>(together);
    const auto a = static_cast<double>(first);
    const auto b = static_cast<double>(second);
    return share(c, a, b, n) + share(a - c, a, n - b, n) + share(b - c, n - a, b, n) +
           share(n - a - b + c, n - a, n - b, n);
}

// The candidate words of a side, and the number of sentences that contain each word.
class TriggerSide {
  public:
    template <class Side>
    TriggerSide(const Bitext& bitext, std::size_t words, const Side& side)
        : sentences_(words), last_(words, 0), considered_(words, 0) {
        for (std::size_t i = 0; i < bitext.size(); ++i)
            for (const WordId word : side(bitext[i]))
                if (std::exchange(last_[word], i + 1) != i + 1) ++sentences_[word];
        for (const std::uint64_t count : sentences_)
            entropies_.push_back(mutual_information(count, count, count, bitext.size()));
        std::ranges::fill(last_, 0);
    }

    [[nodiscard]] std::uint64_t sentences(WordId word) const { return sentences_[word]; }
    // The entropy of the word at this rank, or of the last one.
    [[nodiscard]] double entropy(std::size_t rank) const {
        if (entropies_.empty()) return 0.0;
        std::vector<double> sorted = entropies_;
        const auto place =
            sorted.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sorted.size() - 1));
        std::ranges::nth_element(sorted, place, std::ranges::greater());
        return *place;
    }
    void consider(double min_entropy) {
        for (std::size_t word = 0; word < entropies_.size(); ++word)
            considered_[word] = entropies_[word] >= min_entropy;
        std::ranges::fill(last_, 0);
    }
    // The candidate words of a sentence, each once; `number` is not 0.
    void find(std::span<const WordId> sentence, std::size_t number, std::vector<WordId>& found) {
        found.clear();
        for (const WordId word : sentence)
            if (considered_[word] && std::exchange(last_[word], number) != number)
                found.push_back(word);
    }

  private:
    std::vector<std::uint64_t> sentences_;
    std::vector<std::size_t> last_;  // the sentence where a word was last seen
    std::vector<char> considered_;
    std::vector<double> entropies_;
};

// How often pairs of candidate words occur in the same sentence pair.
KeyCounts count_together(const Bitext& bitext, TriggerSide& source, TriggerSide& target,
                         const Progress& progress) {
    KeyCounts together;
    std::vector<WordId> sources;
    std::vector<WordId> targets;
    std::size_t number = 0;
    for_each_pair(bitext, "triggers", progress, [&](const SentencePair& pair) {
        ++number;
        source.find(pair.source, number, sources);
        target.find(pair.target, number, targets);
        for (const WordId f : sources)
            for (const WordId e : targets)
                ++together[pair_key(static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(e))];
    });
    return together;
}

std::vector<TriggerPair> best_of(const KeyCounts& together, const TriggerSide& source,
                                 const TriggerSide& target, std::uint64_t sentences,
                                 std::size_t limit) {
    std::vector<TriggerPair> all;
    together.for_each([&](std::uint64_t key, std::uint64_t count) {
        const auto f = static_cast<WordId>(first_of(key));
        const auto e = static_cast<WordId>(second_of(key));
        const std::uint64_t a = source.sentences(f);
        const std::uint64_t b = target.sentences(e);
        const bool attracted = static_cast<double>(count) * static_cast<double>(sentences) >
                               static_cast<double>(a) * static_cast<double>(b);
        if (attracted) all.push_back({f, e, mutual_information(count, a, b, sentences)});
    });
    const auto better = [](const TriggerPair& x, const TriggerPair& y) {
        if (x.information != y.information) return x.information > y.information;
        return x.source != y.source ? x.source < y.source : x.target < y.target;
    };
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size()));
    std::partial_sort(all.begin(), last, all.end(), better);
    all.erase(last, all.end());
    return all;
}

}  // namespace

std::vector<TriggerPair> best_triggers(const Bitext& bitext, std::size_t limit,
                                       const Progress& progress) {
    if (limit == 0) return {};
    TriggerSide source(bitext, bitext.source_words().size(),
                       [](const SentencePair& pair) { return pair.source; });
    TriggerSide target(bitext, bitext.target_words().size(),
                       [](const SentencePair& pair) { return pair.target; });
    // The mutual information of a pair is at most the entropy of either word: words with less than
    // the worst of the best pairs need not be considered. Begin with few words and continue until
    // that holds.
    constexpr std::size_t first_words = 2000;
    constexpr double negligible = 1e-12;
    double min_entropy = std::max(source.entropy(first_words), target.entropy(first_words));
    while (true) {
        source.consider(min_entropy);
        target.consider(min_entropy);
        const KeyCounts together = count_together(bitext, source, target, progress);
        std::vector<TriggerPair> best = best_of(together, source, target, bitext.size(), limit);
        const bool enough = best.size() == limit && best.back().information >= min_entropy;
        if (enough || min_entropy == 0.0) return best;
        min_entropy = min_entropy / 4 < negligible ? 0.0 : min_entropy / 4;
    }
}

}  // namespace hopefear::extraction
