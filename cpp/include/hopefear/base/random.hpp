// A small random number generator whose stream is the same on every platform, unlike the
// distributions of the standard library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "hopefear/base/hash.hpp"

namespace hopefear {

// splitmix64: a counter and a finalizer. Streams of different seeds are independent, so each
// sentence or restart gets its own and the result does not depend on the number of threads.
class Random {
  public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
        : state_(hash_combine(seed, stream)) {}

    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
    // Uniform in [0, 1), all 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // Uniform in {0, ..., n - 1}, unbiased; n > 0. The high word of next() * n; the few low words
    // that would favour some results are drawn again (Lemire 2019).
    std::uint64_t below(std::uint64_t n) {
        __extension__ typedef unsigned __int128 Wide;
        Wide product = static_cast<Wide>(next()) * n;
        if (static_cast<std::uint64_t>(product) < n) {
            const std::uint64_t biased = -n % n;
            while (static_cast<std::uint64_t>(product) < biased)
                product = static_cast<Wide>(next()) * n;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }
    // Two such numbers from one draw; n < 2^32.
    std::pair<std::uint64_t, std::uint64_t> two_below(std::uint64_t n) {
        while (true) {
            const std::uint64_t bits = next();
            const std::uint64_t a = (bits >> 32) * n;
            const std::uint64_t b = (bits & 0xffffffffu) * n;
            const std::uint64_t low = std::min(a & 0xffffffffu, b & 0xffffffffu);
            if (low >= n || low >= (std::uint64_t{1} << 32) % n) return {a >> 32, b >> 32};
        }
    }

  private:
    std::uint64_t state_;
};

}  // namespace hopefear
