// The exact line search of minimum error rate training.
//
// Och (2003), Minimum error rate training in statistical machine translation, section 5. Along
// w + γ d the score of a hypothesis is a line in γ, the best hypotheses of a sentence are the upper
// envelope of its lines, and what a metric makes of the best hypotheses of all sentences is
// constant between two breakpoints.
//
// Macherey et al. (2008), Lattice-based minimum error rate training: the lines may as well come
// from a forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"
#include "hopefear/search/upper_envelope.hpp"

namespace hopefear {

// The sum of statistics over sentences as a step function of γ.
class ErrorSurface {
  public:
    explicit ErrorSurface(std::size_t dimension)
        : dimension_(dimension), leftmost_(dimension), at_zero_(dimension) {}

    // Add a sentence: the lines of all its hypotheses, or at least those of their envelope;
    // read(line, out) gives the `dimension` statistics of a line. A sentence without lines adds
    // nothing.
    template <class Read>
    void add(std::span<const double> slopes, std::span<const double> intercepts, const Read& read);
    // Append the sentences of another surface, which is empty afterwards.
    void take(ErrorSurface& other);
    // Sort the breakpoints; call this after the last sentence.
    void finish();

    [[nodiscard]] std::size_t dimension() const { return dimension_; }
    // Where the statistics of some sentence's best hypothesis change, in increasing order.
    [[nodiscard]] std::size_t breakpoints() const { return breakpoints_.size(); }
    [[nodiscard]] double breakpoint(std::size_t i) const { return breakpoints_[i].step; }
    // Whether hypotheses of some sentence tie at this step.
    [[nodiscard]] bool has_tie(double step) const;
    // The statistics at γ = 0, where ties go to the first hypothesis: those of the present weights.
    [[nodiscard]] std::vector<double> at_zero() const { return values(at_zero_); }

    // The distinct breakpoints, and a row of statistics for each interval between them.
    struct Table {
        std::vector<double> breakpoints;
        std::vector<double> statistics;
    };
    [[nodiscard]] Table table() const;

    // Call visit(left, right, statistics) for each interval between different breakpoints, from
    // -infinity to infinity.
    template <class Visit>
    void for_each_interval(Visit&& visit) const;

  private:
    // A compensated sum: any number of differences can be added without drift.
    struct Sum {
        double value = 0.0;
        double lost = 0.0;
        void add(double x) {
            const double sum = value + x;
            const double part = sum - value;
            lost += (value - (sum - part)) + (x - part);
            value = sum;
        }
        [[nodiscard]] double total() const { return value + lost; }
    };
    struct Breakpoint {
        double step;
        std::size_t difference;  // index of the change of the statistics in differences_
    };
    [[nodiscard]] static std::vector<double> values(const std::vector<Sum>& sums);

    std::size_t dimension_;
    std::vector<Sum> leftmost_;  // the statistics at -infinity
    std::vector<Sum> at_zero_;
    std::vector<Breakpoint> breakpoints_;
    std::vector<double> differences_;
    // Steps at which the best hypothesis changes but the statistics do not. A third hypothesis with
    // other statistics may tie there.
    std::vector<double> ties_;
    // Of the sentence being added.
    UpperEnvelope envelope_;
    std::vector<double> from_;
    std::vector<double> to_;
};

template <class Read>
void ErrorSurface::add(std::span<const double> slopes, std::span<const double> intercepts,
                       const Read& read) {
    if (slopes.empty()) return;
    envelope_.find(slopes, intercepts);
    const auto lines = envelope_.lines();
    from_.resize(dimension_);
    to_.resize(dimension_);
    read(envelope_.at_zero(), std::span(from_));
    for (std::size_t j = 0; j < dimension_; ++j) at_zero_[j].add(from_[j]);
    read(lines.front(), std::span(from_));
    for (std::size_t j = 0; j < dimension_; ++j) leftmost_[j].add(from_[j]);
    for (std::size_t i = 1; i < lines.size(); ++i, from_.swap(to_)) {
        read(lines[i], std::span(to_));
        if (from_ == to_) {
            ties_.push_back(envelope_.starts()[i]);
            continue;
        }
        breakpoints_.push_back({envelope_.starts()[i], differences_.size()});
        for (std::size_t j = 0; j < dimension_; ++j) differences_.push_back(to_[j] - from_[j]);
    }
}

template <class Visit>
void ErrorSurface::for_each_interval(Visit&& visit) const {
    std::vector<Sum> sums = leftmost_;
    std::vector<double> statistics = values(sums);
    double left = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < breakpoints_.size();) {
        const double right = breakpoints_[i].step;
        visit(left, right, std::span<const double>(statistics));
        for (; i < breakpoints_.size() && breakpoints_[i].step == right; ++i)
            for (std::size_t j = 0; j < dimension_; ++j)
                sums[j].add(differences_[breakpoints_[i].difference + j]);
        for (std::size_t j = 0; j < dimension_; ++j) statistics[j] = sums[j].total();
        left = right;
    }
    visit(left, std::numeric_limits<double>::infinity(), std::span<const double>(statistics));
}

// Lines of all sentences: those of sentence i are offsets[i] .. offsets[i + 1], and line l has the
// statistics l * dimension .. (l + 1) * dimension.
struct LineArrays {
    std::span<const std::int64_t> offsets;
    std::span<const double> slopes;
    std::span<const double> intercepts;
    std::span<const double> statistics;
    std::size_t dimension;
};
// The same bits for any number of threads.
[[nodiscard]] ErrorSurface error_surface(const LineArrays& lines, std::size_t threads);

// The surface of n-best lists with statistics: `origins` are the scores w . h of all rows, `slopes`
// the scores d . h.
[[nodiscard]] ErrorSurface nbest_surface(const NBest& lists, std::span<const double> origins,
                                         std::span<const double> slopes, std::size_t threads);

struct LineSearchResult {
    double step;           // γ
    double score;          // there
    double score_at_zero;  // never greater
};

// The γ between `lower` and `upper` with the best score: the middle of the best interval; ties go
// to the interval nearest to 0. The step is 0 if nothing is better than γ = 0. Beyond the outermost
// breakpoint, the step exceeds it by a tenth of the range of the breakpoints. Where hypotheses tie,
// the score may differ from both sides: if the step would end there, it goes half as far into the
// interval.
[[nodiscard]] LineSearchResult line_search(const ErrorSurface& surface, const CorpusScore& score,
                                           double lower, double upper);

// The same, given the scores of the intervals in order and the score at γ = 0.
[[nodiscard]] LineSearchResult line_search(const ErrorSurface& surface,
                                           std::span<const double> scores, double score_at_zero,
                                           double lower, double upper);

}  // namespace hopefear
