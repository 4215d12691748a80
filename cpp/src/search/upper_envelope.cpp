#include "hopefear/search/upper_envelope.hpp"

#include <algorithm>
#include <limits>

namespace hopefear {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Few candidates are sorted directly; so are those of deeply nested chords, which bounds the work
// for any input.
constexpr std::size_t few = 6;
constexpr int deepest = 40;

}  // namespace

void UpperEnvelope::find(std::span<const double> slopes, std::span<const double> intercepts) {
    slopes_ = slopes;
    intercepts_ = intercepts;
    lines_.clear();
    starts_.clear();
    std::size_t left = 0;
    std::size_t middle = 0;
    std::size_t right = 0;
    for (std::size_t i = 1; i < slopes.size(); ++i) {
        const double slope = slopes[i];
        const double intercept = intercepts[i];
        if (slope <= slopes[left] && (slope < slopes[left] || intercept > intercepts[left]))
            left = i;
        if (slope >= slopes[right] && (slope > slopes[right] || intercept > intercepts[right]))
            right = i;
        if (intercept > intercepts[middle]) middle = i;
    }
    at_zero_ = static_cast<Line>(middle);
    push(static_cast<Line>(left));
    add_around(
        static_cast<Line>(left), at_zero_, static_cast<Line>(right), slopes.size(),
        [](std::size_t i) { return static_cast<Line>(i); }, 0, 0);
    push(static_cast<Line>(right));
}

template <class Candidate>
void UpperEnvelope::add_around(Line a, Line on_hull, Line b, std::size_t count,
                               const Candidate& candidate, std::size_t room, int depth) {
    if (pool_.size() < room + 2 * count) pool_.resize(room + 2 * count);
    const double slope = slopes_[on_hull];
    const double intercept = intercepts_[on_hull];
    const double run[] = {slopes_[b] - slope, slope - slopes_[a]};
    const double rise[] = {intercepts_[b] - intercept, intercept - intercepts_[a]};
    // Lines to the left of the hull line go to `room`, those to the right `count` further on.
    Line* const to_left = pool_.data() + room;
    Line* const to_right = to_left + count;
    std::size_t lefts = 0;
    std::size_t rights = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Line line = candidate(i);
        const double aside = slopes_[line] - slope;
        const bool left = aside < 0.0;
        const bool above = (intercepts_[line] - intercept) * run[left] > rise[left] * aside;
        to_left[lefts] = line;
        to_right[rights] = line;
        lefts += above && left;
        rights += above && !left;
    }
    const std::size_t free = room + 2 * count;
    add_between(a, on_hull, {room, room + lefts, free}, depth + 1);
    push(on_hull);
    add_between(on_hull, b, {room + count, room + count + rights, free}, depth + 1);
}

void UpperEnvelope::add_between(Line a, Line b, const Candidates& above, int depth) {
    const std::size_t count = above.end - above.begin;
    if (count <= few || depth == deepest) {
        sort(above);
        for (std::size_t i = above.begin; i < above.end; ++i) push(pool_[i]);
        return;
    }
    const double run = slopes_[b] - slopes_[a];
    const double rise = intercepts_[b] - intercepts_[a];
    Line farthest = pool_[above.begin];
    double distance = -infinity;
    for (std::size_t i = above.begin; i < above.end; ++i) {
        const Line line = pool_[i];
        const double height =
            (intercepts_[line] - intercepts_[a]) * run - rise * (slopes_[line] - slopes_[a]);
        if (height <= distance) continue;
        distance = height;
        farthest = line;
    }
    add_around(
        a, farthest, b, count, [&](std::size_t i) { return pool_[above.begin + i]; }, above.room,
        depth);
}

void UpperEnvelope::sort(const Candidates& candidates) {
    Line* const begin = pool_.data() + candidates.begin;
    std::sort(begin, pool_.data() + candidates.end, [&](Line a, Line b) {
        if (slopes_[a] != slopes_[b]) return slopes_[a] < slopes_[b];
        if (intercepts_[a] != intercepts_[b]) return intercepts_[a] > intercepts_[b];
        return a < b;
    });
}

void UpperEnvelope::push(Line line) {
    double start = -infinity;
    for (; !lines_.empty(); lines_.pop_back(), starts_.pop_back()) {
        const Line last = lines_.back();
        const double steeper = slopes_[line] - slopes_[last];
        const double lower = intercepts_[last] - intercepts_[line];
        if (steeper > 0.0) {
            start = lower / steeper;
            if (start > starts_.back()) break;
            start = -infinity;
        } else if (lower >= 0.0) {
            return;
        }
    }
    if (start == infinity) return;  // so nearly parallel that the lines never cross
    lines_.push_back(line);
    starts_.push_back(start);
}

}  // namespace hopefear
