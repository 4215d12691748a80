// Pairs of hypotheses, one of which should rank above the other, and the differences of their
// features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// Pairs, list by list. A hypothesis is in many pairs, so each row is kept once and a pair is two
// positions among the rows.
class RankingPairs {
  public:
    struct Pair {
        std::uint32_t better;  // should have a higher score
        std::uint32_t worse;
    };
    // Where the rows and the pairs of a list begin.
    struct List {
        std::size_t rows;
        std::size_t pairs;
    };

    // Add the pairs of a list, given as positions in it.
    void add_list(NBest::Rows list, std::span<const Pair> pairs);

    [[nodiscard]] std::size_t size() const { return pairs_.size(); }
    [[nodiscard]] std::size_t lists() const { return lists_.size() - 1; }
    [[nodiscard]] std::span<const Pair> pairs() const { return pairs_; }
    [[nodiscard]] std::span<const Pair> pairs(std::size_t list) const {
        return pairs().subspan(lists_[list].pairs, lists_[list + 1].pairs - lists_[list].pairs);
    }
    // Row numbers of n-best lists; increasing within a list.
    [[nodiscard]] std::span<const std::uint32_t> rows() const { return rows_; }
    // The positions of a list's rows among them.
    [[nodiscard]] NBest::Rows rows(std::size_t list) const {
        return {lists_[list].rows, lists_[list + 1].rows};
    }

  private:
    std::vector<std::uint32_t> rows_;
    std::vector<Pair> pairs_;
    std::vector<List> lists_{{0, 0}};
    // of the list being added: positions of its rows in rows_
    std::vector<std::uint32_t> position_;
};

// Hopkins and May (2011), Tuning as ranking, figure 4.
struct PairSampling {
    std::size_t samples = 5000;  // Γ: pairs drawn from each list
    std::size_t kept = 50;       // Ξ: pairs kept, those with the largest difference in gain
    double threshold = 0.05;     // α: smaller differences are ignored
};

// `gains` has an entry for each hypothesis. Every sentence has its own random stream, so any number
// of threads gives the same pairs. The pairs of a list are sorted by their better rows.
RankingPairs sample_pairs(const NBest& nbest, std::span<const double> gains,
                          const PairSampling& sampling, std::uint64_t seed, std::size_t threads);

// Every oracle paired with every other hypothesis of its list (Watanabe 2012, equation 5). At most
// `most` oracles of a list take part, evenly spaced; 0 means all.
RankingPairs oracle_pairs(const NBest& nbest, std::span<const std::int64_t> sentences,
                          const std::vector<std::vector<std::int64_t>>& oracles, std::size_t most);

// The matrix of h(better) - h(worse) for pairs of hypotheses.
//
// It is not stored: w · (h(better) - h(worse)) is a difference of two scores, so each hypothesis is
// visited once, however many pairs it is in.
class PairDifferences {
  public:
    // Both must outlive this object. Throws DataError if the pairs belong to other, longer lists.
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
    // rows' diag(factors) rows, row by row; only the lower triangle is filled.
    [[nodiscard]] std::vector<double> weighted_square(std::span<const double> factors,
                                                      std::size_t features) const;

  private:
    template <class Visit>
    void for_each_row(std::size_t begin, std::size_t end, const Visit& visit) const;

    const NBest& nbest_;
    const RankingPairs& pairs_;
};

// The matrix, stored.
SparseRows pair_differences(const NBest& nbest, const RankingPairs& pairs);

// The pairs with w · (h(better) - h(worse)) < 1: their number, and the sum of their differences.
struct ViolatedPairs {
    std::size_t count = 0;
    std::vector<double> sum;
};
ViolatedPairs violated_pairs(const NBest& nbest, const RankingPairs& pairs,
                             std::span<const double> weights);

}  // namespace hopefear
