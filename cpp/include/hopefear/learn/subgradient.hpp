// Stochastic subgradient descent on any loss of the table, one sentence at a time.
//
// Gimpel and Smith (2012), algorithm 1, is this with the third ramp loss and what should go up held
// fixed over several epochs; the perceptron is this with its own loss and a rate of 1.
#pragma once

#include <cstdint>
#include <span>

#include "hopefear/learn/loss.hpp"
#include "hopefear/learn/online_weights.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct SubgradientStep {
    double rate = 0.0;        // eta
    double shrinkage = 0.0;   // what a step takes off w - origin: eta C / N
    double l1 = 0.0;          // what a step takes off |w_j|, at most to zero: eta C / N
    double cost_scale = 1.0;  // alpha: what all costs are multiplied by
};

// The l1 penalty that every weight should have paid by now, and what each has paid (Tsuruoka et al.
// 2009, SGD training with cumulative penalty). A weight pays when its feature is touched.
class CumulativePenalty {
  public:
    explicit CumulativePenalty(std::size_t features) : paid_(features) {}
    [[nodiscard]] std::size_t size() const { return paid_.size(); }
    void charge(double amount) { due_ += amount; }
    void pay(OnlineWeights& weights, FeatureId id);
    void pay_all(OnlineWeights& weights);

    // The mean of what is due and of what was paid.
    [[nodiscard]] static CumulativePenalty merged(std::span<const CumulativePenalty* const> all);

    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] static CumulativePenalty load(std::span<const double> saved);

  private:
    std::vector<double> paid_;
    double due_ = 0.0;
};

struct SubgradientState {
    OnlineWeights weights;
    CumulativePenalty penalty;
    double loss = 0.0;  // the losses met in the last epoch, summed up

    // The same at other weights: what was averaged so far stays.
    [[nodiscard]] SubgradientState moved(std::span<const double> target) const;
    [[nodiscard]] static SubgradientState merged(std::span<const SubgradientState* const> all);

    // Everything in one array, and the same from it.
    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] static SubgradientState load(std::span<const double> saved);
};

// One epoch over the sentences in `order`. `costs` has an entry for each hypothesis; `fixed` names
// for each sentence the hypothesis of Pool::fixed by its row, or is empty.
SubgradientState subgradient_epoch(const NBest& nbest, std::span<const double> costs,
                                   const Loss& loss, std::span<const std::int64_t> fixed,
                                   std::span<const std::int64_t> order, const SubgradientStep& step,
                                   SubgradientState state);

}  // namespace hopefear
