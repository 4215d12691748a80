// Scores of edges: w · h of each, or any array of numbers.
#pragma once

#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

// w · h(e) for each edge. A feature beyond the end of `weights` has weight 0. Throws DataError for
// a weight, ForestError for a score that is not finite.
[[nodiscard]] std::vector<double> score_edges(const Forest& forest,
                                              std::span<const double> weights);

// Throws ForestError unless there is one score for each edge and each is a number or minus
// infinity, which says that the edge is impossible.
void check_edge_scores(const Forest& forest, std::span<const double> scores);

// The same for values that have to be finite, called `name`.
void check_edge_values(const Forest& forest, std::span<const double> values, const char* name);

}  // namespace hopefear
