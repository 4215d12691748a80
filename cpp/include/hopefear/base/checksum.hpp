// A checksum as fast as memory. It detects damage, not tampering.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "hopefear/base/hash.hpp"

namespace hopefear {

// Takes bytes in pieces; the value depends only on their sequence. Four independent lanes keep the
// processor busy.
class Checksum {
  public:
    void add(std::span<const std::uint8_t> bytes) {
        if (bytes.empty()) return;  // whose address may be null, which memcpy does not allow
        length_ += bytes.size();
        if (pending_ > 0) {
            const std::size_t count = std::min(bytes.size(), stripe - pending_);
            std::memcpy(buffer_.data() + pending_, bytes.data(), count);
            pending_ += count;
            bytes = bytes.subspan(count);
            if (pending_ < stripe) return;
            absorb(buffer_.data());
            pending_ = 0;
        }
        for (; bytes.size() >= stripe; bytes = bytes.subspan(stripe)) absorb(bytes.data());
        if (!bytes.empty()) std::memcpy(buffer_.data(), bytes.data(), bytes.size());
        pending_ = bytes.size();
    }

    // The bytes of an array, preceded by its length, so that the ends of arrays matter.
    template <class T>
    void add_numbers(std::span<const T> numbers) {
        const std::uint64_t size = numbers.size();
        add({reinterpret_cast<const std::uint8_t*>(&size), sizeof size});
        add({reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size_bytes()});
    }

    [[nodiscard]] std::uint64_t value() const {
        std::uint64_t hash = length_;
        for (const std::uint64_t lane : lanes_) hash = hash_combine(hash, lane);
        return hash_combine(hash,
                            hash_bytes({reinterpret_cast<const char*>(buffer_.data()), pending_}));
    }

    [[nodiscard]] static std::uint64_t of(std::span<const std::uint8_t> bytes) {
        Checksum checksum;
        checksum.add(bytes);
        return checksum.value();
    }

  private:
    static constexpr std::size_t stripe = 32;

    void absorb(const std::uint8_t* bytes) {
        std::array<std::uint64_t, 4> words;
        std::memcpy(words.data(), bytes, stripe);
        // Each step is invertible, so two stripes that differ in one lane never give the same lane.
        for (std::size_t i = 0; i < 4; ++i)
            lanes_[i] = std::rotl(lanes_[i] ^ words[i], 31) * 0x9e3779b97f4a7c15u;
    }

    std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
    std::array<std::uint8_t, stripe> buffer_{};
    std::size_t pending_ = 0;
    std::uint64_t length_ = 0;
};

}  // namespace hopefear
