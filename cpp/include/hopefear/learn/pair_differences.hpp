// The matrix of h(better) - h(worse) for pairs of hypotheses.
//
// It need not be written out: w . (h(better) - h(worse)) is a difference of two scores, so that
// each hypothesis is looked at once, however many pairs it is in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/learn/ranking_pairs.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

class PairDifferences {
  public:
    // Both must outlive it. An error if the pairs are of other, longer lists.
    PairDifferences(const NBest& nbest, const RankingPairs& pairs);

    [[nodiscard]] std::size_t size() const { return pairs_.size(); }
    // rows w
    [[nodiscard]] std::vector<double> dot(std::span<const double> weights) const;
    // rows' x, of length `features`
    [[nodiscard]] std::vector<double> transposed_dot(std::span<const double> x,
                                                     std::size_t features) const;
    // rows' (factors * (rows w)), of the length of w
    [[nodiscard]] std::vector<double> weighted_square_dot(std::span<const double> factors,
                                                          std::span<const double> weights) const;
    // rows' diag(factors) rows, row by row; only what is on and below the diagonal is there.
    [[nodiscard]] std::vector<double> weighted_square(std::span<const double> factors,
                                                      std::size_t features) const;

  private:
    template <class Visit>
    void for_each_row(std::size_t begin, std::size_t end, const Visit& visit) const;

    const NBest& nbest_;
    const RankingPairs& pairs_;
};

// The matrix written out.
SparseRows pair_differences(const NBest& nbest, const RankingPairs& pairs);

// The pairs with w . (h(better) - h(worse)) < 1: how many there are, and the sum of these
// differences.
struct ViolatedPairs {
    std::size_t count = 0;
    std::vector<double> sum;
};
ViolatedPairs violated_pairs(const NBest& nbest, const RankingPairs& pairs,
                             std::span<const double> weights);

}  // namespace hopefear
