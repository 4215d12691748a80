// Which edges of a forest come from the same rule.
#pragma once

#include <cstdint>
#include <vector>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

// Edges are of one rule if they have the same features, the same target side and the same values of
// all features that are the rules' own. Which those are is told from the forest: a feature is the
// rules' unless it would take many more rules to keep it constant within each.
struct ForestRules {
    explicit ForestRules(const Forest& forest);

    std::vector<char> shared;         // by feature: is it the rules' own?
    std::vector<std::uint32_t> rule;  // by edge
    std::vector<EdgeId> first;        // by rule, in order of first use: the first of its edges
};

}  // namespace hopefear
