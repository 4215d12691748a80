// The gain of a hypothesis in the context of a document, for searches that ask for it without end.
//
// Chiang (2012), Hope and fear, equation 3: B(b) = nbar_1 (BLEU(bbar + b) - BLEU(bbar)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/bleu.hpp"

namespace hopefear {

// What a hypothesis has of BLEU is the K-th root of the product of its matches, and a factor that
// is the same for all hypotheses of one length: division, brevity penalty and all.
class DocumentGain {
  public:
    // `document` is [m_1 .. m_K, n_1 .. n_K, rho].
    explicit DocumentGain(std::span<const double> document);

    [[nodiscard]] std::size_t order() const { return matches_.size(); }
    // Of hypotheses of `length` words, where the reference has `reference_length`.
    [[nodiscard]] double length_factor(std::int64_t length, double reference_length) const;
    // B, from m_1 .. m_K and the factor.
    [[nodiscard]] double operator()(const double* matches, double factor) const {
        double product = 1.0;
        for (std::size_t k = 0; k < matches_.size(); ++k) product *= matches_[k] + matches[k];
        return length_ * (root_of(product, matches_.size()) * factor - before_);
    }

    // n_k of a hypothesis of `length` words.
    [[nodiscard]] static double kgrams(std::int64_t length, std::size_t k) {
        const std::int64_t count = length - static_cast<std::int64_t>(k) + 1;
        return count > 0 ? static_cast<double>(count) : 0.0;
    }

  private:
    std::vector<double> matches_;  // mbar
    std::vector<double> totals_;   // nbar
    double reference_length_;      // rhobar
    double length_;                // nbar_1
    double before_;                // BLEU(bbar)
};

}  // namespace hopefear
