// Sparse feature vectors, many of them, with their id lists shared.
//
// Most rows of an n-best list or a forest name the same features in the same order. The list of ids
// (the pattern) is therefore stored once and each row keeps its pattern's number and its values: a
// dense feature costs its 8 bytes, and a row of sparse ones 4 bytes a feature more.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hopefear {

using FeatureId = std::int32_t;

// One row: ids[i] has the value values[i]. Ids are strictly increasing; an id not listed has value
// 0.
struct SparseView {
    std::span<const FeatureId> ids;
    std::span<const double> values;

    [[nodiscard]] std::size_t size() const { return ids.size(); }
    // w . h; `weights` must reach beyond the largest id.
    [[nodiscard]] double dot(std::span<const double> weights) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < ids.size(); ++i) sum += weights[ids[i]] * values[i];
        return sum;
    }
};

// The interned id lists.
class FeaturePatterns {
  public:
    using Id = std::int32_t;

    // The number of the list `ids`, which is added if it is new; ids must be strictly increasing.
    Id add(std::span<const FeatureId> ids);
    [[nodiscard]] std::span<const FeatureId> operator[](Id pattern) const {
        return std::span(ids_).subspan(offsets_[pattern],
                                       offsets_[pattern + 1] - offsets_[pattern]);
    }
    [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
    // One more than the largest feature id.
    [[nodiscard]] std::size_t features() const { return features_; }
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<FeatureId> ids_;
    std::vector<std::uint64_t> offsets_{0};
    std::unordered_multimap<std::uint64_t, Id> by_hash_;
    Id last_ = -1;  // rows come in runs of one pattern
    std::size_t features_ = 0;
};

// Sort (id, value) pairs in place and add up repeated ids: the form a row is stored in. Returns the
// new length. Values of zero stay: a feature that was written is a feature that exists.
std::size_t normalize_row(std::vector<FeatureId>& ids, std::vector<double>& values);

}  // namespace hopefear
