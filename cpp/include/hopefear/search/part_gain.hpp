// The gain of partial hypotheses in the context of a document, for searches that need it very
// often.
//
// Chiang (2012), Hope and fear, equation 3: B(b) = n̄₁ (BLEU(b̄ + b) - BLEU(b̄)).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/metrics/bleu_references.hpp"

namespace hopefear {

// BLEU to the power of K is the product of all matches and a factor shared by all hypotheses of one
// length, which includes the division and the brevity penalty. It orders hypotheses as BLEU does,
// so most comparisons need no root. m_1 .. m_K come in an array of Lanes >= K numbers, a multiple
// of the size of a vector register; the others are 0.
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

    // The factor for hypotheses of `length` words and references of `reference_length`.
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
    // BLEU^K, with the sign of `bleu`.
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

// The expected lengths of parts of a sentence, and their effect on BLEU.
//
// Chiang (2012), Hope and fear, equation 10: rho of a part is split by the source words that it
// covers, with the average reference length; for the whole sentence it is the rho of BLEU. If the
// source spans are unknown, parts are taken to have the right length.

// Factors by length, for hypotheses that share their reference length.
class LengthFactors {
  public:
    template <class Compute>
    double get(std::int64_t length, const Compute& compute) {
        const auto at = static_cast<std::size_t>(length);
        if (at < factors_.size() && factors_[at] >= 0.0) [[likely]]
            return factors_[at];
        const double factor = compute();
        if (at >= max_size) return factor;
        if (at >= factors_.size()) factors_.resize(at + 1, -1.0);
        return factors_[at] = factor;
    }
    void clear() { factors_.clear(); }

  private:
    static constexpr std::size_t max_size = 1024;
    std::vector<double> factors_;  // -1: not known yet
};

// The factors of DocumentGain for the derivations of each node; nodes that cover equally many
// source words share them.
class PartLengths {
  public:
    // Forest and references must outlive this object.
    PartLengths(const Forest& forest, const BleuReferences& references, std::size_t sentence)
        : forest_(&forest), references_(&references), sentence_(sentence) {
        const std::int32_t source = forest.covered(forest.root());
        const double average = references.references()->average_length(sentence);
        per_source_word_ = source > 0 ? average / source : 0.0;
        factors_.resize(std::min(source, max_covered) + 1);
    }

    // Begin with the derivations of a node.
    void begin(NodeId node) {
        node_ = node;
        const auto covered = static_cast<std::size_t>(forest_->covered(node));
        if (node == forest_->root()) {
            current_ = &of_root_;
        } else if (covered < factors_.size()) {
            current_ = &factors_[covered];
        } else {
            others_.clear();
            current_ = &others_;
        }
    }
    template <class Gain>
    [[nodiscard]] double factor(const Gain& gain, std::int64_t length) {
        return current_->get(length, [&] {
            return gain.length_factor(length, reference_length(static_cast<std::size_t>(length)));
        });
    }
    [[nodiscard]] double reference_length(std::size_t length) const {
        if (node_ == forest_->root()) return references_->reference_length(sentence_, length);
        return per_source_word_ > 0.0 ? per_source_word_ * forest_->covered(node_)
                                      : static_cast<double>(length);
    }

  private:
    static constexpr std::int32_t max_covered = 1024;

    const Forest* forest_;
    const BleuReferences* references_;
    std::size_t sentence_;
    double per_source_word_ = 0.0;
    NodeId node_ = 0;
    LengthFactors* current_ = nullptr;
    std::vector<LengthFactors> factors_;  // by source words covered
    LengthFactors of_root_;
    LengthFactors others_;  // for a node that covers more words than the sentence has
};

}  // namespace hopefear
