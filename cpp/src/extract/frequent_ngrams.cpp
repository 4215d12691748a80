#include <algorithm>
#include <string>

#include "hopefear/base/error.hpp"
#include "hopefear/extract/counting.hpp"
#include "hopefear/extract/patterns.hpp"

namespace hopefear::extraction {

namespace {

// All n-grams that occur at least `min_count` times. Those of one order more are made of them only,
// so that rare ones, which are most, need not be counted.
class NgramLevels {
  public:
    NgramLevels(const Bitext& bitext, std::uint64_t min_count);

    // Go on to the n-grams of one order more.
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
    std::size_t frequent_;  // how many words are
    // An n-gram is the key of its number among those of one order less, and of its last word; its
    // own number is its rank among such keys: their order is that of the words. From order 2 on.
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
    // A guess at how often they occur; if there are too few that do, it was too high.
    for (std::uint64_t min_count = std::max<std::uint64_t>(1, tokens / (20 * limit));;
         min_count = std::max<std::uint64_t>(1, min_count / 4)) {
        NgramLevels levels(bitext, min_count);
        while (levels.order() < order) levels.extend(progress);
        if (min_count == 1 || levels.size() >= limit) return levels.best(limit);
    }
}

}  // namespace hopefear::extraction
