// Scores of edges, the best derivation of a forest, the best one through each edge, and the number
// of derivations.
#pragma once

#include <span>
#include <vector>

#include "hopefear/base/natural.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// w · h(e) for each edge; there must be a weight for every feature.
void score_edges(const Forest& forest, std::span<const double> weights, std::span<double> scores);

// w · h(e) for each edge. A feature without a weight has weight 0. Throws DataError for a weight,
// ForestError for a score that is not finite.
[[nodiscard]] std::vector<double> score_edges(const Forest& forest,
                                              std::span<const double> weights);

// Throws ForestError unless there is a score for each edge and each is finite or minus infinity,
// which makes the edge impossible.
void check_edge_scores(const Forest& forest, std::span<const double> scores);

// The same for values that must be finite; `name` is used in messages.
void check_edge_values(const Forest& forest, std::span<const double> values, const char* name);

// The derivation with the largest score; ties go to the edge with the lowest number at each node.
// Throws ForestError if every derivation is impossible.
[[nodiscard]] ScoredDerivation viterbi(const Forest& forest, std::span<const double> scores);

// The score of the best derivation of each node; minus infinity if there is none.
[[nodiscard]] std::vector<double> best_scores(const Forest& forest, std::span<const double> scores);

// The edge with which the best derivation of `node` begins, given the scores `best` of all nodes.
[[nodiscard]] EdgeId best_edge(const Forest& forest, std::span<const double> scores,
                               const std::vector<double>& best, NodeId node);

// For each edge the score of the best derivation that uses it; minus infinity if there is none.
[[nodiscard]] std::vector<double> max_marginals(const Forest& forest,
                                                std::span<const double> scores);

// The number of derivations.
[[nodiscard]] Natural count_derivations(const Forest& forest);

[[noreturn]] void fail_impossible();

}  // namespace hopefear
