// Where the rows of a ragged array begin, in about four bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "hopefear/base/error.hpp"
#include "hopefear/base/growing_array.hpp"

namespace hopefear {

// Offsets that do not decrease: each is the first one of its run plus 32 bits.
class RunOffsets {
  public:
    [[nodiscard]] std::size_t size() const { return offset_.size(); }
    [[nodiscard]] std::uint64_t operator[](std::size_t row) const {
        return bases_[row / run] + offset_[row];
    }

    // Make room for the offset of the next row: what can fail fails here.
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

    // The bases stay in memory: they are few.
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

}  // namespace hopefear
