// The sum of sparse rows that have few different features, such as those of a derivation's edges.
#pragma once

#include <algorithm>
#include <vector>

#include "hopefear/base/feature_rows.hpp"

namespace hopefear {

// Memory is reused for the next sum.
class RowSum {
  public:
    void add(FeatureId id, double value) {
        const auto place = static_cast<std::size_t>(id);
        if (place >= sums_.size()) {
            sums_.resize(place + 1);
            used_.resize(place + 1, 0);
        }
        if (used_[place]) {
            sums_[place] += value;
            return;
        }
        used_[place] = 1;
        sums_[place] = value;
        ids_.push_back(id);
    }
    void add(const SparseView& row) {
        for (std::size_t i = 0; i < row.size(); ++i) add(row.ids[i], row.values[i]);
    }
    // Return the sum with increasing ids, and start a new one. Features whose values cancel out are
    // kept. The view holds until the next call.
    [[nodiscard]] SparseView take() {
        taken_.swap(ids_);
        ids_.clear();
        std::ranges::sort(taken_);
        values_.clear();
        for (const FeatureId id : taken_) {
            values_.push_back(sums_[id]);
            used_[id] = 0;
        }
        return {taken_, values_};
    }

  private:
    std::vector<double> sums_;
    std::vector<char> used_;
    std::vector<FeatureId> ids_;  // in order of arrival
    std::vector<FeatureId> taken_;
    std::vector<double> values_;
};

}  // namespace hopefear
