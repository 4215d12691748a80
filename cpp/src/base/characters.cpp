#include "hopefear/base/characters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hopefear {

namespace {

// The length of the character that `text` begins with; 0 if it is invalid: truncated, overlong, a
// surrogate, or beyond U+10FFFF.
[[nodiscard]] std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
        const unsigned high = first == 0xed ? 0x9f : 0xbf;
        return continues(1, low, high) && continues(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const unsigned low = first == 0xf0 ? 0x90 : 0x80;
        const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
        return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::uint64_t eight = 0;
        if (text.size() - at >= 8) {
            std::memcpy(&eight, text.data() + at, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                at += 8;
                continue;
            }
        }
        const std::size_t size = character_size(text.substr(at));
        if (size == 0) return at;
        at += size;
    }
    return at;
}

namespace {

// The first character of UTF-8 text if it has one or two bytes or is in Latin Extended Additional;
// otherwise 0.
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
