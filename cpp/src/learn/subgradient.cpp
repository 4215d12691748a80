#include "hopefear/learn/subgradient.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"
#include "hopefear/learn/saved_numbers.hpp"

namespace hopefear {

void CumulativePenalty::pay(OnlineWeights& weights, FeatureId id) {
    const double w = weights[id];
    // w ← max(0, w - (u + q)) if w > 0, min(0, w + (u - q)) if w < 0, where u is due and q was paid
    // (figure 2): a penalty never changes a sign.
    const double paid = w > 0.0   ? std::max(0.0, w - (due_ + paid_[id])) - w
                        : w < 0.0 ? std::min(0.0, w + (due_ - paid_[id])) - w
                                  : 0.0;
    if (paid == 0.0) return;
    weights.add(id, paid);
    paid_[id] += paid;
}

void CumulativePenalty::pay_all(OnlineWeights& weights) {
    for (std::size_t id = 0; id < paid_.size(); ++id) pay(weights, static_cast<FeatureId>(id));
}

CumulativePenalty CumulativePenalty::merged(std::span<const CumulativePenalty* const> all) {
    CumulativePenalty mean(all.front()->size());
    for (const CumulativePenalty* one : all) {
        for (std::size_t i = 0; i < mean.size(); ++i) mean.paid_[i] += one->paid_[i] / all.size();
        mean.due_ += one->due_ / all.size();
    }
    return mean;
}

SubgradientState SubgradientState::merged(std::span<const SubgradientState* const> all) {
    std::vector<const OnlineWeights*> weights;
    std::vector<const CumulativePenalty*> penalties;
    double loss = 0.0;
    for (const SubgradientState* one : all) {
        weights.push_back(&one->weights);
        penalties.push_back(&one->penalty);
        loss += one->loss;
    }
    OnlineWeights mean = OnlineWeights::merged(weights);
    for (const CumulativePenalty* one : penalties)
        if (one->size() != mean.size()) fail<DataError>("states of different features");
    return {std::move(mean), CumulativePenalty::merged(penalties), loss};
}

std::vector<double> CumulativePenalty::save() const {
    SavedNumbers saved;
    saved.add(paid_);
    saved.add(due_);
    return std::move(saved).take();
}

CumulativePenalty CumulativePenalty::load(std::span<const double> saved) {
    SavedReader reader(saved);
    const auto paid = reader.array();
    CumulativePenalty penalty(0);
    penalty.paid_.assign(paid.begin(), paid.end());
    penalty.due_ = reader.number();
    reader.finish();
    return penalty;
}

std::vector<double> SubgradientState::save() const {
    SavedNumbers saved;
    saved.add(weights.save());
    saved.add(penalty.save());
    saved.add(loss);
    return std::move(saved).take();
}

SubgradientState SubgradientState::load(std::span<const double> saved) {
    SavedReader reader(saved);
    OnlineWeights weights = OnlineWeights::load(reader.array());
    CumulativePenalty penalty = CumulativePenalty::load(reader.array());
    if (penalty.size() != weights.size())
        fail<DataError>("saved numbers: penalties of ", penalty.size(), " weights, but there are ",
                        weights.size());
    SubgradientState state{std::move(weights), std::move(penalty), reader.number()};
    reader.finish();
    return state;
}

SubgradientState subgradient_epoch(const NBest& nbest, std::span<const double> costs,
                                   const Loss& loss, std::span<const double> held,
                                   std::span<const std::int64_t> order, const SubgradientStep& step,
                                   SubgradientState state) {
    nbest.check_weights(state.weights.size());
    nbest.check_per_row(costs.size(), "costs");
    if (!held.empty()) nbest.check_per_row(held.size(), "shares");
    state.loss = 0.0;
    std::vector<double> scores;
    std::vector<double> slopes;
    std::vector<double> scaled;
    for (const std::int64_t sentence : order) {
        const NBest::Rows rows = nbest.rows(nbest.checked_sentence(sentence));
        scores.clear();
        nbest.for_each(rows, [&](std::size_t, const SparseView& features) {
            scores.push_back(state.weights.dot(features));
        });
        slopes.assign(rows.size(), 0.0);
        scaled.clear();
        for (const double cost : costs.subspan(rows.begin, rows.size()))
            scaled.push_back(step.cost_scale * cost);
        state.loss += held.empty() ? evaluate(loss, scores, scaled, {}, slopes)
                                   : evaluate_held(loss, scores, scaled,
                                                   held.subspan(rows.begin, rows.size()), slopes);
        move(step, state, [&](const auto& row) {
            for (std::size_t i = 0; i < slopes.size(); ++i)
                if (slopes[i] != 0.0) row(nbest.features(rows.begin + i), slopes[i]);
        });
    }
    if (step.l1 > 0.0) state.penalty.pay_all(state.weights);
    return state;
}

}  // namespace hopefear
