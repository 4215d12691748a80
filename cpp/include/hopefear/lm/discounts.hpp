// How much is taken from counts of 1, 2, and 3 or more (Chen and Goodman, 1998, An empirical study
// of smoothing techniques for language modeling, equation 26).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hopefear::kneser_ney {

// D₁, D₂, D₃₊ of one order.
class Discounts {
  public:
    Discounts() = default;
    explicit Discounts(const std::array<double, 3>& values)
        : values_{0, values[0], values[1], values[2]} {}

    [[nodiscard]] double of(std::uint64_t count) const { return values_[count < 3 ? count : 3]; }

  private:
    std::array<double, 4> values_{};
};

// nᵢ: how many n-grams of one order have the adjusted count i; above 4 they do not matter.
class CountsOfCounts {
  public:
    void add(std::uint64_t count) {
        if (count < n_.size()) ++n_[count];
    }
    [[nodiscard]] std::uint64_t of(std::size_t count) const { return n_[count]; }

  private:
    std::array<std::uint64_t, 5> n_{};
};

// The discounts of `order`. Where they cannot be estimated, because some nᵢ is 0 or a discount
// comes out of range, `fallback` is used; without one it is an error.
[[nodiscard]] Discounts estimate_discounts(std::size_t order, const CountsOfCounts& n,
                                           const std::optional<std::array<double, 3>>& fallback);

}  // namespace hopefear::kneser_ney
