// Bins of nearly equal population for the values of a feature.
//
// Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine translation,
// section 3.2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hopefear {

// The size u that bins should have: the largest with Σ min(f, u) = N u, at which equations 5 and 6
// arrive if the sum is divided by the number of bins N, so that no value fills more than one bin.
// There are at least as many frequencies, all positive, as bins.
[[nodiscard]] double uniform_size(std::span<const double> frequencies, std::size_t bins);

// Cut values, which are in order, into bins: the first value of each bin. Every bin has a value,
// and the mean of |population - u| is as small as can be (equation 7), where a value counts at most
// u. Unlike the paper's greedy algorithm 1, this is exact; but where there are very many values,
// bin j ends within 2^23 / N values of where they add up to j u.
[[nodiscard]] std::vector<std::int64_t> uniform_bins(std::span<const double> frequencies,
                                                     std::size_t bins);

}  // namespace hopefear
