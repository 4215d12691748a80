// What each context gives to the words that follow it (Chen and Goodman, 1998, equations 24 and 25;
// pruned n-grams as lmplz treats them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hopefear/lm/discounts.hpp"
#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

// The mass of one context, as its words are added.
class ContextMass {
  public:
    void add(Count count, const Discounts& discounts) {
        total_ += count.value();
        // What a pruned n-gram had is left to the lower order, all of it.
        if (count.pruned())
            removed_ += count.value();
        else
            discounted_ += discounts.of(count.value());
    }
    // Σ a(w₁…wₙ₋₁ x)
    [[nodiscard]] double total() const { return static_cast<double>(total_); }
    // γ(w₁…wₙ₋₁) = (Σ D(a(w₁…wₙ₋₁ x)) + Σ pruned a(w₁…wₙ₋₁ x)) / Σ a(w₁…wₙ₋₁ x)
    [[nodiscard]] double gamma() const {
        return (discounted_ + static_cast<double>(removed_)) / total();
    }

  private:
    std::uint64_t total_ = 0;
    std::uint64_t removed_ = 0;
    double discounted_ = 0;
};

// Read adjusted counts from `counted`, in context order. Push every context with its γ to `gammas`,
// in suffix order, and every n-gram that is not pruned to `weighted`. The words after one context
// are held in memory: there are no more of them than words in the vocabulary.
template <std::size_t N, class CountedNGrams, class WeightedNGrams, class Gammas>
void weigh_contexts(CountedNGrams& counted, const Discounts& discounts, WeightedNGrams& weighted,
                    Gammas& gammas) {
    std::vector<Counted<N>> group;
    Counted<N> entry;
    bool more = counted.next(entry);
    while (more) {
        const Words<N - 1> context = context_of<N>(entry.words);
        ContextMass mass;
        group.clear();
        do {
            mass.add(entry.value, discounts);
            group.push_back(entry);
            more = counted.next(entry);
        } while (more && context_of<N>(entry.words) == context);
        const auto gamma = static_cast<float>(mass.gamma());
        gammas.push({context, gamma});
        for (const Counted<N>& each : group) {
            if (each.value.pruned()) continue;
            // u(wₙ | w₁…wₙ₋₁) = (a(w₁…wₙ) − D(a(w₁…wₙ))) / Σ a(w₁…wₙ₋₁ x)
            const std::uint64_t count = each.value.value();
            const double kept = static_cast<double>(count) - discounts.of(count);
            weighted.push({each.words, {static_cast<float>(kept / mass.total()), gamma}});
        }
    }
}

}  // namespace hopefear::kneser_ney
