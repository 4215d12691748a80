// The alignment model of Dyer et al.: positions near the diagonal, and word pairs.
//
// Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2,
// section 2: δ(i | j, m, n) ∝ exp(-λ |i/n - j/m|), where word j of m is aligned to word i of n.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hopefear/base/hash.hpp"
#include "hopefear/base/vocabulary.hpp"

namespace hopefear {

// The distribution of the positions that a word is aligned to.
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

// How many sentence pairs have m words on the aligned side and n on the other.
using LengthCounts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

// Raise the likelihood by a few gradient steps for λ (section 3), given the mean distance of the
// expected links and their number as a share of all words.
[[nodiscard]] double better_tension(double tension, double mean_distance, double linked,
                                    const LengthCounts& lengths, std::size_t threads);

// Pairs of words that occur together in a bitext, with their probabilities in both directions.

// A sum to which many threads add. It counts in units of 2⁻³², so that it does not depend on the
// order: any number of threads gives the same result.
class ExpectedCount {
  public:
    void add(double amount) {
        units_.fetch_add(static_cast<std::uint64_t>(amount * unit + 0.5),
                         std::memory_order_relaxed);
    }
    [[nodiscard]] double value() const {
        return static_cast<double>(units_.load(std::memory_order_relaxed)) / unit;
    }
    void clear() { units_.store(0, std::memory_order_relaxed); }

    // The sum as a whole number, to add up what several processes have counted.
    [[nodiscard]] std::uint64_t units() const { return units_.load(std::memory_order_relaxed); }
    void add_units(std::uint64_t units) { units_.fetch_add(units, std::memory_order_relaxed); }

    ExpectedCount() = default;
    ExpectedCount(const ExpectedCount& other) : units_(other.units_.load()) {}
    ExpectedCount& operator=(const ExpectedCount& other) {
        units_.store(other.units_.load());
        return *this;
    }

  private:
    static constexpr double unit = 4294967296.0;
    std::atomic<std::uint64_t> units_{0};
};

struct WordPair {
    std::uint64_t key = free;
    ExpectedCount target_given_source_count;
    ExpectedCount source_given_target_count;
    float target_given_source = 1.0f;
    float source_given_target = 1.0f;

    static constexpr std::uint64_t free = ~std::uint64_t{0};
    [[nodiscard]] bool used() const { return key != free; }
    [[nodiscard]] std::size_t source() const { return key >> 32; }
    [[nodiscard]] std::size_t target() const { return key & 0xffffffffu; }
};

// Open addressing; at most two thirds of the slots are used.
class WordPairs {
  public:
    explicit WordPairs(std::size_t max_bytes)
        : max_slots_(std::max<std::size_t>(1024, max_bytes / sizeof(WordPair))) {}

    // Add a pair if it is new; false if the table is full.
    bool add(Vocabulary::Id source, Vocabulary::Id target) {
        if (3 * (used_ + 1) > 2 * slots_.size() && !grow()) return false;
        WordPair& pair = slots_[find(key_of(source, target))];
        if (!pair.used()) {
            pair.key = key_of(source, target);
            ++used_;
        }
        return true;
    }
    // The pair, or null if it is unknown.
    [[nodiscard]] WordPair* get(Vocabulary::Id source, Vocabulary::Id target) {
        WordPair& pair = slots_[find(key_of(source, target))];
        return pair.used() ? &pair : nullptr;
    }
    // Prefetch the slot of a pair.
    void prefetch(Vocabulary::Id source, Vocabulary::Id target) const {
        __builtin_prefetch(&slots_[mix(key_of(source, target)) & (slots_.size() - 1)]);
    }
    [[nodiscard]] std::vector<WordPair>& slots() { return slots_; }
    [[nodiscard]] std::size_t size() const { return used_; }

  private:
    static std::uint64_t key_of(Vocabulary::Id source, Vocabulary::Id target) {
        return static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(target);
    }
    [[nodiscard]] std::size_t find(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = mix(key) & mask;
        while (slots_[at].used() && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    bool grow() {
        // Both old and new slots exist while pairs are moved.
        if (3 * slots_.size() > max_slots_) return false;
        std::vector<WordPair> old(2 * slots_.size());
        old.swap(slots_);
        for (const WordPair& pair : old)
            if (pair.used()) slots_[find(pair.key)] = pair;
        return true;
    }

    std::size_t max_slots_;
    std::vector<WordPair> slots_ = std::vector<WordPair>(256);
    std::size_t used_ = 0;
};

}  // namespace hopefear
