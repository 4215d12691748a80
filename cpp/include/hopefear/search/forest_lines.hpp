// What the forests of a data set choose: at given weights, and all along a line of weights.
//
// Macherey et al. (2008), Lattice-based minimum error rate training; Kumar et al. (2009) for
// hypergraphs. Unlike these papers, which put the envelope of a node together from those of its
// tails, the lines of the root's envelope are found one by one: the best derivations at two points
// are two lines, and at their crossing there is either a better one or the envelope is known
// between them (Eisner & Severance 1976, Mathematical techniques for efficient record
// segmentation). The envelope is the same. Only what the root needs is computed, and several points
// share a pass over the forest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/string_table.hpp"
#include "hopefear/forest/forest_set.hpp"

namespace hopefear {

// Lines of all sentences: those of sentence i are offsets[i] .. offsets[i + 1], by increasing
// slope.
struct ForestLines {
    std::vector<std::int64_t> offsets;
    std::vector<double> slopes;
    std::vector<double> intercepts;
    std::vector<std::int64_t> strings;  // numbers in the table
};

// The upper envelope of each forest, where an edge has the score scores[e] + γ slopes[e]. The same
// lines for any number of threads.
[[nodiscard]] ForestLines forest_lines(const ForestSet& forests, std::span<const double> scores,
                                       std::span<const double> slopes, StringTable& table,
                                       std::size_t threads);

// The string of the best derivation of each forest, as its number in the table; -1 where there is
// no forest.
[[nodiscard]] std::vector<std::int64_t> best_strings(const ForestSet& forests,
                                                     std::span<const double> scores,
                                                     StringTable& table, std::size_t threads);

}  // namespace hopefear
