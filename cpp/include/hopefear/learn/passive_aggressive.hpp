// The step of MIRA with one constraint.
//
// Crammer et al. (2006), Online passive-aggressive algorithms, JMLR 7, PA-I.
#pragma once

#include <algorithm>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/learn/online_weights.hpp"

namespace hopefear {

// Raise the hope above the fear by the cost of preferring the fear, or as near as C lets:
// tau = min(C, violation / |difference|^2), where `difference` is h(hope) - h(fear). Returns the
// violation cost - w . difference, zero if there is none.
inline double raise(const SparseView& difference, double cost, double max_step,
                    OnlineWeights& weights) {
    const double violation = cost - weights.dot(difference);
    double norm = 0.0;
    for (const double x : difference.values) norm += x * x;
    if (violation <= 0.0 || norm == 0.0) return 0.0;
    weights.add(difference, std::min(max_step, violation / norm));
    return violation;
}

}  // namespace hopefear
