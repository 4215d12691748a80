// Pairs of hypotheses of which one should rank above the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/corpus_score.hpp"
#include "hopefear/nbest.hpp"
#include "hopefear/sparse_rows.hpp"

namespace hopefear {

// Row numbers; better[i] should have a higher score than worse[i].
struct RankingPairs {
    std::vector<std::int64_t> better;
    std::vector<std::int64_t> worse;
};

// Hopkins and May (2011), Tuning as ranking, figure 4.
struct PairSampling {
    std::size_t samples = 5000;  // Gamma: pairs drawn from each list
    std::size_t kept = 50;       // Xi: of those, the ones with the largest difference in gain
    double threshold = 0.05;     // alpha: differences up to this are not worth learning
};

// `gains` has one entry per hypothesis. Every sentence has its own random stream, so any number of
// threads gives the same pairs.
RankingPairs sample_pairs(const NBest& nbest, std::span<const double> gains,
                          const PairSampling& sampling, std::uint64_t seed, std::size_t threads);

// Oracles by greedy search for the best corpus score over the given sentences (Venugopal 2005): one
// sentence's choice is changed at a time until none can be improved or `max_passes` are over. All
// hypotheses with the statistics of the choice are oracles. One list of rows per sentence.
std::vector<std::vector<std::int64_t>> corpus_oracles(const NBest& nbest, const CorpusScore& score,
                                                      std::span<const std::int64_t> sentences,
                                                      std::size_t max_passes);

// Every oracle with every other hypothesis of its list (Watanabe 2012, equation 5). Of more than
// `most` oracles in a list so many take part, in even distances; 0 for all of them.
RankingPairs oracle_pairs(const NBest& nbest, std::span<const std::int64_t> sentences,
                          const std::vector<std::vector<std::int64_t>>& oracles, std::size_t most);

// h(better) - h(worse)
SparseRows pair_differences(const NBest& nbest, const RankingPairs& pairs);

// The pairs with w . (h(better) - h(worse)) < 1: how many there are, and the sum of these
// differences. Hypotheses are scored once, however many pairs they are in.
struct ViolatedPairs {
    std::size_t count = 0;
    std::vector<double> sum;
};
ViolatedPairs violated_pairs(const NBest& nbest, const RankingPairs& pairs,
                             std::span<const double> weights);

// The softmax loss of Watanabe (2012), equation 6, linearized at w: for each sentence
// L = log(Z_oracle / Z_nbest), which is to be raised, and its gradient Psi.
struct SoftmaxTangents {
    std::vector<double> values;
    SparseRows gradients;
};
SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights);

}  // namespace hopefear
