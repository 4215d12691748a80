// Oracles: the hypotheses that together give the best corpus score, found by greedy search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct OracleSearch {
    std::size_t max_passes = 10;
    // The rows of all lists in the order in which hypotheses count as listed; empty: as they are.
    std::span<const std::int64_t> order = {};
    // How many hypotheses of each list to choose from, the first ones of the order; 0: all.
    std::size_t size = 0;
    // Look for the worst score instead.
    bool worst = false;
};

// Find oracles for the given sentences by greedy search (Venugopal 2005): the choice of one
// sentence changes at a time until nothing improves or `max_passes` are done. All hypotheses with
// the statistics of the chosen one are oracles. Returns a list of rows for each sentence.
std::vector<std::vector<std::int64_t>> corpus_oracles(const NBest& nbest, const CorpusScore& score,
                                                      std::span<const std::int64_t> sentences,
                                                      const OracleSearch& search = {});

// Throws DataError unless the oracles are rows of their sentences in increasing order.
void check_oracles(const NBest& nbest, std::span<const std::int64_t> sentences,
                   const std::vector<std::vector<std::int64_t>>& oracles);

}  // namespace hopefear
