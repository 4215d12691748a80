// The gain of a hypothesis in the context of a document, for searches that ask for it without end.
//
// Chiang (2012), Hope and fear, equation 3: B(b) = nbar_1 (BLEU(bbar + b) - BLEU(bbar)).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/metrics/bleu.hpp"

namespace hopefear {

// BLEU to the power of K is the product of all matches, and a factor that is the same for all
// hypotheses of one length: division, brevity penalty and all. It has the order of BLEU, so that
// most hypotheses can be told apart without a root. m_1 .. m_K come in an array of Lanes >= K
// numbers, a multiple of what fits into vector registers; the others are 0.
template <std::size_t Lanes>
class DocumentGain {
  public:
    // `document` is [m_1 .. m_K, n_1 .. n_K, rho].
    explicit DocumentGain(std::span<const double> document)
        : order_(document.size() / 2), document_(document.begin(), document.end()) {
        matches_.fill(1.0);
        for (std::size_t k = 0; k < order_; ++k) matches_[k] = document[k];
        length_ = BleuStatistics<const double>(document_).hypothesis_length();
        before_ = bleu(document_);
    }

    [[nodiscard]] std::size_t order() const { return order_; }
    // nbar_1
    [[nodiscard]] double length() const { return length_; }
    // BLEU(bbar)
    [[nodiscard]] double before() const { return before_; }

    // Of hypotheses of `length` words, where the reference has `reference_length`.
    [[nodiscard]] double length_factor(std::int64_t length, double reference_length) const {
        const BleuStatistics<const double> b(document_);
        double counting = 1.0;
        for (std::size_t k = 1; k <= order_; ++k) {
            const auto more = length - static_cast<std::int64_t>(k) + 1;
            const double total = b.total(k) + (more > 0 ? static_cast<double>(more) : 0.0);
            if (total <= 0.0) return 0.0;
            counting *= total;
        }
        return power_of(bleu_of(1.0, counting, order_, b.reference_length() + reference_length,
                                length_ + static_cast<double>(length)));
    }
    // BLEU(bbar + b)^K, from the matches and the factor.
    [[nodiscard]] double power(const std::array<std::int32_t, Lanes>& matches,
                               double factor) const {
        double product = factor;
        for (std::size_t k = 0; k < Lanes; ++k)
            product *= matches_[k] + static_cast<double>(matches[k]);
        return product;
    }
    // B, from BLEU^K.
    [[nodiscard]] double gain(double power) const {
        return length_ * (root_of(power, order_) - before_);
    }
    // BLEU^K; less than 0 where that is less than 0.
    [[nodiscard]] double power_of(double bleu) const {
        double power = bleu;
        for (std::size_t k = 1; k < order_; ++k) power *= bleu < 0.0 ? -bleu : bleu;
        return power;
    }

  private:
    std::size_t order_;  // K
    std::vector<double> document_;
    std::array<double, Lanes> matches_{};  // mbar, and ones
    double length_;
    double before_;
};

}  // namespace hopefear
