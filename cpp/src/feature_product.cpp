#include "hopefear/feature_product.hpp"

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

}  // namespace hopefear
