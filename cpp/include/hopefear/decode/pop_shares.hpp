// How many candidates cube pruning scores for each node of a chart.
//
// A limit for each node alone wastes most of them on nodes that no good derivation uses. The
// estimates of rules tell before the search how far a node is from the best derivation of the
// sentence: near nodes get more candidates than the limit and others fewer, on average not more
// than the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/decode/chart.hpp"

namespace hopefear {

class PopShares {
  public:
    // Only nodes that are `needed` get any.
    void share(const Chart& chart, std::span<const char> needed, std::size_t limit);
    [[nodiscard]] std::size_t operator[](std::uint32_t node) const { return pops_[node]; }

  private:
    [[nodiscard]] double promise(const Chart& chart, const Chart::Bundle& bundle) const;

    std::vector<std::size_t> pops_;
    std::vector<double> inside_;   // the promise of a node's best derivation
    std::vector<double> outside_;  // that of the root's best derivation that uses it, without it
    std::vector<double> shares_;
};

}  // namespace hopefear
