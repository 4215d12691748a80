// The upper envelope of lines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hopefear {

// Finds those of many lines intercept + γ slope that are highest somewhere.
//
// Lines are dual to points (slope, intercept), and their upper envelope is dual to the upper hull
// of the points. The hull is found without sorting, from the points farthest from its chords:
// Barber et al. (1996), The quickhull algorithm for convex hulls. Most lines are discarded in the
// first pass.
class UpperEnvelope {
  public:
    // Needs at least one line and at most 2^32 - 1. All numbers must be finite.
    void find(std::span<const double> slopes, std::span<const double> intercepts);

    // The lines of the envelope by increasing slope; ties go to the first line.
    [[nodiscard]] std::span<const std::uint32_t> lines() const { return lines_; }
    // Where each of them becomes the highest; -infinity for the first.
    [[nodiscard]] std::span<const double> starts() const { return starts_; }
    // The highest line at γ = 0; ties go to the first line.
    [[nodiscard]] std::uint32_t at_zero() const { return at_zero_; }

  private:
    using Line = std::uint32_t;
    // Candidates, and free space for others: positions in pool_.
    struct Candidates {
        std::size_t begin;
        std::size_t end;
        std::size_t room;
    };

    // Add the part of the hull between a and b, given the lines above the chord from a to b.
    void add_between(Line a, Line b, const Candidates& above, int depth);
    // The same, given one line of the hull and `count` others, candidate(0), candidate(1), ...
    template <class Candidate>
    void add_around(Line a, Line on_hull, Line b, std::size_t count, const Candidate& candidate,
                    std::size_t room, int depth);
    void sort(const Candidates& candidates);
    // Add the next line by slope unless it is nowhere the highest; drop those that no longer are.
    void push(Line line);

    std::span<const double> slopes_;
    std::span<const double> intercepts_;
    std::vector<Line> lines_;
    std::vector<double> starts_;
    Line at_zero_ = 0;
    std::vector<Line> pool_;
};

}  // namespace hopefear
