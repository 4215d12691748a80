// Semirings, over which inside and outside values are computed.
//
// Goodman (1999), Semiring parsing. Li & Eisner (2009), First- and second-order expectation
// semirings. A semiring is a value with zero, one, plus and times: plus joins alternative
// derivations, times joins the parts of one derivation. Both are commutative and associative, times
// distributes over plus, and zero is the value of the impossible.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>

#include "hopefear/base/error.hpp"
#include "hopefear/base/natural.hpp"

namespace hopefear {

template <class S>
concept Semiring = requires(const S s, const typename S::Value a, const typename S::Value b) {
    { s.zero() } -> std::same_as<typename S::Value>;
    { s.one() } -> std::same_as<typename S::Value>;
    { s.plus(a, b) } -> std::same_as<typename S::Value>;
    { s.times(a, b) } -> std::same_as<typename S::Value>;
};

// A semiring that sums many values faster than one by one.
template <class S>
concept SummingSemiring =
    Semiring<S> && requires(const S s, std::span<const typename S::Value> values) {
        { s.sum(values) } -> std::same_as<typename S::Value>;
    };

inline constexpr double impossible = -std::numeric_limits<double>::infinity();

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_overflow() {
    fail<ForestError>(
        "the score of a derivation is too large for a double; scale the weights down");
}

// The score of two parts together. Minus infinity (impossible) stays minus infinity; a sum of
// finite scores that overflows is an error.
[[nodiscard]] inline double add_scores(double a, double b) {
    const double sum = a + b;
    if (std::isinf(sum) && a != impossible && b != impossible) [[unlikely]]
        fail_overflow();
    return sum;
}

// ({false, true}, or, and): is there a derivation?
struct BooleanSemiring {
    using Value = bool;
    [[nodiscard]] bool zero() const { return false; }
    [[nodiscard]] bool one() const { return true; }
    [[nodiscard]] bool plus(bool a, bool b) const { return a || b; }
    [[nodiscard]] bool times(bool a, bool b) const { return a && b; }
};

// (ℕ, +, ×): how many derivations are there?
struct CountSemiring {
    using Value = Natural;
    [[nodiscard]] Natural zero() const { return 0; }
    [[nodiscard]] Natural one() const { return 1; }
    [[nodiscard]] Natural plus(const Natural& a, const Natural& b) const { return a + b; }
    [[nodiscard]] Natural times(const Natural& a, const Natural& b) const { return a * b; }
};

// (ℝ ∪ {-∞}, max, +): the best score.
struct ViterbiSemiring {
    using Value = double;
    [[nodiscard]] double zero() const { return impossible; }
    [[nodiscard]] double one() const { return 0.0; }
    [[nodiscard]] double plus(double a, double b) const { return std::max(a, b); }
    [[nodiscard]] double times(double a, double b) const { return add_scores(a, b); }
};

// (ℝ ∪ {-∞}, log(eᵃ + eᵇ), +): the logarithm of the sum of all exp(score).
//
// It is kept in two parts: the best score, and the logarithm of how much there is in relation to
// it. In one number the second would vanish beside scores of 10²⁰, and with it what makes one node
// of many derivations more probable than another of few.
struct LogSemiring {
    struct Value {
        double best;
        double more = 0.0;
        [[nodiscard]] double log() const { return best + more; }
        friend bool operator==(const Value&, const Value&) = default;
    };
    [[nodiscard]] Value zero() const { return {impossible}; }
    [[nodiscard]] Value one() const { return {0.0}; }
    [[nodiscard]] Value plus(Value a, Value b) const {
        const Value both[] = {a, b};
        return sum(both);
    }
    [[nodiscard]] Value times(Value a, Value b) const {
        const double best = add_scores(a.best, b.best);
        return {best, best == impossible ? 0.0 : a.more + b.more};
    }
    [[nodiscard]] Value sum(std::span<const Value> values) const {
        if (values.size() == 1) return values[0];
        return sum_each(values, [](double) {});
    }
    // The same, and the share of each value in the sum; all shares of an impossible sum are 0.
    [[nodiscard]] Value sum(std::span<const Value> values, std::span<double> shares) const {
        std::ranges::fill(shares, 0.0);
        double total = 0.0;
        std::size_t i = 0;
        const Value all = sum_each(values, [&](double part) {
            shares[i++] = part;
            total += part;
        });
        if (total > 0.0)
            for (double& share : shares) share /= total;
        return all;
    }

  private:
    // One exponential each, which goes to part(x), and one logarithm.
    template <class Part>
    [[nodiscard]] Value sum_each(std::span<const Value> values, const Part& part) const {
        double best = impossible;
        for (const Value& value : values) best = std::max(best, value.best);
        if (best == impossible) return zero();
        double high = impossible;
        for (const Value& value : values) high = std::max(high, relative(value, best));
        double total = 0.0;
        for (const Value& value : values) {
            const double x = std::exp(relative(value, best) - high);
            part(x);
            total += x;
        }
        return {best, high + std::log(total)};
    }
    // The logarithm of `value` in relation to exp(best).
    [[nodiscard]] static double relative(const Value& value, double best) {
        return (value.best - best) + value.more;
    }
};

// (ℝ≥0, +, ×): probabilities.
struct RealSemiring {
    using Value = double;
    [[nodiscard]] double zero() const { return 0.0; }
    [[nodiscard]] double one() const { return 1.0; }
    [[nodiscard]] double plus(double a, double b) const { return a + b; }
    [[nodiscard]] double times(double a, double b) const { return a * b; }
};

// Pairs of a probability p and r = p times the expectation of something that adds up along a
// derivation: (p₁ + p₂, r₁ + r₂) and (p₁p₂, p₁r₂ + p₂r₁).
struct ExpectationSemiring {
    struct Value {
        double p;
        double r;
        friend bool operator==(const Value&, const Value&) = default;
    };
    [[nodiscard]] Value zero() const { return {0.0, 0.0}; }
    [[nodiscard]] Value one() const { return {1.0, 0.0}; }
    [[nodiscard]] Value plus(Value a, Value b) const { return {a.p + b.p, a.r + b.r}; }
    [[nodiscard]] Value times(Value a, Value b) const { return {a.p * b.p, a.p * b.r + a.r * b.p}; }
};

}  // namespace hopefear
