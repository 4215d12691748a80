// What a metric counted for each hypothesis, in as few bytes as the numbers need.
//
// Most statistics are small counts: one byte each in place of eight. Rows are stored in runs, and
// all numbers of a run in the narrowest type that holds every one of them bit for bit, be it that
// of a double.
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
    // Rows of `dimension` numbers, none so far; in a file in `directory` if that is given.
    explicit RowStatistics(std::size_t dimension, const std::string& directory = "");

    // Add whole rows. All of them can be read when `finish` has been called.
    void append(std::span<const double> rows);
    void finish();

    [[nodiscard]] std::size_t dimension() const { return dimension_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    // The rows [begin, end), one after the other, as they were.
    void read(std::size_t begin, std::size_t end, std::span<double> out) const;
    void read(std::size_t row, std::span<double> out) const { read(row, row + 1, out); }
    [[nodiscard]] std::vector<double> read(std::size_t begin, std::size_t end) const;

    // Give back the memory of the rows [begin, end) if they are in a file.
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
    std::vector<double> waiting_;  // rows of a run that is not full yet
};

}  // namespace hopefear
