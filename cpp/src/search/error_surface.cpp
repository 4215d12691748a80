#include "hopefear/search/error_surface.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"

namespace hopefear {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_lines(std::span<const double> numbers, std::size_t count, const char* what) {
    if (numbers.size() != count)
        fail<DataError>(numbers.size(), " ", what, "s for ", count, " lines");
    const auto at = std::ranges::find_if(numbers, [](double x) { return !std::isfinite(x); });
    if (at != numbers.end())
        fail<DataError>("the ", what, " of line ", at - numbers.begin(), " is ", *at,
                        "; it must be finite");
}

struct Lines {
    std::span<const std::int64_t> offsets;
    std::span<const double> slopes;
    std::span<const double> intercepts;
};

// read(line, out) gives the statistics of a line, which are counted over all sentences.
template <class Read>
ErrorSurface surface_of(const Lines& lines, std::size_t dimension, std::size_t threads,
                        const Read& read) {
    const std::size_t sentences = lines.offsets.size() - 1;
    // Blocks do not depend on the number of threads.
    constexpr std::size_t block = 64;
    // A single thread needs only one surface at a time.
    const bool alone = thread_count(threads) == 1;
    std::vector<ErrorSurface> pieces(alone ? 1 : (sentences + block - 1) / block,
                                     ErrorSurface(dimension));
    ErrorSurface surface(dimension);
    parallel_blocks(sentences, block, threads, [&](std::size_t begin, std::size_t end) {
        ErrorSurface& piece = pieces[alone ? 0 : begin / block];
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            const auto first = static_cast<std::size_t>(lines.offsets[sentence]);
            const std::size_t count = static_cast<std::size_t>(lines.offsets[sentence + 1]) - first;
            piece.add(lines.slopes.subspan(first, count), lines.intercepts.subspan(first, count),
                      [&](std::size_t line, std::span<double> out) { read(first + line, out); });
        }
        if (alone) surface.take(piece);
    });
    for (ErrorSurface& piece : pieces) surface.take(piece);
    surface.finish();
    return surface;
}

}  // namespace

std::vector<double> ErrorSurface::values(const std::vector<Sum>& sums) {
    std::vector<double> totals;
    totals.reserve(sums.size());
    for (const Sum& sum : sums) totals.push_back(sum.total());
    return totals;
}

void ErrorSurface::take(ErrorSurface& other) {
    for (std::size_t j = 0; j < dimension_; ++j) {
        leftmost_[j].add(other.leftmost_[j].value);
        leftmost_[j].lost += other.leftmost_[j].lost;
        at_zero_[j].add(other.at_zero_[j].value);
        at_zero_[j].lost += other.at_zero_[j].lost;
    }
    for (const auto& [step, difference] : other.breakpoints_)
        breakpoints_.push_back({step, differences_.size() + difference});
    differences_.insert(differences_.end(), other.differences_.begin(), other.differences_.end());
    ties_.insert(ties_.end(), other.ties_.begin(), other.ties_.end());
    std::ranges::fill(other.leftmost_, Sum());
    std::ranges::fill(other.at_zero_, Sum());
    other.breakpoints_.clear();
    other.differences_.clear();
    other.ties_.clear();
}

void ErrorSurface::finish() {
    std::ranges::stable_sort(breakpoints_, {}, &Breakpoint::step);
    std::ranges::sort(ties_);
}

bool ErrorSurface::has_tie(double step) const {
    return std::ranges::binary_search(breakpoints_, step, {}, &Breakpoint::step) ||
           std::ranges::binary_search(ties_, step);
}

ErrorSurface::Table ErrorSurface::table() const {
    Table table;
    for_each_interval([&](double, double right, std::span<const double> statistics) {
        if (right < infinity) table.breakpoints.push_back(right);
        table.statistics.insert(table.statistics.end(), statistics.begin(), statistics.end());
    });
    return table;
}

ErrorSurface error_surface(const LineArrays& lines, std::size_t threads) {
    const auto& offsets = lines.offsets;
    if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets))
        fail<DataError>("the offsets of sentences' lines must begin with 0 and not decrease");
    const auto count = static_cast<std::size_t>(offsets.back());
    check_lines(lines.slopes, count, "slope");
    check_lines(lines.intercepts, count, "intercept");
    if (lines.statistics.size() != count * lines.dimension)
        fail<DataError>(lines.statistics.size(), " statistics for ", count, " lines with ",
                        lines.dimension, " each");
    return surface_of({offsets, lines.slopes, lines.intercepts}, lines.dimension, threads,
                      [&](std::size_t line, std::span<double> out) {
                          std::ranges::copy(lines.statistics.subspan(line * out.size(), out.size()),
                                            out.begin());
                      });
}

ErrorSurface nbest_surface(const NBest& lists, std::span<const double> origins,
                           std::span<const double> slopes, std::size_t threads) {
    if (!lists.statistics())
        fail<DataError>("the n-best lists have no statistics; compute them with a metric first");
    const RowStatistics& statistics = *lists.statistics();
    check_lines(slopes, lists.hypotheses(), "slope");
    check_lines(origins, lists.hypotheses(), "intercept");
    ErrorSurface surface =
        surface_of({lists.offsets(), slopes, origins}, statistics.dimension(), threads,
                   [&](std::size_t row, std::span<double> out) { statistics.read(row, out); });
    statistics.release(0, lists.hypotheses());
    return surface;
}

namespace {

struct Interval {
    double left;
    double right;
    double score;

    [[nodiscard]] double distance() const { return std::max({left, -right, 0.0}); }
};

// Finds the best of the intervals, offered from left to right.
class BestInterval {
  public:
    explicit BestInterval(double lower, double upper) : lower_(lower), upper_(upper) {
        if (!(lower <= 0.0 && upper >= 0.0))
            fail<ConfigError>("the bounds of a line search must have 0 between them, got ", lower,
                              " and ", upper);
    }

    void add(double left, double right, double score) {
        if (!std::isfinite(score))
            fail<DataError>("the metric's score between ", left, " and ", right, " is ", score);
        left = std::max(left, lower_);
        right = std::min(right, upper_);
        if (!(left < right)) return;
        if (current_ && current_->score == score) {
            current_->right = right;
            return;
        }
        close();
        current_ = Interval{left, right, score};
    }
    [[nodiscard]] std::optional<Interval> get() {
        close();
        return best_;
    }

  private:
    // Ignore intervals that may be due to rounding alone.
    [[nodiscard]] static bool too_narrow(const Interval& one) {
        const double size = std::max(std::abs(one.left), std::abs(one.right));
        return one.right - one.left <= 1e-9 * size && std::isfinite(size);
    }
    void close() {
        if (current_ && !too_narrow(*current_)) {
            const Interval& one = *current_;
            if (!best_ || one.score > best_->score ||
                (one.score == best_->score && one.distance() < best_->distance()))
                best_ = one;
        }
        current_.reset();
    }

    double lower_;
    double upper_;
    std::optional<Interval> current_;
    std::optional<Interval> best_;
};

// The point of an interval from which the step is measured, and how far it should go from there.
struct Reach {
    double from;
    double length;
};

[[nodiscard]] Reach reach_into(const ErrorSurface& surface, double left, double right) {
    if (std::isfinite(left) && std::isfinite(right)) return {left, (right - left) / 2};
    const bool forward = std::isfinite(left) || !std::isfinite(right);
    if (surface.breakpoints() == 0) return {0.0, forward ? 1.0 : -1.0};
    const double first = surface.breakpoint(0);
    const double last = surface.breakpoint(surface.breakpoints() - 1);
    const double from = std::isfinite(left) ? left : std::isfinite(right) ? right : last;
    const double reach = std::max(last - first, std::abs(from));
    const double beyond = reach > 0.0 ? reach / 10 : 1.0;
    return {from, forward ? beyond : -beyond};
}

// A step into the interval, which is better than step 0: neither step 0 itself nor a point where
// hypotheses tie.
[[nodiscard]] double inside(const ErrorSurface& surface, double left, double right) {
    auto [from, length] = reach_into(surface, left, right);
    const auto ties = [&](double step) { return step == 0.0 || surface.has_tie(step); };
    while (ties(from + length) && from + length / 2 != from) length /= 2;
    return from + length;
}

[[nodiscard]] LineSearchResult choose(const ErrorSurface& surface, BestInterval& intervals,
                                      double score_at_zero) {
    const std::optional<Interval> best = intervals.get();
    if (!best || !(best->score > score_at_zero)) return {0.0, score_at_zero, score_at_zero};
    return {inside(surface, best->left, best->right), best->score, score_at_zero};
}

}  // namespace

LineSearchResult line_search(const ErrorSurface& surface, const CorpusScore& score, double lower,
                             double upper) {
    if (score.dimension() != surface.dimension())
        fail<DataError>("the metric takes ", score.dimension(), " statistics, the hypotheses have ",
                        surface.dimension());
    BestInterval intervals(lower, upper);
    surface.for_each_interval([&](double left, double right, std::span<const double> statistics) {
        intervals.add(left, right, score(statistics));
    });
    return choose(surface, intervals, score(surface.at_zero()));
}

LineSearchResult line_search(const ErrorSurface& surface, std::span<const double> scores,
                             double score_at_zero, double lower, double upper) {
    BestInterval intervals(lower, upper);
    std::size_t i = 0;
    surface.for_each_interval([&](double left, double right, std::span<const double>) {
        if (i < scores.size()) intervals.add(left, right, scores[i]);
        ++i;
    });
    if (i != scores.size()) fail<DataError>(scores.size(), " scores for ", i, " intervals");
    return choose(surface, intervals, score_at_zero);
}

}  // namespace hopefear
