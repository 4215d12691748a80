// The upper envelope of a forest along a direction: which derivation is best at which step.
//
// Macherey et al. (2008), Lattice-based minimum error rate training; Kumar et al. (2009) for
// hypergraphs; Dyer et al. (2010) as a semiring. The score of a derivation at w + γ d is a line in
// γ: intercept + γ slope. Of all lines, those are kept that are highest somewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// A derivation, or part of one, as a tree whose leaves are edges. Derivations share subtrees; none
// is ever copied.
class DerivationPool {
  public:
    using Id = std::int32_t;
    static constexpr Id empty = -1;

    Id add(EdgeId edge) { return push({~edge, empty}); }
    // `first`, then `second`.
    Id join(Id first, Id second);
    // The edges from left to right.
    [[nodiscard]] Derivation edges(Id id) const;
    [[nodiscard]] std::size_t size() const { return parts_.size(); }

  private:
    struct Part {
        Id first;  // ~edge of a leaf
        Id second;
    };
    Id push(Part part);

    std::vector<Part> parts_;
};

struct Line {
    double slope;
    double intercept;
    double from;  // where it becomes the highest line
    DerivationPool::Id derivation;
};

// (upper envelopes, envelope of the union, Minkowski sum). Lines are in the order of their slopes,
// which is that of `from`; the first is the highest from minus infinity on. Of lines that are equal
// the first one stays.
class EnvelopeSemiring {
  public:
    using Value = std::vector<Line>;

    explicit EnvelopeSemiring(DerivationPool& pool) : pool_(&pool) {}
    [[nodiscard]] Value zero() const { return {}; }
    [[nodiscard]] Value one() const;
    [[nodiscard]] Value plus(const Value& a, const Value& b) const;
    [[nodiscard]] Value times(const Value& a, const Value& b) const;
    [[nodiscard]] Value sum(std::span<const Value> values) const;

  private:
    DerivationPool* pool_;
};

// The envelope of all derivations of a forest. An edge has the score intercepts[e] + γ slopes[e];
// an intercept of minus infinity makes it impossible. Throws ForestError if nothing is possible.
class Envelope {
  public:
    Envelope(const Forest& forest, std::span<const double> intercepts,
             std::span<const double> slopes);

    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
    [[nodiscard]] std::vector<double> slopes() const { return column(&Line::slope); }
    [[nodiscard]] std::vector<double> intercepts() const { return column(&Line::intercept); }
    [[nodiscard]] std::vector<double> breakpoints() const { return column(&Line::from); }
    // The derivation whose line is number `line`.
    [[nodiscard]] Derivation derivation(std::size_t line) const;

  private:
    [[nodiscard]] std::vector<double> column(double Line::* member) const;

    DerivationPool pool_;
    std::vector<Line> lines_;
};

}  // namespace hopefear
