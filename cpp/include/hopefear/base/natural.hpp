// Natural numbers of any size, for counting derivations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hopefear {

// A number below 2^64 needs no allocation. Numbers of more than `max_bits` bits are rejected with
// ForestError: a small hypergraph can have more derivations than fit into memory as a number.
class Natural {
  public:
    static constexpr std::size_t max_bits = std::size_t{1} << 20;

    Natural(std::uint64_t value = 0) : low_(value) {}
    // From hexadecimal digits, without prefix.
    static Natural from_hex(std::string_view digits);
    [[nodiscard]] std::string hex() const;

    friend Natural operator+(const Natural& a, const Natural& b);
    friend Natural operator*(const Natural& a, const Natural& b);
    friend bool operator==(const Natural& a, const Natural& b) = default;

  private:
    [[nodiscard]] std::size_t size() const { return high_.size() + 1; }
    [[nodiscard]] std::uint64_t limb(std::size_t i) const { return i == 0 ? low_ : high_[i - 1]; }
    static Natural from_limbs(std::vector<std::uint64_t>&& limbs);

    std::uint64_t low_;
    std::vector<std::uint64_t> high_;  // least significant first; the last one is not 0
};

}  // namespace hopefear
