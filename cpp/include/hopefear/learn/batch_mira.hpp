// Batch MIRA: hope and fear of a fixed list or forest, one passive-aggressive step a sentence.
//
// Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, NAACL, 4.1
// (k-best MIRA) and 4.2 (lattice MIRA, here on forests). Crammer et al. (2006), Online
// passive-aggressive algorithms, JMLR 7 (PA-I). Chiang (2012), Hope and fear, A.3: linear BLEU,
// which makes the search of a forest exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/forest/forest_set.hpp"
#include "hopefear/learn/online_weights.hpp"
#include "hopefear/metrics/bleu_forests.hpp"
#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct BatchMiraOptions {
    double max_step = 0.01;    // C
    double decay = 0.999;      // of the document, after each sentence
    bool hope_context = true;  // add the hope to the document; otherwise the 1-best
};

struct BatchMiraState {
    OnlineWeights weights;
    std::vector<double> document;  // the statistics in whose context a hypothesis is judged
    double loss = 0.0;             // the sum of the violations in the last epoch
    std::size_t updates = 0;       // how many of its sentences had a violation

    // The mean of the weights and documents of several states.
    [[nodiscard]] static BatchMiraState merged(std::span<const BatchMiraState* const> all);

    // The whole state as one array, and the state from such an array.
    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] static BatchMiraState load(std::span<const double> saved);
};

// One epoch over the sentences in `order`.
[[nodiscard]] BatchMiraState kbest_mira_epoch(const NBest& nbest, const CorpusScore& score,
                                              std::span<const std::int64_t> order,
                                              const BatchMiraOptions& options,
                                              BatchMiraState state);
[[nodiscard]] BatchMiraState forest_mira_epoch(const ForestSet& forests, const BleuForests& split,
                                               const CorpusScore& score,
                                               std::span<const std::int64_t> order,
                                               const BatchMiraOptions& options,
                                               BatchMiraState state);

}  // namespace hopefear
