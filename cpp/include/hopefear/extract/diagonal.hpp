// Which words are likely to be aligned by where they are: those near the diagonal.
//
// Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2,
// section 2: δ(i | j, m, n) ∝ exp(-λ |i/n - j/m|), where word j of m is aligned to word i of n.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace hopefear {

// What the positions of one word may be aligned to.
class Diagonal {
  public:
    // λ is the tension.
    explicit Diagonal(double tension) : tension_(tension) {}

    // Set weights[i] to δ(i | j, m, n) and distances[i] to |i/n - j/m|, for all i from 0.
    void fill(std::size_t j, std::size_t m, std::span<double> weights,
              std::span<double> distances) const;
    // The mean of |i/n - j/m| under δ.
    [[nodiscard]] double mean_distance(std::size_t j, std::size_t m, std::size_t n,
                                       std::vector<double>& buffer) const;
    [[nodiscard]] double tension() const { return tension_; }

  private:
    double tension_;
};

// How many sentence pairs have m words on the side that is aligned, and n on the other.
using LengthCounts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

// Raise the likelihood by a few gradient steps for λ (section 3), given the mean distance of the
// links that are expected, and how many they are, as a share of all words.
[[nodiscard]] double better_tension(double tension, double mean_distance, double linked,
                                    const LengthCounts& lengths, std::size_t threads);

}  // namespace hopefear
