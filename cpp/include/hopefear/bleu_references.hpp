// The references of a corpus as BLEU sees them, and statistics of hypotheses against them.
//
// Papineni et al. (2002), BLEU. With several references, matches of a k-gram are clipped by the
// most occurrences in one of them, and rho is a choice (ReferenceLength).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "hopefear/reference_automaton.hpp"
#include "hopefear/reference_words.hpp"

namespace hopefear {

enum class ReferenceLength {
    closest,   // to the hypothesis' length, the shorter of two (IBM, sacreBLEU)
    shortest,  // (NIST)
    average,
};

class BleuReferences {
  public:
    BleuReferences(std::shared_ptr<const ReferenceWords> references, int order,
                   ReferenceLength length);

    [[nodiscard]] int order() const { return order_; }
    // How many numbers the statistics of a hypothesis are.
    [[nodiscard]] std::size_t dimension() const { return 2 * static_cast<std::size_t>(order_) + 1; }
    [[nodiscard]] const std::shared_ptr<const ReferenceWords>& words() const { return words_; }
    // Built when asked for: that is quick, and a corpus of them would take hundreds of megabytes.
    [[nodiscard]] ReferenceAutomaton automaton(std::size_t sentence) const {
        return ReferenceAutomaton(*words_, sentence, order_);
    }
    // rho for a hypothesis of `length` words.
    [[nodiscard]] double reference_length(std::size_t sentence, std::size_t length) const;

    // A row of [m_1 .. m_K, n_1 .. n_K, rho] for each hypothesis; see BleuStatistics.
    [[nodiscard]] std::vector<double> statistics(const Hypotheses& hypotheses,
                                                 std::size_t threads) const;

  private:
    std::shared_ptr<const ReferenceWords> words_;
    int order_;
    ReferenceLength length_;
};

}  // namespace hopefear
