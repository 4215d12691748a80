#include "hopefear/learn/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>

#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/search/corpus_oracles.hpp"
#include "hopefear/search/hope_fear.hpp"

namespace hopefear {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The indices of the hypotheses in the pool; empty for Pool::all.
std::vector<std::size_t> members(const Loss& loss, Pool pool, std::span<const double> scores,
                                 std::span<const double> costs,
                                 std::span<const std::size_t> fixed) {
    if (pool == Pool::all) return {};
    if (pool == Pool::fixed) return {fixed.begin(), fixed.end()};
    std::vector<std::size_t> rows(scores.size());
    std::iota(rows.begin(), rows.end(), 0);
    if (pool == Pool::local) {
        const std::size_t size = std::min(loss.local_size, rows.size());
        const auto better = [&](std::size_t a, std::size_t b) {
            return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
        };
        std::partial_sort(rows.begin(), rows.begin() + size, rows.end(), better);
        rows.resize(size);
        std::ranges::sort(rows);
    }
    double least = 0.0;
    if (pool != Pool::reference) {
        least = infinity;
        for (const std::size_t r : rows) least = std::min(least, costs[r]);
    }
    std::erase_if(rows, [&](std::size_t r) { return costs[r] > least; });
    return rows;
}

// M over the pool; adds sign · ∂M/∂s_r to the slopes. For M = max, the first hypothesis with the
// largest s_r + a c_r: a hope if a < 0, a fear if a > 0.
template <class Rows>
double maximum(const Side& side, const Rows& pool, std::span<const double> scores,
               std::span<const double> costs, double sign, std::span<double> slopes) {
    const auto value = [&](std::size_t r) { return scores[r] + side.cost * costs[r]; };
    BestRow best{pool.front(), value(pool.front())};
    for (const std::size_t r : pool) best.offer(r, value(r));
    const double top = best.value;
    if (!side.soft) {
        slopes[best.row] += sign;
        return top;
    }
    double sum = 0.0;
    for (const std::size_t r : pool) sum += std::exp(value(r) - top);
    for (const std::size_t r : pool) slopes[r] += sign * std::exp(value(r) - top) / sum;
    return top + std::log(sum);
}

// E = Σ_r p_r c_r with p_r ∝ exp(s_r);  ∂E/∂s_r = p_r (c_r - E).
double risk(std::span<const double> scores, std::span<const double> costs,
            std::span<double> slopes) {
    const double top = *std::ranges::max_element(scores);
    double sum = 0.0;
    double expected = 0.0;
    for (std::size_t r = 0; r < scores.size(); ++r) {
        const double weight = std::exp(scores[r] - top);
        sum += weight;
        expected += weight * costs[r];
    }
    expected /= sum;
    for (std::size_t r = 0; r < scores.size(); ++r)
        slopes[r] += std::exp(scores[r] - top) / sum * (costs[r] - expected);
    return expected;
}

}  // namespace

namespace {

// M of one side, if any hypothesis competes on it; adds sign · ∂M/∂s_r to the slopes.
std::optional<double> side_value(const Loss& loss, const Side& side, std::span<const double> scores,
                                 std::span<const double> costs, std::span<const std::size_t> fixed,
                                 double sign, std::span<double> slopes) {
    if (side.pool == Pool::all)
        return maximum(side, std::views::iota(std::size_t{0}, scores.size()), scores, costs, sign,
                       slopes);
    const std::vector<std::size_t> rows = members(loss, side.pool, scores, costs, fixed);
    if (rows.empty()) return std::nullopt;
    return maximum(side, rows, scores, costs, sign, slopes);
}

}  // namespace

double evaluate(const Loss& loss, std::span<const double> scores, std::span<const double> costs,
                std::span<const std::size_t> fixed, std::span<double> slopes) {
    if (scores.empty()) return 0.0;
    if (loss.risk) return risk(scores, costs, slopes);
    const auto raised = side_value(loss, loss.up, scores, costs, fixed, -1.0, slopes);
    if (!raised) return 0.0;
    const auto lowered = side_value(loss, loss.down, scores, costs, fixed, +1.0, slopes);
    if (lowered) return *lowered - *raised;
    std::ranges::fill(slopes, 0.0);
    return 0.0;
}

double evaluate_held(const Loss& loss, std::span<const double> scores,
                     std::span<const double> costs, std::span<const double> q,
                     std::span<double> slopes) {
    if (std::ranges::all_of(q, [](double share) { return share == 0.0; })) return 0.0;
    const auto lowered = side_value(loss, loss.down, scores, costs, {}, +1.0, slopes);
    if (!lowered) return 0.0;
    double raised = 0.0;
    for (std::size_t r = 0; r < scores.size(); ++r) {
        raised += q[r] * scores[r];
        slopes[r] -= q[r];
    }
    return *lowered - raised;
}

namespace {

// The number of partial sums, which are added in a fixed order, so that the result does not depend
// on the number of threads. Each needs a vector of all features.
std::size_t parts_for(std::size_t features) {
    return features <= std::size_t{1} << 18 ? 16 : 4;
}

// Add the loss and gradient of the sentences [first, last) to the sum.
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

std::vector<double> raised_shares(const NBest& nbest, std::span<const double> weights,
                                  std::span<const double> costs, double cost_scale,
                                  const Loss& loss, std::size_t threads) {
    nbest.check_weights(weights.size());
    nbest.check_per_row(costs.size(), "costs");
    if (loss.risk) fail<DataError>("the risk has no concave part");
    std::vector<double> shares(costs.size());
    parallel_blocks(nbest.sentences(), 64, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> scores;
        std::vector<double> scaled;
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            const NBest::Rows rows = nbest.rows(sentence);
            if (rows.size() == 0) continue;
            scores.clear();
            nbest.for_each(rows, [&](std::size_t, const SparseView& features) {
                scores.push_back(features.dot(weights));
            });
            scaled.clear();
            for (const double cost : costs.subspan(rows.begin, rows.size()))
                scaled.push_back(cost_scale * cost);
            side_value(loss, loss.up, scores, scaled, {}, 1.0,
                       std::span(shares).subspan(rows.begin, rows.size()));
            if (nbest.spilled()) nbest.release(sentence, sentence + 1);
        }
    });
    return shares;
}

SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights) {
    check_oracles(nbest, sentences, oracles);
    nbest.check_weights(weights.size());
    // -L = -log Σ_oracles exp(s) + log Σ exp(s)   (eq. 6)
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
