// Hashing of bytes and integers; the same values on every machine and in every run.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace hopefear {

// Scatter the bits of `x` (the finalizer of splitmix64).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Extend the hash `seed` by the integer `x`; the order of extensions matters.
[[nodiscard]] constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t x) {
    return mix(seed * 0x9e3779b97f4a7c15u + x + 0x632be59bd9b4e019u);
}

[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view text) {
    std::uint64_t hash = text.size();
    std::uint64_t word = 0;
    for (; text.size() >= 8; text.remove_prefix(8)) {
        std::memcpy(&word, text.data(), 8);
        hash = hash_combine(hash, word);
    }
    if (!text.empty()) {
        word = 0;
        std::memcpy(&word, text.data(), text.size());
        hash = hash_combine(hash, word);
    }
    return hash;
}

}  // namespace hopefear
