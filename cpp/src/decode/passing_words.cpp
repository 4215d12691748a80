#include "hopefear/decode/passing_words.hpp"

#include <algorithm>
#include <cstdint>

namespace hopefear {

namespace {

// The first character of UTF-8 text, if it takes one or two bytes or is of Latin Extended
// Additional; otherwise 0.
std::uint32_t first_character(std::string_view word) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return i < word.size() ? static_cast<unsigned char>(word[i]) : 0;
    };
    if (byte(0) < 0x80) return byte(0);
    if ((byte(0) & 0xe0) == 0xc0) return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    if (byte(0) == 0xe1) return 0x1000 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    return 0;
}

bool is_capital(std::uint32_t c) {
    const auto within = [c](std::uint32_t first, std::uint32_t last) {
        return first <= c && c <= last;
    };
    if (within('A', 'Z')) return true;
    if (within(0xc0, 0xde)) return c != 0xd7;                             // Latin-1, without ×
    if (within(0x139, 0x148) || within(0x179, 0x17e)) return c % 2 == 1;  // Latin Extended-A
    if (within(0x100, 0x177) && c != 0x138 && c != 0x149) return c == 0x178 || c % 2 == 0;
    if (c == 0x178) return true;
    if (within(0x388, 0x38f) || c == 0x386 || within(0x391, 0x3ab)) return true;  // Greek
    if (within(0x400, 0x42f)) return true;                                        // Cyrillic
    if (within(0x460, 0x481) || within(0x48a, 0x4bf) || within(0x4d0, 0x52f)) return c % 2 == 0;
    return within(0x1e00, 0x1eff) && c % 2 == 0 && !within(0x1e96, 0x1e9d);
}

}  // namespace

bool is_number(std::string_view word) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto allowed = [&](char c) { return digit(c) || (c > 0 && c < 'A' && c != ' '); };
    return std::ranges::any_of(word, digit) && std::ranges::all_of(word, allowed);
}

bool is_name(std::string_view word) {
    return is_capital(first_character(word));
}

}  // namespace hopefear
