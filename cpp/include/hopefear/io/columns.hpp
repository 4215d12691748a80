// Sequential writing and reading of bytes; reading never goes beyond the end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/error.hpp"

namespace hopefear {

static_assert(std::endian::native == std::endian::little, "stored numbers are little-endian");

// Maps small signed numbers to small unsigned ones: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t code) {
    return static_cast<std::int64_t>(code >> 1) ^ -static_cast<std::int64_t>(code & 1);
}

class ByteWriter {
  public:
    void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
    // Seven bits a byte, the lowest first.
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
        byte(static_cast<std::uint8_t>(value));
    }
    void append(const ByteWriter& other) { bytes_ += other.bytes_; }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

class ByteReader {
  public:
    explicit ByteReader(std::span<const char> bytes)
        : at_(bytes.data()), end_(at_ + bytes.size()) {}

    std::uint8_t byte() {
        if (at_ == end_) fail_end();
        return static_cast<std::uint8_t>(*at_++);
    }
    std::uint64_t varint() {
        std::uint64_t value = byte();
        if (value < 0x80) return value;
        value &= 0x7f;
        for (int shift = 7; shift < 64; shift += 7) {
            const std::uint64_t next = byte();
            value |= (next & 0x7f) << shift;
            if (next < 0x80) return value;
        }
        fail<FormatError>("a stored number has more than 64 bits");
    }
    // Read a varint that must be below `limit`.
    std::uint64_t below(std::uint64_t limit, const char* what) {
        const std::uint64_t value = varint();
        if (value >= limit) fail<FormatError>(what, " is ", value, "; it must be below ", limit);
        return value;
    }
    // Read a number of items of at least one byte each: never more than there are bytes, so that
    // memory for them can be reserved safely.
    std::size_t count(const char* what) {
        const std::uint64_t value = varint();
        if (value > remaining())
            fail<FormatError>("found ", value, " ", what, ", but only ", remaining(),
                              " bytes are left");
        return value;
    }
    [[nodiscard]] std::size_t remaining() const { return end_ - at_; }
    // The next `size` bytes.
    std::span<const char> take(std::size_t size) {
        if (size > remaining()) fail_end();
        at_ += size;
        return {at_ - size, size};
    }

  private:
    [[noreturn]] static void fail_end() { fail<FormatError>("the stored data ends too early"); }

    const char* at_;
    const char* end_;
};

// A column of numbers, stored exactly in as few bytes as possible.

// Decimal numbers such as -1.23456 are stored as digits and a power of ten, numbers of single
// precision in 4 bytes, all others in 8, whichever is shortest for the column. Repeated values are
// stored once, with indices. Reading gives back the same bits.
void write_values(ByteWriter& out, std::span<const double> values);

// `count` values. Throws FormatError if the bytes cannot have been written by `write_values`.
[[nodiscard]] std::vector<double> read_values(ByteReader& in, std::size_t count);

}  // namespace hopefear
