// N-best lists out of forests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hopefear/forest/forest_set.hpp"
#include "hopefear/nbest/builder.hpp"

namespace hopefear {

struct ListOptions {
    std::size_t size = 100;       // k
    bool distinct = true;         // of derivations with the same words only the best
    std::size_t limit = 1000000;  // of derivations looked at in a forest, if they must be distinct
};

// Add the k best derivations of the forests of some sentences to n-best lists, in this order and in
// that of scores; returns how many were new. The builder's feature names must be those of the
// forests.
std::size_t add_kbest(const ForestSet& forests, std::span<const double> scores,
                      std::span<const std::int64_t> sentences, const ListOptions& options,
                      std::size_t threads, NBestBuilder& builder);

}  // namespace hopefear
