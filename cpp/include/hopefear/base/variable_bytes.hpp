// Numbers in as few bytes as they need: seven bits a byte, the lowest first; the high bit says that
// more follow.
#pragma once

#include <cstdint>

namespace hopefear {

// The number at `at`, which then points behind it.
[[nodiscard]] inline std::uint32_t read_number(const std::uint8_t*& at) {
    std::uint32_t number = *at & 0x7f;
    for (int shift = 7; *at++ & 0x80; shift += 7)
        number |= static_cast<std::uint32_t>(*at & 0x7f) << shift;
    return number;
}

template <class Bytes>
inline void write_number(std::uint32_t number, Bytes& out) {
    for (; number >= 0x80; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 0x80));
    out.push_back(static_cast<std::uint8_t>(number));
}

}  // namespace hopefear
