// Forest MIRA: batch MIRA whose hope and fear are found among all derivations of a forest.
//
// Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, NAACL
// (lattice MIRA). Chiang (2012), Hope and fear, 4.2 and A.3: linear BLEU, for an exact search.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/best_derivations.hpp"
#include "hopefear/forest/forest_set.hpp"
#include "hopefear/learn/kbest_mira.hpp"
#include "hopefear/learn/online_weights.hpp"
#include "hopefear/metrics/bleu_forests.hpp"
#include "hopefear/metrics/corpus_score.hpp"

namespace hopefear {

// The coefficients c of the linear gain: c . b, the first order expansion of what k-best MIRA
// judges by, rho BLEU of the document with the sentence. The point of expansion is the document
// with one more perfect sentence, so that no count of matches is near zero.
[[nodiscard]] std::vector<double> linear_gain(std::span<const double> document);

// The search for hope and fear; it keeps its buffers from sentence to sentence.
class HopeFear {
  public:
    struct Found {
        std::vector<EdgeId> edges;       // of the forest, in the order of the target side
        std::vector<double> statistics;  // exact: matches are clipped
        std::vector<WordId> words;
        double score = 0.0;  // w . h, + or - the linear gain of the statistics on the edges
    };

    HopeFear(const ForestSet& forests, const BleuForests& split);

    // hope = argmax w.h + c.b, fear = argmax w.h - c.b, and the 1-best: with statistics of edges
    // that are not clipped. Where a forest has no statistics on its edges, hope and fear are found
    // by reranking, in the context of `document`: not exact, but in time that is linear in edges.
    void find(std::size_t sentence, const OnlineWeights& weights, std::span<const double> gain,
              std::span<const double> document);

    [[nodiscard]] const Found& hope() const { return found_[0]; }
    [[nodiscard]] const Found& fear() const { return found_[1]; }
    [[nodiscard]] const Found& model() const { return found_[2]; }

  private:
    static constexpr std::size_t lanes = 4;  // one more than there are: a full vector register

    void find_on_edges(std::size_t sentence, std::span<const double> gain);
    void find_by_reranking(std::size_t sentence, std::span<const double> document);
    void read(std::size_t sentence, std::size_t lane);
    // Give `found` a derivation, its words and their exact statistics.
    void take(std::size_t sentence, std::span<const EdgeId> edges, Found& found);
    // Give it the statistics of its words.
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

// The summed statistics of derivations that are as good for the corpus as can be found: each is the
// hope without a model, given those of the other sentences.
[[nodiscard]] std::vector<double> oracle_statistics(const ForestSet& forests,
                                                    const BleuForests& split,
                                                    const CorpusScore& score);

// One epoch over the sentences in `order`.
KBestMiraState forest_mira_epoch(const ForestSet& forests, const BleuForests& split,
                                 const CorpusScore& score, std::span<const std::int64_t> order,
                                 const KBestMiraOptions& options, KBestMiraState state);

}  // namespace hopefear
