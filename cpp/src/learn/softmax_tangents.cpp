#include "hopefear/learn/softmax_tangents.hpp"

#include <map>

#include "hopefear/learn/loss.hpp"
#include "hopefear/search/corpus_oracles.hpp"

namespace hopefear {

SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights) {
    check_oracles(nbest, sentences, oracles);
    nbest.check_weights(weights.size());
    // -L = -log sum_oracles exp(s) + log sum exp(s)
    const Side soft{.soft = true};
    const Loss loss{.up = {.pool = Pool::fixed, .soft = true}, .down = soft};
    SoftmaxTangents tangents;
    std::map<FeatureId, double> gradient;
    std::vector<FeatureId> ids;
    std::vector<double> values;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto [begin, end] = nbest.rows(sentences[i]);
        std::vector<double> scores;
        for (std::size_t row = begin; row < end; ++row)
            scores.push_back(nbest.features(row).dot(weights));
        std::vector<std::size_t> fixed;
        for (const std::int64_t row : oracles[i]) fixed.push_back(row - begin);
        std::vector<double> slopes(end - begin);
        const std::vector<double> costs(end - begin);
        tangents.values.push_back(-evaluate(loss, scores, costs, fixed, slopes));
        gradient.clear();
        for (std::size_t row = begin; row < end; ++row) {
            const SparseView h = nbest.features(row);
            for (std::size_t j = 0; j < h.size(); ++j)
                gradient[h.ids[j]] -= slopes[row - begin] * h.values[j];
        }
        ids.clear();
        values.clear();
        for (const auto& [id, value] : gradient) {
            ids.push_back(id);
            values.push_back(value);
        }
        tangents.gradients.add({ids, values});
    }
    tangents.gradients.freeze();
    return tangents;
}

}  // namespace hopefear
