#include "hopefear/learn/loss_gradient.hpp"

#include "hopefear/base/threads.hpp"

namespace hopefear {

namespace {

// The parts of the lists that are summed up apart, and then in order: so the result is the same for
// any number of threads. Each needs a vector of all features.
std::size_t parts_for(std::size_t features) {
    return features <= std::size_t{1} << 18 ? 16 : 4;
}

// Add what the sentences from `first` to `last` have to the sum.
void add_sentences(const NBest& nbest, std::span<const double> weights,
                   std::span<const double> costs, double cost_scale, const Loss& loss,
                   std::size_t first, std::size_t last, LossGradient& sum) {
    std::vector<double> scores;
    std::vector<double> scaled;
    std::vector<double> slopes;  // of the loss, by the score of each hypothesis
    for (std::size_t sentence = first; sentence < last; ++sentence) {
        const NBest::Rows rows = nbest.rows(sentence);
        scores.clear();
        nbest.for_each(rows, [&](std::size_t, const SparseView& features) {
            scores.push_back(features.dot(weights));
        });
        scaled.clear();
        for (const double cost : costs.subspan(rows.begin, rows.size()))
            scaled.push_back(cost_scale * cost);
        slopes.assign(rows.size(), 0.0);
        sum.loss += evaluate(loss, scores, scaled, {}, slopes);
        nbest.for_each(rows, [&](std::size_t row, const SparseView& features) {
            const double slope = slopes[row - rows.begin];
            if (slope == 0.0) return;
            for (std::size_t i = 0; i < features.size(); ++i)
                sum.gradient[features.ids[i]] += slope * features.values[i];
        });
        if (nbest.spilled()) nbest.release(sentence, sentence + 1);
    }
}

}  // namespace

LossGradient loss_gradient(const NBest& nbest, std::span<const double> weights,
                           std::span<const double> costs, double cost_scale, const Loss& loss,
                           std::size_t threads) {
    nbest.check_weights(weights.size());
    nbest.check_per_row(costs.size(), "costs");
    const std::size_t parts = parts_for(weights.size());
    std::vector<LossGradient> sums(parts);
    parallel_blocks(parts, 1, threads, [&](std::size_t part, std::size_t) {
        sums[part].gradient.resize(weights.size());
        add_sentences(nbest, weights, costs, cost_scale, loss, nbest.sentences() * part / parts,
                      nbest.sentences() * (part + 1) / parts, sums[part]);
    });
    for (std::size_t part = 1; part < parts; ++part) {
        sums[0].loss += sums[part].loss;
        for (std::size_t i = 0; i < weights.size(); ++i)
            sums[0].gradient[i] += sums[part].gradient[i];
    }
    return std::move(sums[0]);
}

}  // namespace hopefear
