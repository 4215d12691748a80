// BLEU statistics on the edges of a forest: intersection with the automaton of reference k-grams.
//
// Chiang (2012), Hope and fear, 5.1: matches without clipping, and rho split by source words
// covered (equation 10), add up over edges. k-grams that cross tails need the outer words of their
// strings. Unlike the paper, which takes them from language model states, nodes are split here by
// just those outer words that can still become part of a reference k-gram: few, and exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/reference_automaton.hpp"
#include "hopefear/metrics/word_metric.hpp"

namespace hopefear {

// The resulting forest would be larger than allowed.
struct ForestTooLarge : ForestError {
    using ForestError::ForestError;
};

struct ForestStatistics {
    Forest forest;                   // the same derivations, over split nodes
    std::vector<EdgeId> edges;       // of the original forest, for each edge
    std::vector<double> statistics;  // a row of 2K + 1 for each edge
};

// The sum of the rows over the edges of a derivation is [m_1 .. m_K, n_1 .. n_K, rho] of its
// string, with unclipped matches. Every word of an edge counts for all n_k; the excess at the ends
// of the string is subtracted at the edges of the root, so a row says nothing about the edge's own
// string.
//
// numbers[w] is the number of the forest's word w in the references. Throws ForestTooLarge if the
// result would have more than `max_edges` edges.
[[nodiscard]] ForestStatistics forest_statistics(const Forest& forest,
                                                 const ReferenceAutomaton& automaton,
                                                 std::span<const WordId> numbers,
                                                 double reference_length, std::size_t max_edges);

// Statistics of derivations by a metric that compares words.

// A row for each derivation; derivation i has the edges edges[begin[i]] .. edges[begin[i + 1]].
// numbers[w] is the number of the forest's word w in the references.
[[nodiscard]] std::vector<double> derivation_statistics(const WordMetric& metric,
                                                        const Forest& forest, std::size_t sentence,
                                                        std::span<const WordId> numbers,
                                                        std::span<const EdgeId> edges,
                                                        std::span<const std::int64_t> begin);

// Throws DataError unless `sentence` has references and every word a number.
void check_forest_numbers(const Forest& forest, std::span<const WordId> numbers,
                          std::size_t sentence, const ReferenceWords& references);

}  // namespace hopefear
