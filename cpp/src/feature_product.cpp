#include "hopefear/feature_product.hpp"

#include <cmath>

#include "hopefear/threads.hpp"

namespace hopefear {

std::vector<double> feature_sum(const NBest& nbest, std::span<const double> x, std::size_t features,
                                std::size_t threads) {
    nbest.check_weights(features);
    nbest.check_per_row(x.size(), "coefficients");
    // Parts are summed up apart and then in order, so that the result is the same for any number of
    // threads. A part needs a vector of all features: with many of those there is only one part.
    const std::size_t parts = features <= 65536 ? 16 : 1;
    std::vector<std::vector<double>> sums(parts, std::vector<double>(features));
    parallel_blocks(parts, 1, threads, [&](std::size_t part, std::size_t) {
        const std::size_t first = nbest.sentences() * part / parts;
        const std::size_t last = nbest.sentences() * (part + 1) / parts;
        for (std::size_t row = nbest.offsets()[first]; row < std::size_t(nbest.offsets()[last]);
             ++row) {
            if (x[row] == 0.0) continue;
            const SparseView h = nbest.features(row);
            for (std::size_t i = 0; i < h.size(); ++i) sums[part][h.ids[i]] += x[row] * h.values[i];
        }
        if (nbest.spilled()) nbest.release(first, last);
    });
    for (std::size_t part = 1; part < parts; ++part)
        for (std::size_t i = 0; i < features; ++i) sums[0][i] += sums[part][i];
    return std::move(sums[0]);
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
