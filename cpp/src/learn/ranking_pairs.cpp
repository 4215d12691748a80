#include "hopefear/learn/ranking_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "hopefear/base/error.hpp"
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

    // Larger differences first; ties go to the pair drawn first.
    [[nodiscard]] bool before(const DrawnPair& other) const {
        return difference != other.difference ? difference > other.difference : drawn < other.drawn;
    }
};

// The `kept` best of the drawn pairs, found with a heap that has the worst of them on top.
std::vector<RankingPairs::Pair> sample_list(std::span<const double> gains,
                                            const PairSampling& sampling, Random random) {
    if (gains.size() < 2) return {};
    std::vector<DrawnPair> heap;
    const auto order = [](const DrawnPair& x, const DrawnPair& y) { return x.before(y); };
    double least = sampling.threshold;  // a single, well predicted comparison
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

PairDifferences::PairDifferences(const NBest& nbest, const RankingPairs& pairs)
    : nbest_(nbest), pairs_(pairs) {
    const auto rows = pairs.rows();
    if (!rows.empty() && std::ranges::max(rows) >= nbest.hypotheses())
        fail<DataError>("the pairs belong to other n-best lists");
}

// Call visit(position, features) for the rows at these positions.
template <class Visit>
void PairDifferences::for_each_row(std::size_t begin, std::size_t end, const Visit& visit) const {
    constexpr std::size_t some = 4096;  // rows of lists in files that may be in memory at once
    for (std::size_t i = begin; i < end; ++i) {
        visit(i, nbest_.features(pairs_.rows()[i]));
        if (i % some == some - 1) nbest_.release(0, nbest_.sentences());
    }
}

std::vector<double> PairDifferences::dot(std::span<const double> weights) const {
    nbest_.check_weights(weights.size());
    std::vector<double> scores(pairs_.rows().size());
    for_each_row(0, scores.size(),
                 [&](std::size_t i, const SparseView& h) { scores[i] = h.dot(weights); });
    std::vector<double> products;
    products.reserve(size());
    for (const auto [better, worse] : pairs_.pairs())
        products.push_back(scores[better] - scores[worse]);
    return products;
}

std::vector<double> PairDifferences::transposed_dot(std::span<const double> x,
                                                    std::size_t features) const {
    nbest_.check_weights(features);
    if (x.size() != size()) fail<DataError>(x.size(), " coefficients for ", size(), " pairs");
    std::vector<double> shares(pairs_.rows().size());
    for (std::size_t p = 0; p < size(); ++p) {
        const auto [better, worse] = pairs_.pairs()[p];
        shares[better] += x[p];
        shares[worse] -= x[p];
    }
    std::vector<double> sum(features);
    for_each_row(0, shares.size(), [&](std::size_t i, const SparseView& h) {
        for (std::size_t k = 0; k < h.size(); ++k) sum[h.ids[k]] += shares[i] * h.values[k];
    });
    return sum;
}

std::vector<double> PairDifferences::weighted_square_dot(std::span<const double> factors,
                                                         std::span<const double> weights) const {
    std::vector<double> products = dot(weights);
    for (std::size_t p = 0; p < size(); ++p) products[p] *= factors[p];
    return transposed_dot(products, weights.size());
}

namespace {

// The contribution of one list to rows' diag(factors) rows, with e_r = h_r - (the first h):
//
//     Σ_r b_r e_r e_r'  -  Σ_better (e u' + u e'),      u = Σ_worse factor e_worse,
//
// where b_r is the sum of the factors of r's pairs. So the cost is quadratic in the number of
// features for each hypothesis, not for each pair. The first h is subtracted lest large values
// shared by all hypotheses leave only rounding errors.
class ListSquare {
  public:
    ListSquare(std::size_t features, std::span<double> sum)
        : features_(features), first_(features), pull_(features), sum_(sum) {}

    void begin(std::size_t rows) {
        e_.assign(rows * features_, 0.0);
        b_.assign(rows, 0.0);
    }
    void set_row(std::size_t i, const SparseView& h) {
        const std::span<double> row = e(i);
        for (std::size_t k = 0; k < h.size(); ++k) row[h.ids[k]] = h.values[k];
        if (i == 0) first_.assign(row.begin(), row.end());
        for (std::size_t k = 0; k < features_; ++k) row[k] -= first_[k];
    }
    // Consecutive pairs with the same better row are cheapest.
    void add_pair(std::size_t better, std::size_t worse, double factor) {
        if (better != better_) end_better();
        better_ = better;
        b_[better] += factor;
        b_[worse] += factor;
        const std::span<const double> row = e(worse);
        for (std::size_t k = 0; k < features_; ++k) pull_[k] += factor * row[k];
    }
    void end() {
        end_better();
        for (std::size_t i = 0; i < b_.size(); ++i) {
            const std::span<const double> row = e(i);
            for (std::size_t j = 0; j < features_; ++j) {
                const double factor = b_[i] * row[j];
                for (std::size_t k = 0; k <= j; ++k) sum_[j * features_ + k] += factor * row[k];
            }
        }
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    [[nodiscard]] std::span<double> e(std::size_t i) {
        return std::span(e_).subspan(i * features_, features_);
    }
    void end_better() {
        if (better_ == none) return;
        const std::span<const double> row = e(better_);
        for (std::size_t j = 0; j < features_; ++j)
            for (std::size_t k = 0; k <= j; ++k)
                sum_[j * features_ + k] -= row[j] * pull_[k] + pull_[j] * row[k];
        std::ranges::fill(pull_, 0.0);
        better_ = none;
    }

    std::size_t features_;
    std::vector<double> e_;
    std::vector<double> b_;
    std::vector<double> first_;
    std::size_t better_ = none;  // of the pairs summed in pull_
    std::vector<double> pull_;   // u
    std::span<double> sum_;
};

}  // namespace

std::vector<double> PairDifferences::weighted_square(std::span<const double> factors,
                                                     std::size_t features) const {
    nbest_.check_weights(features);
    if (factors.size() != size())
        fail<DataError>(factors.size(), " factors for ", size(), " pairs");
    std::vector<double> sum(features * features);
    ListSquare square(features, sum);
    std::size_t p = 0;
    for (std::size_t list = 0; list < pairs_.lists(); ++list) {
        const auto [first, last] = pairs_.rows(list);
        square.begin(last - first);
        for_each_row(first, last,
                     [&](std::size_t i, const SparseView& h) { square.set_row(i - first, h); });
        for (const auto [better, worse] : pairs_.pairs(list))
            square.add_pair(better - first, worse - first, factors[p++]);
        square.end();
    }
    return sum;
}

SparseRows pair_differences(const NBest& nbest, const RankingPairs& pairs) {
    const PairDifferences checked(nbest, pairs);
    SparseRows rows;
    for (const auto [better, worse] : pairs.pairs())
        rows.add_difference(nbest.features(pairs.rows()[better]),
                            nbest.features(pairs.rows()[worse]));
    rows.freeze();
    return rows;
}

ViolatedPairs violated_pairs(const NBest& nbest, const RankingPairs& pairs,
                             std::span<const double> weights) {
    const PairDifferences differences(nbest, pairs);
    std::vector<double> violated = differences.dot(weights);
    for (double& margin : violated) margin = margin < 1.0 ? 1.0 : 0.0;
    return {static_cast<std::size_t>(std::ranges::count(violated, 1.0)),
            differences.transposed_dot(violated, weights.size())};
}

}  // namespace hopefear
