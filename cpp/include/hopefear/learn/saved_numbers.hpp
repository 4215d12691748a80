// Several arrays in one, for saved states: each array is preceded by its length.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/base/error.hpp"

namespace hopefear {

class SavedNumbers {
  public:
    void add(std::span<const double> values) {
        numbers_.push_back(static_cast<double>(values.size()));
        numbers_.insert(numbers_.end(), values.begin(), values.end());
    }
    void add(double value) { add(std::span(&value, 1)); }
    [[nodiscard]] std::vector<double> take() && { return std::move(numbers_); }

  private:
    std::vector<double> numbers_;
};

// Reads saved arrays in the order of writing. Throws DataError if the data are invalid.
class SavedReader {
  public:
    explicit SavedReader(std::span<const double> numbers) : left_(numbers) {}

    [[nodiscard]] std::span<const double> array() {
        if (left_.empty()) fail<DataError>("saved numbers end too early");
        // Check before converting: the data may be anything.
        const double size = left_[0];
        if (!(size >= 0.0 && size <= static_cast<double>(left_.size() - 1)))
            fail<DataError>("saved numbers: an array of length ", size, ", but ", left_.size() - 1,
                            " numbers are left");
        const auto values = left_.subspan(1, static_cast<std::size_t>(size));
        left_ = left_.subspan(1 + values.size());
        return values;
    }
    [[nodiscard]] double number() {
        const auto values = array();
        if (values.size() != 1)
            fail<DataError>("saved numbers: one expected, found ", values.size());
        return values[0];
    }
    void finish() const {
        if (!left_.empty()) fail<DataError>("saved numbers: ", left_.size(), " are left over");
    }

  private:
    std::span<const double> left_;
};

}  // namespace hopefear
