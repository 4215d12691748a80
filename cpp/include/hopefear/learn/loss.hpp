// The table of structured losses of Gimpel and Smith (2012), figure 2, on a list of hypotheses.
//
// With s_r = w . h_r the score and c_r >= 0 the cost of hypothesis r, nearly all of them are
//
//     L(w) = - M_{r in U} (s_r + a c_r)  +  M_{r in D} (s_r + b c_r),      M = max or log-sum-exp,
//
// so a loss is two sides: what should go up and what should go down. Bayes risk is the exception.
// The derivative with respect to the scores is all that a learner needs: dL/dw = sum_r (dL/ds_r)
// h_r.
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
    reference,   // those of cost zero; without one the sentence is skipped (bold updating)
    least_cost,  // those of the least cost in the list (max-metric updating)
    local,       // those of the least cost among the model's `local_size` best (local updating)
    fixed,       // those that the caller names: oracles, or the concave part of CCCP, held fixed
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

// One list's loss, and dL/ds_r added into `slopes` (which the caller has zeroed).
// `fixed` has the indices of the hypotheses of Pool::fixed. Lists without hypotheses have loss
// zero. Ties of a max go to the first hypothesis.
double evaluate(const Loss& loss, std::span<const double> scores, std::span<const double> costs,
                std::span<const std::size_t> fixed, std::span<double> slopes);

// A loss of the table over all sentences, and its gradient: what L-BFGS asks for.

struct LossGradient {
    double loss = 0.0;
    std::vector<double> gradient;  // by feature
};

// `costs` has an entry for each hypothesis, and all are multiplied by `cost_scale`. Lists are gone
// through once, and nothing is kept of them. The same for any number of threads.
LossGradient loss_gradient(const NBest& nbest, std::span<const double> weights,
                           std::span<const double> costs, double cost_scale, const Loss& loss,
                           std::size_t threads);

// The softmax loss of Watanabe (2012), linearized at the weights.

// For each sentence L = log(Z_oracle / Z_nbest) (equation 6), which is to be raised, and its
// gradient Psi.
struct SoftmaxTangents {
    std::vector<double> values;
    SparseRows gradients;
};
SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights);

}  // namespace hopefear
