#include "hopefear/search/envelope_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

// Lines that cross beyond this step count as parallel.
constexpr double farthest = 1e100;
// Trying so many known derivations takes less than a pass over most forests.
constexpr std::size_t most_known = 96;

double value(const EnvelopeSearch::Line& line, double origin, double step) {
    return origin * line.intercept + step * line.slope;
}

// Whether a score is higher than a line by more than sums of edges in another order would be.
bool is_higher(double score, const EnvelopeSearch::Line& line, double origin, double step) {
    const double size = std::abs(origin * line.intercept) + std::abs(step * line.slope);
    return score > value(line, origin, step) + 2e-12 * size;
}

double crossing(const EnvelopeSearch::Line& flat, const EnvelopeSearch::Line& steep) {
    return (flat.intercept - steep.intercept) / (steep.slope - flat.slope);
}

// The sum of absolute values, in four sums that do not wait for each other.
double sum_of_sizes(std::span<const double> values) {
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + sums.size() <= values.size(); i += sums.size())
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += std::abs(values[i + k]);
    for (; i < values.size(); ++i) sums[0] += std::abs(values[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void KnownDerivations::drop_last() {
    edges_.drop_last();
    words_.drop_last();
    string_.pop_back();
    last_use_.pop_back();
}

void KnownDerivations::keep(std::size_t most) {
    if (size() <= most) return;
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [this](std::uint32_t i) { return last_use_[i]; });
    KnownDerivations kept;
    kept.searches_ = searches_;
    for (const std::uint32_t i : std::span(order).first(most / 2)) {
        kept.edges_.add(edges_[i]);
        kept.words_.add(words_[i]);
        kept.string_.push_back(string_[i]);
        kept.last_use_.push_back(last_use_[i]);
    }
    *this = std::move(kept);
}

const std::vector<EnvelopeSearch::Line>& EnvelopeSearch::find(const Forest& forest,
                                                              const TailPairs& tails,
                                                              std::span<const double> scores,
                                                              std::span<const double> slopes,
                                                              KnownDerivations& known) {
    forest_ = &forest;
    tails_ = &tails;
    scores_ = scores;
    slopes_ = slopes;
    known_ = &known;
    known.keep(most_known);
    known.begin_search();
    lines_.clear();
    seen_.clear();
    count_ = 0;
    for (std::size_t i = 0; i < known.size(); ++i) add_line(i);
    if (!lines_.empty()) keep_highest();
    look_around();
    while (look_at_crossings()) {
    }
    for (const Line& line : lines_) known.use(line.derivation);
    return lines_;
}

// Begin far out on both sides, where known lines cross, and at points in between. Any points would
// do; at these, slopes begin to matter.
void EnvelopeSearch::look_around() {
    const double scores = sum_of_sizes(scores_);
    const double slopes = sum_of_sizes(slopes_);
    const double unit =
        scores > 0.0 && slopes > 0.0 ? std::clamp(scores / slopes, 1.0 / farthest, farthest) : 1.0;
    used_ = 0;
    look_at({0.0, -1.0});
    look_at({0.0, 1.0});
    add_crossings(lanes - 1);
    for (const double step : {0.1, -0.1, 0.5, -0.5, 2.0, -2.0}) look_at({1.0, step * unit});
    search();
}

// Look where neighbouring lines cross; false if the envelope is complete.
bool EnvelopeSearch::look_at_crossings() {
    used_ = 0;
    add_crossings(lanes);
    if (used_ == 0) return false;
    search();
    return true;
}

void EnvelopeSearch::look_at(Point point, std::size_t left) {
    if (used_ == lanes) return;
    points_[used_] = point;
    left_[used_++] = left;
}

void EnvelopeSearch::add_crossings(std::size_t most) {
    for (std::size_t i = 0; i + 1 < lines_.size() && used_ < most; ++i)
        if (lines_[i].settled != lines_[i + 1].number)
            look_at({1.0, crossing(lines_[i], lines_[i + 1])}, i);
}

// Find the best derivations at the points, and take their lines.
void EnvelopeSearch::search() {
    std::fill(points_.begin() + used_, points_.end(), points_[0]);
    std::array<double, lanes> origin;
    std::array<double, lanes> step;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        origin[lane] = points_[lane].origin;
        step[lane] = points_[lane].step;
    }
    Lanes<lanes> origins;
    Lanes<lanes> steps;
    origins.set(origin);
    steps.set(step);
    const auto value = [&](EdgeId edge, Lanes<lanes>& sum) HOPEFEAR_INLINE {
        const double score = scores_[edge];
        const double slope = slopes_[edge];
        for (std::size_t i = 0; i < sum.parts.size(); ++i)
            sum.parts[i] = origins.parts[i] * score + steps.parts[i] * slope;
    };
    const auto edge_begin = forest_->edge_begin();
    with_wide_vectors([&]() HOPEFEAR_INLINE { best_.find(edge_begin, *tails_, value); });

    const std::size_t before = lines_.size();
    for (std::size_t lane = 0; lane < used_; ++lane) {
        const Point& at = points_[lane];
        // Most crossings are part of the envelope: then the derivation need not be read.
        if (is_above(best_.score(lane), at, before)) {
            read_derivation(
                forest_->root(), *tails_,
                [&](NodeId node) {
                    return best_.edge(
                        edge_begin, *tails_,
                        [&](EdgeId edge) {
                            return at.origin * scores_[edge] + at.step * slopes_[edge];
                        },
                        node, lane);
                },
                [&](EdgeId edge) { return forest_->target(edge); }, text_);
            known_->add(text_);
            add_line(known_->size() - 1);
            const Line& found = lines_.back();
            // Nor is a line new that was found before and dropped: rounding could make it return
            // forever.
            const std::pair line(found.slope, found.intercept);
            if (is_above(hopefear::value(found, at.origin, at.step), at, before) &&
                std::ranges::find(seen_, line) == seen_.end()) {
                seen_.push_back(line);
                continue;
            }
            lines_.pop_back();
            known_->drop_last();
        }
        if (left_[lane] != none) lines_[left_[lane]].settled = lines_[left_[lane] + 1].number;
    }
    if (lines_.size() > before) keep_highest();
}

// Whether a score is higher than the first `count` lines are at a point.
bool EnvelopeSearch::is_above(double score, const Point& at, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
        if (!is_higher(score, lines_[i], at.origin, at.step)) return false;
    return true;
}

void EnvelopeSearch::add_line(std::size_t derivation) {
    double slope = 0.0;
    double intercept = 0.0;
    for (const EdgeId edge : known_->edges(derivation)) {
        slope += slopes_[edge];
        intercept += scores_[edge];
    }
    // Numbers begin at 1: 0 means not settled with any line.
    lines_.push_back({slope, intercept, derivation, ++count_});
}

// Reduce the lines to their upper envelope; ties go to the line found first.
void EnvelopeSearch::keep_highest() {
    line_slopes_.clear();
    line_intercepts_.clear();
    for (const Line& line : lines_) {
        line_slopes_.push_back(line.slope);
        line_intercepts_.push_back(line.intercept);
    }
    envelope_.find(line_slopes_, line_intercepts_);
    const auto lines = envelope_.lines();
    const auto starts = envelope_.starts();
    highest_.clear();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool before = i + 1 < lines.size() && starts[i + 1] <= -farthest;
        const bool beyond = starts[i] > farthest;
        if (!before && !beyond) highest_.push_back(lines_[lines[i]]);
    }
    std::swap(lines_, highest_);
}

}  // namespace hopefear
