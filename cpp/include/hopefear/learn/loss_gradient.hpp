// A loss of the table over all sentences, and its gradient: what L-BFGS asks for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/learn/loss.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct LossGradient {
    double loss = 0.0;
    std::vector<double> gradient;  // by feature
};

// `costs` has an entry for each hypothesis, and all are multiplied by `cost_scale`. Lists are gone
// through once, and nothing is kept of them. The same for any number of threads.
LossGradient loss_gradient(const NBest& nbest, std::span<const double> weights,
                           std::span<const double> costs, double cost_scale, const Loss& loss,
                           std::size_t threads);

}  // namespace hopefear
