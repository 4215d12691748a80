// Batch k-best MIRA: hope and fear from a list, one passive-aggressive step a sentence.
//
// Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, 4.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/learn/online_weights.hpp"
#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct KBestMiraOptions {
    double max_step = 0.01;    // C
    double decay = 0.999;      // of the document
    bool hope_context = true;  // the document takes up the hope, otherwise the 1-best
};

struct KBestMiraState {
    OnlineWeights weights;
    std::vector<double> document;  // statistics in whose context a hypothesis is judged
    double loss = 0.0;             // the violations met in the last epoch, summed up
    std::size_t updates = 0;       // how many of its sentences had one

    // Everything in one array, and the same from it.
    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] static KBestMiraState load(std::span<const double> saved);
};

// One epoch over the sentences in `order`.
KBestMiraState kbest_mira_epoch(const NBest& nbest, const CorpusScore& score,
                                std::span<const std::int64_t> order,
                                const KBestMiraOptions& options, KBestMiraState state);

}  // namespace hopefear
