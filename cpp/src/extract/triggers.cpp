#include <algorithm>
#include <cmath>

#include "hopefear/extract/counting.hpp"
#include "hopefear/extract/patterns.hpp"

namespace hopefear::extraction {

namespace {

// c/n log(c n / (a b)): what one of four cases adds to the mutual information.
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

// Which words of a side are considered, and in how many sentences each word is.
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
    // The words of a sentence that are considered, each once; `number` is not 0.
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

// How often pairs of words that are considered are in one sentence pair.
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
    // No word tells more of another one than its own entropy: words with less than the last of the
    // best pairs need not be considered. Begin with few, and go on until that is so.
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
