// Many sparse feature vectors that share their lists of ids.
//
// Most rows of an n-best list or a forest name the same features in the same order. The list of ids
// (the pattern) is stored once, and each row keeps the number of its pattern and its values: a
// dense feature costs 8 bytes, a sparse one 4 bytes more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/base/growing_array.hpp"

namespace hopefear {

// The beginnings of the rows of a ragged array, in about four bytes each.

// Non-decreasing offsets: each is the first offset of its run plus 32 bits.
class RunOffsets {
  public:
    [[nodiscard]] std::size_t size() const { return offset_.size(); }
    [[nodiscard]] std::uint64_t operator[](std::size_t row) const {
        return bases_[row / run] + offset_[row];
    }

    // Reserve memory for the offset of the next row. Everything that can fail fails here.
    void reserve(std::uint64_t offset) {
        constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
        if (size() % run != 0 && offset - bases_[size() / run] > most)
            fail<DataError>("row ", size(), ": more than ", most, " entries in ", run, " rows");
        bases_.reserve_more(1);
        offset_.reserve_more(1);
    }
    void push_back(std::uint64_t offset) {
        reserve(offset);
        if (size() % run == 0) bases_.push_back(offset);
        offset_.push_back(static_cast<std::uint32_t>(offset - bases_[size() / run]));
    }
    void shrink_to_fit() {
        offset_.shrink_to_fit();
        bases_.shrink_to_fit();
    }

    // There are few bases: they stay in memory.
    void spill(const std::string& directory) { offset_.spill(directory); }
    void release(std::size_t begin, std::size_t end) const { offset_.release(begin, end); }
    [[nodiscard]] std::size_t bytes() const { return offset_.bytes() + bases_.bytes(); }
    [[nodiscard]] std::size_t resident_bytes() const {
        return offset_.resident_bytes() + bases_.resident_bytes();
    }

  private:
    static constexpr std::size_t run = 64;
    GrowingArray<std::uint32_t> offset_;
    GrowingArray<std::uint64_t> bases_;
};

using FeatureId = std::int32_t;

// One row: feature ids[i] has the value values[i]. Ids are strictly increasing; a feature that is
// not listed has value 0.
struct SparseView {
    std::span<const FeatureId> ids;
    std::span<const double> values;

    [[nodiscard]] std::size_t size() const { return ids.size(); }
    // w · h; there must be a weight for every id.
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

    FeaturePatterns() { offsets_.push_back(0); }

    // Return the number of the list `ids`, adding it if it is new. Ids must be strictly increasing.
    Id add(std::span<const FeatureId> ids);
    [[nodiscard]] std::span<const FeatureId> operator[](Id pattern) const {
        return ids_.span(offsets_[pattern], offsets_[pattern + 1] - offsets_[pattern]);
    }
    [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
    // One more than the largest feature id.
    [[nodiscard]] std::size_t features() const { return features_; }
    [[nodiscard]] std::size_t bytes() const;

    // Release memory that only `add` needs; a later `add` allocates it again.
    void freeze();
    // Move the lists to a file; `release` gives back the memory of its pages.
    void spill(const std::string& directory);
    void release() const;
    [[nodiscard]] std::size_t resident_bytes() const;

  private:
    [[nodiscard]] std::size_t slot(std::span<const FeatureId> ids, std::uint32_t hash) const;
    void grow();

    GrowingArray<FeatureId> ids_;
    GrowingArray<std::uint64_t> offsets_;
    std::vector<std::uint32_t> hashes_;  // of the patterns, while the table exists
    std::vector<Id> slots_;              // open addressing; a power of two, half empty
    Id last_ = -1;                       // neighbouring rows often share a pattern
    std::size_t features_ = 0;
};

// The rows: each has a pattern and values.
class FeatureRows {
  public:
    [[nodiscard]] std::size_t size() const { return pattern_.size(); }
    [[nodiscard]] SparseView operator[](std::size_t row) const {
        const std::span<const FeatureId> ids = patterns_[pattern_[row]];
        return {ids, values_.span(offsets_[row], ids.size())};
    }
    // Call visit(row, features) for the rows [begin, end). Faster than row by row: neighbouring
    // rows are adjacent in memory and mostly share a pattern.
    template <class Visit>
    void for_each(std::size_t begin, std::size_t end, const Visit& visit) const {
        if (begin >= end) return;
        const double* at = values_.data() + offsets_[begin];
        FeaturePatterns::Id pattern = pattern_[begin];
        std::span<const FeatureId> ids = patterns_[pattern];
        for (std::size_t row = begin; row < end; ++row) {
            if (pattern_[row] != pattern) {
                pattern = pattern_[row];
                ids = patterns_[pattern];
            }
            visit(row, SparseView{ids, {at, ids.size()}});
            at += ids.size();
        }
    }
    [[nodiscard]] const FeaturePatterns& patterns() const { return patterns_; }
    [[nodiscard]] FeaturePatterns::Id pattern(std::size_t row) const { return pattern_[row]; }

    // Ids must be strictly increasing. If this fails for lack of memory or disk space, nothing
    // changes.
    void append(std::span<const FeatureId> ids, std::span<const double> values);
    // A copy whose row i is row order[i].
    [[nodiscard]] FeatureRows reordered(std::span<const std::uint32_t> order) &&;
    // A copy in which each value is multiplied by the factor of its feature.
    [[nodiscard]] FeatureRows scaled(std::span<const double> factors) const;
    // Release memory that only `append` needs.
    void freeze();

    void spill(const std::string& directory);
    [[nodiscard]] bool spilled() const { return values_.spilled(); }
    // Release the memory of the rows [begin, end) if they lie in a file.
    void release(std::size_t begin, std::size_t end) const;
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::size_t resident_bytes() const;

  private:
    void append(FeaturePatterns::Id pattern, std::span<const double> values);
    [[nodiscard]] std::size_t first_value(std::size_t row) const;

    FeaturePatterns patterns_;
    GrowingArray<FeaturePatterns::Id> pattern_;
    RunOffsets offsets_;  // where a row's values begin
    GrowingArray<double> values_;
    std::string directory_;  // of the files, once there are any
};

// Sort (id, value) pairs in place and sum the values of repeated ids, as rows are stored. Returns
// the new length. Zeros are kept: a feature that is written exists.
std::size_t normalize_row(std::vector<FeatureId>& ids, std::vector<double>& values);

}  // namespace hopefear
