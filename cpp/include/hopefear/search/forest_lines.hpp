// The best derivations of the forests of a data set: at given weights, and along a line of weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/forest_set.hpp"
#include "hopefear/search/envelope_search.hpp"
#include "hopefear/search/string_table.hpp"

namespace hopefear {

// Lines of all sentences: those of sentence i are offsets[i] .. offsets[i + 1], by increasing
// slope.
struct ForestLines {
    std::vector<std::int64_t> offsets;
    std::vector<double> slopes;
    std::vector<double> intercepts;
    std::vector<std::int64_t> strings;  // numbers in the table
};

// What earlier searches on the same forests have found.
struct FoundBefore {
    std::vector<KnownDerivations> sentences;
};

// The upper envelope of each forest, where an edge has the score scores[e] + γ slopes[e]. The same
// lines for any number of threads, and for whatever was found before; if several derivations have
// the same line, the one that was found first is taken.
[[nodiscard]] ForestLines forest_lines(const ForestSet& forests, std::span<const double> scores,
                                       std::span<const double> slopes, StringTable& table,
                                       FoundBefore& before, std::size_t threads);

// The string of the best derivation of each forest, as its number in the table; -1 where there is
// no forest.
[[nodiscard]] std::vector<std::int64_t> best_strings(const ForestSet& forests,
                                                     std::span<const double> scores,
                                                     StringTable& table, std::size_t threads);

}  // namespace hopefear
