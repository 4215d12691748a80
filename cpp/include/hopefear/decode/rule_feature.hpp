// A feature of rules as the model has it: a view of a value, bins of it, or both.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear {

// How the model uses a value of a grammar.
enum class FeatureView : std::uint8_t {
    none,
    value,      // the value itself
    logarithm,  // of a probability, at least -100, as in Moses
    rarity,     // exp(1 - count): 1 for rules seen once, near 0 for frequent ones
};

[[nodiscard]] inline double view_of(FeatureView view, float value) {
    switch (view) {
        case FeatureView::logarithm:
            return score_of(FeatureKind::probability, value);
        case FeatureView::rarity:
            return std::exp(1.0 - value);
        default:
            return value;
    }
}

// A feature of rules whose values are replaced by indicators of bins, FEATURE#0, FEATURE#1, ...
//
// Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine translation:
// every rule is discretized before the features of a derivation are summed (section 3.1).
struct FeatureBins {
    std::string feature;          // the model's
    std::vector<double> borders;  // increasing; a bin ends with its border, the last one never
    bool kept = false;            // whether the feature also stays as it is
    bool overlap = false;         // whether a value is also in the bins before and after its own
};

// Finds the bins of values of a grammar without computing their views, in about constant time.
class BinTable {
  public:
    // `borders` are those of views of values.
    BinTable(std::span<const double> borders, FeatureView view);

    [[nodiscard]] std::size_t find(float value) const {
        const std::uint32_t number = ordered(value);
        const std::uint32_t bucket =
            std::clamp(number >> shift, first_bucket_, last_bucket_) - first_bucket_;
        // The numbers of one bucket are few.
        const auto begin = borders_.begin() + begins_[bucket];
        const auto end = borders_.begin() + begins_[bucket + 1];
        const auto below =
            static_cast<std::size_t>(std::lower_bound(begin, end, number) - borders_.begin());
        return descending_ ? borders_.size() - below : below;
    }

  private:
    static constexpr int shift = 15;  // leaves the exponent and eight bits of the mantissa

    // A number that is larger the larger the value is.
    [[nodiscard]] static std::uint32_t ordered(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        return bits >> 31 ? ~bits : bits | 0x80000000u;
    }
    [[nodiscard]] static float value_of(std::uint32_t number) {
        return std::bit_cast<float>(number >> 31 ? number & 0x7fffffffu : ~number);
    }

    bool descending_;                     // if larger values have lower bins
    std::vector<std::uint32_t> borders_;  // the last number of each bin but one
    std::uint32_t first_bucket_;
    std::uint32_t last_bucket_;
    std::vector<std::uint32_t> begins_;  // by bucket: the borders below it
};

class RuleFeature {
  public:
    static constexpr FeatureId none = -1;
    struct Bins {
        BinTable table;
        std::vector<FeatureId> ids;
        bool overlap;
    };

    explicit RuleFeature(FeatureId id = none, FeatureView view = FeatureView::value,
                         std::shared_ptr<const Bins> bins = {})
        : id_(id), view_(view), bins_(std::move(bins)) {}

    [[nodiscard]] FeatureId id() const { return id_; }
    [[nodiscard]] FeatureView view() const { return view_; }
    [[nodiscard]] bool has_bins() const { return bins_ != nullptr; }
    // Call use(id, value) for each feature that a value of a rule has.
    template <class Use>
    void for_each(float value, const Use& use) const {
        if (id_ != none) use(id_, view_of(view_, value));
        if (!bins_) return;
        const std::size_t bin = bins_->table.find(value);
        const std::size_t reach = bins_->overlap ? 1 : 0;
        const std::size_t end = std::min(bin + reach + 1, bins_->ids.size());
        for (std::size_t j = bin - std::min(bin, reach); j < end; ++j) use(bins_->ids[j], 1.0);
    }
    // Whether any value counts nothing under weights.
    [[nodiscard]] bool counts_nothing(std::span<const double> weights) const {
        return !bins_ && (id_ == none || weights[id_] == 0.0);
    }

  private:
    FeatureId id_;
    FeatureView view_;
    std::shared_ptr<const Bins> bins_;
};

}  // namespace hopefear
