// Sparse vectors that are computed, such as differences and expectations of feature vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/feature_rows.hpp"

namespace hopefear {

// One such vector.
class SparseVector {
  public:
    [[nodiscard]] SparseView view() const { return {ids_, values_}; }
    // a - b; entries that cancel are dropped.
    void set_difference(const SparseView& a, const SparseView& b);

  private:
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
};

// The rows of a compressed matrix: row i has entries offsets[i] .. offsets[i + 1]. Ids may come in
// any order; the values of repeated ids are summed. Throws DataError unless the arrays fit together
// and all ids are below `features`.
[[nodiscard]] FeatureRows rows_of(std::span<const std::int64_t> offsets,
                                  std::span<const FeatureId> ids, std::span<const double> values,
                                  std::size_t features);

// The same arrays of rows.
struct RowArrays {
    std::vector<std::int64_t> offsets{0};
    std::vector<FeatureId> ids;
    std::vector<double> values;

    void add(const SparseView& row);
};

// Many sparse vectors; most of them name the same features.
class SparseRows {
  public:
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] SparseView operator[](std::size_t row) const { return rows_[row]; }
    // a - b; entries that cancel are dropped.
    void add_difference(const SparseView& a, const SparseView& b);
    void add(const SparseView& row) { add_difference(row, {}); }
    // Release memory that only `add` needs.
    void freeze() { rows_.freeze(); }

    // rows w
    [[nodiscard]] std::vector<double> dot(std::span<const double> weights) const;
    // rows' x, of length `features`
    [[nodiscard]] std::vector<double> transposed_dot(std::span<const double> x,
                                                     std::size_t features) const;
    // Throws DataError unless all ids are below `features`.
    void check(std::size_t features) const;

  private:
    FeatureRows rows_;
    SparseVector added_;
};

}  // namespace hopefear
