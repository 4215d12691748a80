// What is odd about n-best lists, before anything is learned from them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// Of each feature, in how many hypotheses and in how many lists it is written (a value of zero
// counts), and how many hypotheses those lists have.
struct FeatureCounts {
    std::vector<std::int64_t> hypotheses;
    std::vector<std::int64_t> lists;
    std::vector<std::int64_t> hypotheses_of_lists;
};

// Of the first `features` features, which must be all that occur.
[[nodiscard]] FeatureCounts count_features(const NBest& nbest, std::size_t features);

// A feature of a hypothesis.
struct FeatureValue {
    std::int64_t row;
    FeatureId feature;
    double value;
};

// The first value that is larger than `bound` in size, if there is one.
[[nodiscard]] std::optional<FeatureValue> find_value_above(const NBest& nbest, double bound);

// A number that is another one, nearly always, if a list, a feature or a statistic is different.
// Words do not count but by their statistics.
[[nodiscard]] std::uint64_t checksum(const NBest& nbest);

// The hypotheses whose text is empty.
[[nodiscard]] std::vector<std::int64_t> rows_without_words(const NBest& nbest);

}  // namespace hopefear
