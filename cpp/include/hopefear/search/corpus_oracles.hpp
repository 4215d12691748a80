// The hypotheses that make the best corpus score together, as far as a greedy search finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// Oracles by greedy search for the best corpus score over the given sentences (Venugopal 2005): one
// sentence's choice is changed at a time until none can be improved or `max_passes` are over. All
// hypotheses with the statistics of the choice are oracles. One list of rows per sentence.
std::vector<std::vector<std::int64_t>> corpus_oracles(const NBest& nbest, const CorpusScore& score,
                                                      std::span<const std::int64_t> sentences,
                                                      std::size_t max_passes);

// An error unless each oracle is a row of its sentence, in increasing order.
void check_oracles(const NBest& nbest, std::span<const std::int64_t> sentences,
                   const std::vector<std::vector<std::int64_t>>& oracles);

}  // namespace hopefear
