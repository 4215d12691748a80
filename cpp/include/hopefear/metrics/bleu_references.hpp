// The references of a corpus as BLEU sees them, and statistics of hypotheses against them.
//
// Papineni et al. (2002), BLEU. With several references, matches of a k-gram are clipped by the
// most occurrences in one of them, and rho is a choice (ReferenceLength).
#pragma once

#include <cstddef>
#include <memory>

#include "hopefear/metrics/forest_statistics.hpp"
#include "hopefear/metrics/reference_automaton.hpp"
#include "hopefear/metrics/reference_words.hpp"
#include "hopefear/metrics/word_metric.hpp"

namespace hopefear {

enum class ReferenceLength {
    closest,   // closest to the length of the hypothesis, the shorter of two (IBM, sacreBLEU)
    shortest,  // (NIST)
    average,
};

// Statistics are [m_1 .. m_K, n_1 .. n_K, rho]; see BleuStatistics.
class BleuReferences : public WordMetric {
  public:
    BleuReferences(std::shared_ptr<const ReferenceWords> references, int order,
                   ReferenceLength length);

    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] std::size_t dimension() const override {
        return 2 * static_cast<std::size_t>(order_) + 1;
    }
    // Built on demand: that is fast, and those of a corpus would take hundreds of megabytes.
    [[nodiscard]] ReferenceAutomaton automaton(std::size_t sentence) const;
    // rho for a hypothesis of `length` words.
    [[nodiscard]] double reference_length(std::size_t sentence, std::size_t length) const;

    // `forest`, which translates `sentence`, with statistics on its edges. rho is always the
    // average reference length: no other choice is additive over edges.
    [[nodiscard]] ForestStatistics forest_statistics(const Forest& forest, std::size_t sentence,
                                                     std::span<const WordId> numbers,
                                                     std::size_t max_edges) const;
    [[nodiscard]] Count make_count() const override;

  private:
    int order_;
    ReferenceLength length_;
};

}  // namespace hopefear
