// Sparse vectors that do not come from a file: differences and expectations of hypotheses'
// features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/feature_rows.hpp"

namespace hopefear {

class SparseRows {
  public:
    [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }
    [[nodiscard]] SparseView operator[](std::size_t row) const {
        const std::size_t count = begin_[row + 1] - begin_[row];
        return {std::span(ids_).subspan(begin_[row], count),
                std::span(values_).subspan(begin_[row], count)};
    }
    // a - b; entries that cancel are left out.
    void add_difference(const SparseView& a, const SparseView& b);
    void add(const SparseView& row);

    // rows w
    [[nodiscard]] std::vector<double> dot(std::span<const double> weights) const;
    // rows' x, of length `features`
    [[nodiscard]] std::vector<double> transposed_dot(std::span<const double> x,
                                                     std::size_t features) const;
    // Throws DataError unless all ids are below `features`.
    void check(std::size_t features) const;

  private:
    std::vector<std::uint64_t> begin_{0};
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
};

}  // namespace hopefear
