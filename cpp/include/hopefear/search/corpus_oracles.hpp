// Oracles: the hypotheses that together give the best corpus score, found by greedy search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// Find oracles for the given sentences by greedy search (Venugopal 2005): the choice of one
// sentence changes at a time until nothing improves or `max_passes` are done. All hypotheses with
// the statistics of the chosen one are oracles. Returns a list of rows for each sentence.
std::vector<std::vector<std::int64_t>> corpus_oracles(const NBest& nbest, const CorpusScore& score,
                                                      std::span<const std::int64_t> sentences,
                                                      std::size_t max_passes);

// Throws DataError unless the oracles are rows of their sentences in increasing order.
void check_oracles(const NBest& nbest, std::span<const std::int64_t> sentences,
                   const std::vector<std::vector<std::int64_t>>& oracles);

}  // namespace hopefear
