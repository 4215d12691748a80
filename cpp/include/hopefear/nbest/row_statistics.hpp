// The statistics of each hypothesis, in as few bytes as the numbers need.
//
// Most statistics are small counts that fit into one byte instead of eight. Rows are stored in
// runs; each run uses the narrowest type that represents all of its numbers exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/growing_array.hpp"

namespace hopefear {

class RowStatistics {
  public:
    // No rows yet, of `dimension` numbers each; stored in a file in `directory` if that is given.
    explicit RowStatistics(std::size_t dimension, const std::string& directory = "");

    // Add whole rows. They can be read after `finish`.
    void append(std::span<const double> rows);
    void finish();

    [[nodiscard]] std::size_t dimension() const { return dimension_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    // The rows [begin, end), one after the other.
    void read(std::size_t begin, std::size_t end, std::span<double> out) const;
    void read(std::size_t row, std::span<double> out) const { read(row, row + 1, out); }
    [[nodiscard]] std::vector<double> read(std::size_t begin, std::size_t end) const;

    // Release the memory of the rows [begin, end) if they lie in a file.
    void release(std::size_t begin, std::size_t end) const;
    [[nodiscard]] std::size_t bytes() const { return bytes_.bytes() + runs_.bytes(); }

  private:
    static constexpr std::size_t run = 64;
    // Where a run begins, in units of 8 bytes, and its type.
    struct Run {
        std::uint64_t begin : 56;
        std::uint64_t type : 8;
    };
    void write_run();

    std::size_t dimension_;
    std::size_t size_ = 0;
    GrowingArray<std::uint8_t> bytes_;
    GrowingArray<Run> runs_;
    std::vector<double> waiting_;  // rows of the incomplete last run
};

}  // namespace hopefear
