#include "hopefear/nbest/feature_product.hpp"

#include <cmath>

#include "hopefear/base/error.hpp"

namespace hopefear {

std::vector<double> feature_sum(const NBest& nbest, std::span<const std::int64_t> rows,
                                std::span<const double> x, std::size_t features) {
    nbest.check_weights(features);
    if (rows.size() != x.size())
        fail<DataError>(rows.size(), " rows, but ", x.size(), " coefficients");
    std::vector<double> sum(features);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= nbest.hypotheses())
            fail<DataError>("there is no hypothesis ", rows[i], " of ", nbest.hypotheses());
        const SparseView h = nbest.features(static_cast<std::size_t>(rows[i]));
        for (std::size_t k = 0; k < h.size(); ++k) sum[h.ids[k]] += x[i] * h.values[k];
    }
    if (nbest.spilled()) nbest.release(0, nbest.sentences());
    return sum;
}

std::vector<double> feature_spread(const NBest& nbest, std::size_t features) {
    nbest.check_weights(features);
    std::vector<double> spread(features);
    std::vector<double> mean(features);
    std::vector<double> squares(features);
    std::vector<std::size_t> present(features);
    std::vector<FeatureId> touched;
    double lists = 0.0;
    const auto visit = [&](NBest::Rows rows, auto&& at) {
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            const SparseView h = nbest.features(row);
            for (std::size_t i = 0; i < h.size(); ++i) at(h.ids[i], h.values[i]);
        }
    };
    for (std::size_t sentence = 0; sentence < nbest.sentences(); ++sentence) {
        const NBest::Rows rows = nbest.rows(sentence);
        if (rows.size() == 0) continue;
        lists += 1.0;
        const double n = static_cast<double>(rows.size());
        visit(rows, [&](FeatureId id, double value) {
            if (present[id]++ == 0) touched.push_back(id);
            mean[id] += value / n;
        });
        // Two passes, so that a feature with a large mean does not look noisy.
        visit(rows, [&](FeatureId id, double value) {
            squares[id] += (value - mean[id]) * (value - mean[id]);
        });
        for (const FeatureId id : touched) {
            const double absent = n - static_cast<double>(present[id]);
            const double variance = (squares[id] + absent * mean[id] * mean[id]) / n;
            // A constant leaves nothing but what rounding the mean left.
            if (variance > 1e-20 * mean[id] * mean[id]) spread[id] += variance;
            mean[id] = squares[id] = 0.0;
            present[id] = 0;
        }
        touched.clear();
        if (nbest.spilled()) nbest.release(sentence, sentence + 1);
    }
    for (double& x : spread) x = lists > 0.0 ? std::sqrt(x / lists) : 0.0;
    return spread;
}

}  // namespace hopefear
