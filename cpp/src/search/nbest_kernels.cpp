#include "hopefear/search/nbest_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"

namespace hopefear {

namespace {

// About how many bytes of features a thread goes through before it gives the memory back.
constexpr std::size_t block_bytes = std::size_t{4} << 20;

void check_finite(std::span<const double> numbers, const char* what) {
    const auto at = std::ranges::find_if(numbers, [](double x) { return !std::isfinite(x); });
    if (at != numbers.end())
        fail<DataError>(what, " ", at - numbers.begin(), " is ", *at, "; it must be finite");
}

void check_weights(const NBest& lists, std::span<const double> weights) {
    lists.check_weights(weights.size());
    check_finite(weights, "weight");
}

void check_gains(const NBest& lists, const ScaledGains& gains) {
    check_finite({&gains.scale, 1}, "gain scale");
    if (gains.scale == 0.0) return;
    lists.check_per_row(gains.gains.size(), "gains");
    check_finite(gains.gains, "gain");
}

double checked_score(const NBest& lists, std::size_t row, const SparseView& features,
                     std::span<const double> weights) {
    const double score = features.dot(weights);
    if (!std::isfinite(score))
        fail<DataError>("sentence ", lists.sentence_of(row), ", row ", row, ": the score is ",
                        score, "; weights or features are too large");
    return score;
}

// Call work(sentence) for all sentences on `threads` threads.
template <class Work>
void for_each_sentence(const NBest& lists, std::size_t threads, const Work& work) {
    const std::size_t bytes = std::max<std::size_t>(1, lists.bytes());
    const std::size_t block =
        static_cast<std::size_t>(static_cast<double>(lists.sentences()) * block_bytes / bytes);
    parallel_blocks(lists.sentences(), std::clamp<std::size_t>(block, 1, 256), threads,
                    [&](std::size_t begin, std::size_t end) {
                        for (std::size_t s = begin; s < end; ++s) work(s);
                        lists.release(begin, end);
                    });
}

// The row with the greatest score of all that are offered, the first of equals; -1: none.
struct FirstBest {
    std::int64_t row = -1;
    double score = 0.0;

    void offer(std::size_t other, double value) {
        if (row >= 0 && value <= score) return;
        row = static_cast<std::int64_t>(other);
        score = value;
    }
};

void check_chosen(const NBest& lists, std::span<const std::int64_t> rows) {
    for (const std::int64_t row : rows)
        if (row < -1 || row >= static_cast<std::int64_t>(lists.hypotheses()))
            fail<DataError>("row ", row, " does not exist: there are ", lists.hypotheses(),
                            " hypotheses");
}

}  // namespace

std::vector<double> nbest_scores(const NBest& lists, std::span<const double> weights,
                                 std::size_t threads) {
    check_weights(lists, weights);
    std::vector<double> scores(lists.hypotheses());
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        lists.for_each(lists.rows(sentence), [&](std::size_t row, const SparseView& features) {
            scores[row] = checked_score(lists, row, features, weights);
        });
    });
    return scores;
}

std::vector<double> sentence_scores(const NBest& lists, std::size_t sentence,
                                    std::span<const double> weights) {
    check_weights(lists, weights);
    std::vector<double> scores;
    lists.for_each(lists.rows(sentence), [&](std::size_t row, const SparseView& features) {
        scores.push_back(checked_score(lists, row, features, weights));
    });
    return scores;
}

std::vector<std::int64_t> best_rows(const NBest& lists, std::span<const double> weights,
                                    const ScaledGains& gains, std::size_t threads) {
    check_weights(lists, weights);
    check_gains(lists, gains);
    std::vector<std::int64_t> best(lists.sentences());
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        FirstBest found;
        lists.for_each(lists.rows(sentence), [&](std::size_t row, const SparseView& features) {
            const double score = checked_score(lists, row, features, weights);
            found.offer(row, gains.scale == 0.0 ? score : score + gains.scale * gains.gains[row]);
        });
        best[sentence] = found.row;
    });
    return best;
}

std::vector<std::int64_t> best_rows_of(const NBest& lists, std::span<const double> scores,
                                       const ScaledGains& gains) {
    lists.check_per_row(scores.size(), "scores");
    check_finite(scores, "score");
    check_gains(lists, gains);
    std::vector<std::int64_t> best(lists.sentences());
    for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
        FirstBest found;
        const auto [begin, end] = lists.rows(sentence);
        for (std::size_t row = begin; row < end; ++row)
            found.offer(row, gains.scale == 0.0 ? scores[row]
                                                : scores[row] + gains.scale * gains.gains[row]);
        best[sentence] = found.row;
    }
    return best;
}

std::vector<double> sum_statistics(const NBest& lists, std::span<const std::int64_t> rows) {
    if (!lists.statistics()) fail<DataError>("the n-best lists have no statistics of a metric yet");
    check_chosen(lists, rows);
    const RowStatistics& statistics = *lists.statistics();
    std::vector<double> sum(statistics.dimension(), 0.0);
    std::vector<double> one(sum.size());
    for (const std::int64_t row : rows) {
        if (row < 0) continue;
        statistics.read(static_cast<std::size_t>(row), one);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    }
    return sum;
}

std::vector<double> feature_column(const NBest& lists, FeatureId feature, std::size_t threads) {
    std::vector<double> column(lists.hypotheses(), 0.0);
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        const auto [begin, end] = lists.rows(sentence);
        std::span<const FeatureId> same;  // the ids of the row before, and where the feature is
        std::size_t place = 0;
        for (std::size_t row = begin; row < end; ++row) {
            const SparseView features = lists.features(row);
            if (features.ids.data() != same.data() || features.size() != same.size()) {
                same = features.ids;
                place = static_cast<std::size_t>(std::ranges::lower_bound(features.ids, feature) -
                                                 features.ids.begin());
            }
            if (place < features.size() && features.ids[place] == feature)
                column[row] = features.values[place];
        }
    });
    return column;
}

}  // namespace hopefear
