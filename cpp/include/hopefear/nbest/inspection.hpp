// Checks of n-best lists that are worth making before learning from them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// For each feature: in how many hypotheses and lists it occurs (a value of zero counts), and how
// many hypotheses those lists have.
struct FeatureCounts {
    std::vector<std::int64_t> hypotheses;
    std::vector<std::int64_t> lists;
    std::vector<std::int64_t> hypotheses_of_lists;
};

// Counts the first `features` features; no others may occur.
[[nodiscard]] FeatureCounts count_features(const NBest& nbest, std::size_t features);

// A feature of a hypothesis.
struct FeatureValue {
    std::int64_t row;
    FeatureId feature;
    double value;
};

// The first value whose absolute value exceeds `bound`, if any.
[[nodiscard]] std::optional<FeatureValue> find_value_above(const NBest& nbest, double bound);

// A checksum of lists, features and statistics. Words count only through their statistics.
[[nodiscard]] std::uint64_t checksum(const NBest& nbest);

// The hypotheses whose text is empty.
[[nodiscard]] std::vector<std::int64_t> rows_without_words(const NBest& nbest);

}  // namespace hopefear
