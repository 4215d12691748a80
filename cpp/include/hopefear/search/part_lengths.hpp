// How long the strings of parts of a sentence should be, and what their lengths do to BLEU.
//
// Chiang (2012), Hope and fear, equation 10: rho of a part is split by the source words that it
// covers, with the average reference length; of the whole it is that of BLEU itself. Where nothing
// is known of the source, parts have the length that they should have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/bleu_references.hpp"

namespace hopefear {

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

// The factors of DocumentGain for the derivations of each node: nodes that cover as many source
// words share them.
class PartLengths {
  public:
    // Forest and references have to live as long as this.
    PartLengths(const Forest& forest, const BleuReferences& references, std::size_t sentence)
        : forest_(&forest), references_(&references), sentence_(sentence) {
        const std::int32_t source = forest.covered(forest.root());
        const double average = references.references()->average_length(sentence);
        per_source_word_ = source > 0 ? average / source : 0.0;
        factors_.resize(std::min(source, max_covered) + 1);
    }

    // Turn to the derivations of a node.
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
    LengthFactors others_;  // of a node that covers more than there are words
};

}  // namespace hopefear
