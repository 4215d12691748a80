#include "hopefear/nbest/products.hpp"

#include <cmath>

#include "hopefear/base/error.hpp"

namespace hopefear {

void check_finite(std::span<const double> numbers, const char* what) {
    const auto at = std::ranges::find_if(numbers, [](double x) { return !std::isfinite(x); });
    if (at != numbers.end())
        fail<DataError>(what, " ", at - numbers.begin(), " is ", *at, "; it must be finite");
}

void check_finite_weights(const NBest& lists, std::span<const double> weights) {
    lists.check_weights(weights.size());
    check_finite(weights, "weight");
}

void fail_score(const NBest& lists, std::size_t row, double score) {
    fail<DataError>("sentence ", lists.sentence_of(row), ", row ", row, ": the score is ", score,
                    "; weights or features are too large");
}

std::vector<double> nbest_scores(const NBest& lists, std::span<const double> weights,
                                 std::size_t threads) {
    check_finite_weights(lists, weights);
    std::vector<double> scores(lists.hypotheses());
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        lists.for_each(lists.rows(sentence), [&](std::size_t row, const SparseView& features) {
            scores[row] = finite_score(lists, row, features, weights);
        });
    });
    return scores;
}

std::vector<double> sentence_scores(const NBest& lists, std::size_t sentence,
                                    std::span<const double> weights) {
    check_finite_weights(lists, weights);
    std::vector<double> scores;
    lists.for_each(lists.rows(sentence), [&](std::size_t row, const SparseView& features) {
        scores.push_back(finite_score(lists, row, features, weights));
    });
    return scores;
}

std::vector<double> sum_statistics(const NBest& lists, std::span<const std::int64_t> rows) {
    if (!lists.statistics())
        fail<DataError>("the n-best lists have no statistics; compute them with a metric first");
    for (const std::int64_t row : rows)
        if (row < -1 || row >= static_cast<std::int64_t>(lists.hypotheses()))
            fail<DataError>("row ", row, " does not exist: there are ", lists.hypotheses(),
                            " hypotheses");
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
        // the ids of the previous row, and the position of the feature
        std::span<const FeatureId> same;
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

std::vector<double> feature_sum(const NBest& lists, std::span<const std::int64_t> rows,
                                std::span<const double> x, std::size_t features) {
    lists.check_weights(features);
    if (rows.size() != x.size())
        fail<DataError>(rows.size(), " rows, but ", x.size(), " coefficients");
    std::vector<double> sum(features);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= lists.hypotheses())
            fail<DataError>("there is no hypothesis ", rows[i], " of ", lists.hypotheses());
        const SparseView h = lists.features(static_cast<std::size_t>(rows[i]));
        for (std::size_t k = 0; k < h.size(); ++k) sum[h.ids[k]] += x[i] * h.values[k];
    }
    if (lists.spilled()) lists.release(0, lists.sentences());
    return sum;
}

std::vector<double> feature_spread(const NBest& lists, std::size_t features) {
    lists.check_weights(features);
    std::vector<double> spread(features);
    std::vector<double> mean(features);
    std::vector<double> squares(features);
    std::vector<std::size_t> present(features);
    std::vector<FeatureId> touched;
    double used = 0.0;
    const auto visit = [&](NBest::Rows rows, auto&& at) {
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            const SparseView h = lists.features(row);
            for (std::size_t i = 0; i < h.size(); ++i) at(h.ids[i], h.values[i]);
        }
    };
    for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
        const NBest::Rows rows = lists.rows(sentence);
        if (rows.size() == 0) continue;
        used += 1.0;
        const double n = static_cast<double>(rows.size());
        visit(rows, [&](FeatureId id, double value) {
            if (present[id]++ == 0) touched.push_back(id);
            mean[id] += value / n;
        });
        // Two passes, so that a feature with a large mean does not seem to vary.
        visit(rows, [&](FeatureId id, double value) {
            squares[id] += (value - mean[id]) * (value - mean[id]);
        });
        for (const FeatureId id : touched) {
            const double absent = n - static_cast<double>(present[id]);
            const double variance = (squares[id] + absent * mean[id] * mean[id]) / n;
            // For a constant feature only the rounding error of the mean is left.
            if (variance > 1e-20 * mean[id] * mean[id]) spread[id] += variance;
            mean[id] = squares[id] = 0.0;
            present[id] = 0;
        }
        touched.clear();
        if (lists.spilled()) lists.release(sentence, sentence + 1);
    }
    for (double& x : spread) x = used > 0.0 ? std::sqrt(x / used) : 0.0;
    return spread;
}

}  // namespace hopefear
