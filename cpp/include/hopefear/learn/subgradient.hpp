// Stochastic subgradient descent on any loss of loss.hpp, one sentence at a time.
//
// Gimpel and Smith (2012), algorithm 1 (RAMPION), is the third ramp loss with the hypotheses that
// should go up held over several epochs; the perceptron has its own loss and a rate of 1.
#pragma once

#include <cstdint>
#include <span>

#include "hopefear/learn/loss.hpp"
#include "hopefear/learn/online_weights.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct SubgradientStep {
    double rate = 0.0;        // eta
    double shrinkage = 0.0;   // η C / N: the share of w - origin removed by a step
    double l1 = 0.0;          // η C / N: what a step subtracts from |w_j|, clipped at zero
    double cost_scale = 1.0;  // α: factor of all costs
};

// The total l1 penalty due so far, and what each weight has paid of it (Tsuruoka et al. 2009, SGD
// training with cumulative penalty). A weight pays when its feature is touched.
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
    double loss = 0.0;  // the sum of the losses in the last epoch

    [[nodiscard]] static SubgradientState merged(std::span<const SubgradientState* const> all);

    // The whole state as one array, and the state from such an array.
    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] static SubgradientState load(std::span<const double> saved);
};

// The step of a sentence: θ ← θ - η C (θ - θ₀) / N - η ∂L/∂θ, where `gradient` calls row(h, slope)
// for the feature vectors h whose sum, each times its slope, is ∂L/∂θ.
template <class Gradient>
void move(const SubgradientStep& step, SubgradientState& state, const Gradient& gradient) {
    if (step.shrinkage > 0.0) state.weights.shrink(1.0 - step.shrinkage);
    state.penalty.charge(step.l1);
    gradient([&](const SparseView& h, double slope) { state.weights.add(h, -step.rate * slope); });
    if (step.l1 != 0.0)
        gradient([&](const SparseView& h, double) {
            for (const FeatureId id : h.ids) state.penalty.pay(state.weights, id);
        });
    state.weights.count();
}

// One epoch over the sentences in `order`. `costs` has an entry for each hypothesis, and so has
// `held`, the shares by which hypotheses are raised (raised_shares), unless it is empty.
SubgradientState subgradient_epoch(const NBest& nbest, std::span<const double> costs,
                                   const Loss& loss, std::span<const double> held,
                                   std::span<const std::int64_t> order, const SubgradientStep& step,
                                   SubgradientState state);

}  // namespace hopefear
