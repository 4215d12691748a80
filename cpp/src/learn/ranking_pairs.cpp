#include "hopefear/learn/ranking_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "hopefear/base/random.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/search/corpus_oracles.hpp"

namespace hopefear {

void RankingPairs::add_list(NBest::Rows list, std::span<const Pair> pairs) {
    constexpr auto absent = std::numeric_limits<std::uint32_t>::max();
    position_.assign(list.size(), absent);
    for (const auto [better, worse] : pairs) position_[better] = position_[worse] = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (position_[i] == absent) continue;
        position_[i] = static_cast<std::uint32_t>(rows_.size());
        rows_.push_back(static_cast<std::uint32_t>(list.begin + i));
    }
    for (const auto [better, worse] : pairs)
        pairs_.push_back({position_[better], position_[worse]});
    lists_.push_back({rows_.size(), pairs_.size()});
}

namespace {

struct DrawnPair {
    double difference;
    std::size_t drawn;  // when
    RankingPairs::Pair pair;

    // Larger differences first; of equal ones the pair drawn first.
    [[nodiscard]] bool before(const DrawnPair& other) const {
        return difference != other.difference ? difference > other.difference : drawn < other.drawn;
    }
};

// The `kept` best of the pairs drawn, found with a heap that has the worst of them on top.
std::vector<RankingPairs::Pair> sample_list(std::span<const double> gains,
                                            const PairSampling& sampling, Random random) {
    if (gains.size() < 2) return {};
    std::vector<DrawnPair> heap;
    const auto order = [](const DrawnPair& x, const DrawnPair& y) { return x.before(y); };
    double least = sampling.threshold;  // one comparison, which mostly ends the same way
    for (std::size_t i = 0; i < sampling.samples; ++i) {
        const auto [a, b] = random.two_below(gains.size());
        const double difference = std::abs(gains[a] - gains[b]);
        if (!(difference > least)) continue;
        if (heap.size() == sampling.kept) {
            std::ranges::pop_heap(heap, order);
            heap.pop_back();
        }
        const bool first = gains[a] > gains[b];
        heap.push_back({difference,
                        i,
                        {static_cast<std::uint32_t>(first ? a : b),
                         static_cast<std::uint32_t>(first ? b : a)}});
        std::ranges::push_heap(heap, order);
        if (heap.size() == sampling.kept) least = heap.front().difference;
    }
    std::vector<RankingPairs::Pair> kept;
    kept.reserve(heap.size());
    for (const DrawnPair& drawn : heap) kept.push_back(drawn.pair);
    std::ranges::sort(kept, {}, [](const RankingPairs::Pair& pair) {
        return std::tuple(pair.better, pair.worse);
    });
    return kept;
}

}  // namespace

RankingPairs sample_pairs(const NBest& nbest, std::span<const double> gains,
                          const PairSampling& sampling, std::uint64_t seed, std::size_t threads) {
    nbest.check_per_row(gains.size(), "gains");
    std::vector<std::vector<RankingPairs::Pair>> found(nbest.sentences());
    parallel_blocks(nbest.sentences(), 16, threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t sentence = first; sentence < last; ++sentence) {
            const NBest::Rows rows = nbest.rows(sentence);
            found[sentence] = sample_list(gains.subspan(rows.begin, rows.size()), sampling,
                                          Random(seed, sentence));
        }
    });
    RankingPairs pairs;
    for (std::size_t sentence = 0; sentence < nbest.sentences(); ++sentence)
        pairs.add_list(nbest.rows(sentence), found[sentence]);
    return pairs;
}

RankingPairs oracle_pairs(const NBest& nbest, std::span<const std::int64_t> sentences,
                          const std::vector<std::vector<std::int64_t>>& oracles, std::size_t most) {
    check_oracles(nbest, sentences, oracles);
    RankingPairs all_pairs;
    std::vector<RankingPairs::Pair> pairs;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const NBest::Rows list = nbest.rows(sentences[i]);
        std::vector<bool> is_oracle(list.size());
        for (const std::int64_t row : oracles[i]) is_oracle[row - list.begin] = true;
        const std::size_t all = oracles[i].size();
        const std::size_t count = most == 0 ? all : std::min(most, all);
        pairs.clear();
        for (std::size_t j = 0; j < count; ++j) {
            const auto better =
                static_cast<std::uint32_t>(oracles[i][j * all / count] - list.begin);
            for (std::size_t worse = 0; worse < list.size(); ++worse)
                if (!is_oracle[worse]) pairs.push_back({better, static_cast<std::uint32_t>(worse)});
        }
        all_pairs.add_list(list, pairs);
    }
    return all_pairs;
}

}  // namespace hopefear
