// Statistics of derivations by a metric that compares words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/word_metric.hpp"

namespace hopefear {

// A row for each derivation; number i has the edges edges[begin[i]] .. edges[begin[i + 1]].
// numbers[w] is what word w of the forest is in the references.
[[nodiscard]] std::vector<double> derivation_statistics(const WordMetric& metric,
                                                        const Forest& forest, std::size_t sentence,
                                                        std::span<const WordId> numbers,
                                                        std::span<const EdgeId> edges,
                                                        std::span<const std::int64_t> begin);

}  // namespace hopefear
