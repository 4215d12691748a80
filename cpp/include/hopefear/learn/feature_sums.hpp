// Sums of feature vectors that touch few of all features.
#pragma once

#include <vector>

#include "hopefear/base/feature_rows.hpp"

namespace hopefear {

// An array of all features, and which of them are touched.
class FeatureSums {
  public:
    explicit FeatureSums(std::size_t features) : sums_(features, 0.0) {}

    // Add factor · row.
    void add(const SparseView& row, double factor) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            // A feature whose sum returns to zero may be listed twice: the second time its sum is
            // zero.
            if (sums_[row.ids[i]] == 0.0) ids_.push_back(row.ids[i]);
            sums_[row.ids[i]] += factor * row.values[i];
        }
    }
    // Return the sum and reset this object. The view holds until the next call.
    [[nodiscard]] SparseView take() {
        taken_ids_.clear();
        taken_values_.clear();
        for (const FeatureId id : ids_) {
            if (sums_[id] == 0.0) continue;
            taken_ids_.push_back(id);
            taken_values_.push_back(sums_[id]);
            sums_[id] = 0.0;
        }
        ids_.clear();
        return {taken_ids_, taken_values_};
    }

  private:
    std::vector<double> sums_;
    std::vector<FeatureId> ids_;
    std::vector<FeatureId> taken_ids_;
    std::vector<double> taken_values_;
};

}  // namespace hopefear
