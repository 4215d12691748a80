// The table of structured losses of Gimpel and Smith (2012), figure 2, on a list of hypotheses.
//
// With s_r = w · h_r the score and c_r ≥ 0 the cost of hypothesis r, nearly all of them are
//
//     L(w) = - M_{r ∈ U} (s_r + a c_r)  +  M_{r ∈ D} (s_r + b c_r),      M = max or log-sum-exp,
//
// so a loss has two sides: the hypotheses that should go up and those that should go down. Bayes
// risk is the exception. A learner only needs the derivative with respect to the scores:
// ∂L/∂w = Σ_r (∂L/∂s_r) h_r.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// Which hypotheses of the list compete on a side.
enum class Pool : std::uint8_t {
    all,         // every hypothesis
    reference,   // those of cost zero; a sentence without one is skipped (bold updating)
    least_cost,  // those of the least cost in the list (max-metric updating)
    local,       // those of the least cost among the model's `local_size` best (local updating)
    fixed,       // those named by the caller: oracles
};

struct Side {
    Pool pool = Pool::all;
    double cost = 0.0;  // a or b: -1 looks for good hypotheses, +1 for bad ones
    bool soft = false;  // log-sum-exp in place of max
};

struct Loss {
    Side up;
    Side down;
    bool risk = false;           // E_p[c] under p ~ exp(s) instead of the two sides
    std::size_t local_size = 1;  // of Pool::local
};

// Return the loss of one list and set `slopes`, which are zero before, to ∂L/∂s_r. `fixed` has the
// indices of the hypotheses of Pool::fixed. An empty list, or one without any hypothesis that
// competes on a side, has loss zero. Ties of a max go to the first hypothesis.
double evaluate(const Loss& loss, std::span<const double> scores, std::span<const double> costs,
                std::span<const std::size_t> fixed, std::span<double> slopes);

// The same with the concave part -M_U in the place of its tangent, -Σ_r q_r s_r: what the
// concave-convex procedure minimizes between two tangents. A sentence whose q are all zero is
// skipped.
double evaluate_held(const Loss& loss, std::span<const double> scores,
                     std::span<const double> costs, std::span<const double> q,
                     std::span<double> slopes);

// q_r = ∂M_U/∂s_r of every hypothesis at the weights; 1 for the best of its list where M = max.
// The same result for any number of threads.
std::vector<double> raised_shares(const NBest& nbest, std::span<const double> weights,
                                  std::span<const double> costs, double cost_scale,
                                  const Loss& loss, std::size_t threads);

// A loss over all sentences and its gradient, for L-BFGS.
struct LossGradient {
    double loss = 0.0;
    std::vector<double> gradient;  // by feature
};

// `costs` has an entry for each hypothesis; all are multiplied by `cost_scale`. The lists are read
// once. The same result for any number of threads.
LossGradient loss_gradient(const NBest& nbest, std::span<const double> weights,
                           std::span<const double> costs, double cost_scale, const Loss& loss,
                           std::size_t threads);

// The softmax loss of Watanabe (2012), linearized at the weights.

// For each sentence L = log(Z_oracle / Z_nbest) (equation 6), which is to be maximized, and its
// gradient Ψ.
struct SoftmaxTangents {
    std::vector<double> values;
    SparseRows gradients;
};
SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights);

}  // namespace hopefear
