// Probabilities of one order from those of the order below (Chen and Goodman, 1998, equation 25).
#pragma once

#include <cstddef>

#include "hopefear/base/error.hpp"
#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

// Read n-grams from `weighted`, the probabilities of their suffixes from `lower` and the back-off
// weights of those that are contexts from `gammas`; all are in suffix order, so one pass finds
// what belongs together. Call emit(words, probability, back-off) for each n-gram.
template <std::size_t N, class WeightedNGrams, class Lower, class Gammas, class Emit>
void interpolate(WeightedNGrams& weighted, Lower& lower, Gammas& gammas, Emit&& emit) {
    Weighted<N> entry;
    while (weighted.next(entry)) {
        while (lower.peek() != nullptr && lower.peek()->words != suffix_of<N>(entry.words))
            lower.advance();
        if (lower.peek() == nullptr) fail<Error>("an n-gram of order ", N, " has no suffix");
        // p(wₙ | w₁…wₙ₋₁) = u(wₙ | w₁…wₙ₋₁) + γ(w₁…wₙ₋₁) p(wₙ | w₂…wₙ₋₁)
        double probability =
            entry.value.probability + static_cast<double>(entry.value.gamma) * lower.peek()->value;
        // A sentence has begun: <s> is never predicted, and has the probability 1 so that it may be
        // scored without effect.
        if (N == 1 && entry.words[0] == sentence_begin) probability = 1.0;
        while (gammas.peek() != nullptr && gammas.peek()->words < entry.words) gammas.advance();
        const Scored<N>* gamma = gammas.peek();
        // An n-gram that is no context backs off for nothing.
        const bool context = gamma != nullptr && gamma->words == entry.words;
        emit(entry.words, probability, context ? gamma->value : 1.0);
    }
}

}  // namespace hopefear::kneser_ney
