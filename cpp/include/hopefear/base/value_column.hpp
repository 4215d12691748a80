// A column of numbers stored exactly in as few bytes as they need.
#pragma once

#include <span>
#include <vector>

#include "hopefear/base/byte_stream.hpp"

namespace hopefear {

// Numbers that were written in decimal (-1.23456) are stored as digits and a power of ten, those
// that come from single precision in 4 bytes, all others in 8; the shortest way for the column is
// taken. Where values repeat, the different ones are stored, and their numbers. What is read is bit
// for bit what was written.
void write_values(ByteWriter& out, std::span<const double> values);

// `count` values. Throws FormatError if the bytes cannot have been written by `write_values`.
[[nodiscard]] std::vector<double> read_values(ByteReader& in, std::size_t count);

}  // namespace hopefear
