// Hope and fear, in lists and in forests: the hypotheses with the largest model score plus or minus
// gain.
//
// Chiang (2012), Hope and fear for discriminative training of statistical translation models:
//
//     hope = argmax_d  w · h(d) + B(d),      fear = argmax_d  w · h(d) - B(d),
//
// where B is the gain. Ties go to the first hypothesis.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/best_derivations.hpp"
#include "hopefear/forest/forest_set.hpp"
#include "hopefear/metrics/bleu_forests.hpp"
#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// The row with the largest value among those offered, the first of equals.
struct BestRow {
    std::size_t row;
    double value;

    void offer(std::size_t other, double at) {
        if (at > value) [[unlikely]]
            *this = {other, at};
    }
};

// Hope, fear and 1-best of a list, offered row by row with score s = w · h and gain b.
struct HopeFearRows {
    BestRow hope;
    BestRow fear;
    BestRow model;

    HopeFearRows(std::size_t first, double s, double b)
        : hope{first, s + b}, fear{first, s - b}, model{first, s} {}
    void offer(std::size_t row, double s, double b) {
        hope.offer(row, s + b);
        fear.offer(row, s - b);
        model.offer(row, s);
    }
};

// A gain for each row of n-best lists, and its weight: 1 finds hopes, -1 fears, 0 the 1-best.
struct ScaledGains {
    std::span<const double> gains;
    double scale = 0.0;
};

// For each sentence the row with the largest w · h + scale · gain; -1 if the list is empty. Weights
// and gains must be finite. The same result for any number of threads.
[[nodiscard]] std::vector<std::int64_t> best_rows(const NBest& lists,
                                                  std::span<const double> weights,
                                                  const ScaledGains& gains, std::size_t threads);
// The same, given the scores w · h of all rows.
[[nodiscard]] std::vector<std::int64_t> best_rows_of(const NBest& lists,
                                                     std::span<const double> scores,
                                                     const ScaledGains& gains);

// Searches forests for hope, fear and 1-best. The buffers are reused from sentence to sentence.
class ForestHopeFear {
  public:
    struct Found {
        std::vector<EdgeId> edges;       // of the forest, in the order of the target side
        std::vector<double> statistics;  // exact: matches are clipped
        std::vector<WordId> words;
        double score = 0.0;  // w · h, plus or minus the linear gain of the statistics on the edges
    };

    ForestHopeFear(const ForestSet& forests, const BleuForests& split);

    // hope = argmax w·h + c·b, fear = argmax w·h - c·b, and the 1-best, where c is `gain` and b are
    // the unclipped statistics on the edges. Where a forest has no statistics on its edges, hope
    // and fear are found by reranking in the context of `document`, which is not exact but takes
    // time linear in the number of edges.
    void find(std::size_t sentence, std::span<const double> weights, std::span<const double> gain,
              std::span<const double> document);

    [[nodiscard]] const Found& hope() const { return found_[0]; }
    [[nodiscard]] const Found& fear() const { return found_[1]; }
    [[nodiscard]] const Found& model() const { return found_[2]; }

  private:
    static constexpr std::size_t lanes = 4;  // hope, fear, model, and one to fill the register

    void find_on_edges(std::size_t sentence, std::span<const double> gain);
    void find_by_reranking(std::size_t sentence, std::span<const double> document);
    template <class Choose>
    void read(std::size_t sentence, std::size_t lane, const Choose& choose);
    // Set the derivation of `found`, its words and their exact statistics.
    void take(std::size_t sentence, std::span<const EdgeId> edges, Found& found);
    // Set the statistics of the words of `found`.
    void count(std::size_t sentence, Found& found);

    const ForestSet& forests_;
    const BleuForests& split_;
    WordMetric::Count count_;
    BestDerivations<lanes> best_;
    DerivationText text_;
    std::vector<double> scores_;  // by edge of the forest
    std::vector<double> gains_;   // by row of statistics
    std::vector<WordId> numbers_;
    std::array<Found, 3> found_;
};

// The summed statistics of derivations that together score well on the corpus: each is the hope
// under zero weights, given the derivations of the other sentences.
[[nodiscard]] std::vector<double> oracle_statistics(const ForestSet& forests,
                                                    const BleuForests& split,
                                                    const CorpusScore& score);

}  // namespace hopefear
