// Hope and fear by forest reranking: a dynamic program over derivations with their own strings.
//
// Chiang (2012), Hope and fear, 5.2; Dreyer, Hall and Khudanpur (2007), Comparing reordering
// constraints for SMT using efficient BLEU oracle computation; Huang (2008), Forest reranking. Of
// each node the derivations with the largest phi = w . h + gain_weight B are kept, where B is the
// gain of what the derivation has made of the sentence so far. Not exact: what is better of a part
// need not be better of the whole.
#pragma once

#include <cstddef>
#include <span>

#include "hopefear/bleu_references.hpp"
#include "hopefear/derivation.hpp"
#include "hopefear/forest.hpp"

namespace hopefear {

// What is searched for.
struct Reranking {
    std::span<const double> document;  // in whose context B is, positive in every component
    double gain_weight;                // 1 for the hope with mu = -1, -1 for the fear
    std::size_t kept = 1;              // derivations of each node, and of the result
};

// The derivations of the root with the largest phi among those that are kept, the best first;
// their scores are phi. scores[e] is w . h of edge e; numbers[w] is what word w of the forest is in
// the references.
//
// Unlike the paper, which counts matches on edges, without clipping, k-grams are those of the whole
// partial string and are clipped. rho is split by source words covered, with the average reference
// length, as in equation 10; at the root it is that of BLEU itself. Where nothing is known of the
// source, parts have the length that they should have.
[[nodiscard]] DerivationList rerank_forest(const Forest& forest, const BleuReferences& references,
                                           std::size_t sentence, std::span<const WordId> numbers,
                                           std::span<const double> scores,
                                           const Reranking& reranking);

// The statistics of derivations by a metric that compares words: a row each.
[[nodiscard]] std::vector<double> derivation_statistics(const WordMetric& metric,
                                                        const Forest& forest, std::size_t sentence,
                                                        std::span<const WordId> numbers,
                                                        std::span<const EdgeId> edges,
                                                        std::span<const std::int64_t> begin);

}  // namespace hopefear
