// Probabilities of one order from those of the order below (Chen and Goodman, 1998, equation 25).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

// The discounts of counts 1, 2, and 3 or more (Chen and Goodman, 1998, An empirical study of
// smoothing techniques for language modeling, equation 26).

// D₁, D₂, D₃₊ of one order.
class Discounts {
  public:
    Discounts() = default;
    explicit Discounts(const std::array<double, 3>& values)
        : values_{0, values[0], values[1], values[2]} {}

    [[nodiscard]] double of(std::uint64_t count) const { return values_[count < 3 ? count : 3]; }

  private:
    std::array<double, 4> values_{};
};

// nᵢ: the number of n-grams of one order with adjusted count i, for i up to 4.
class CountsOfCounts {
  public:
    void add(std::uint64_t count) {
        if (count < n_.size()) ++n_[count];
    }
    [[nodiscard]] std::uint64_t of(std::size_t count) const { return n_[count]; }

  private:
    std::array<std::uint64_t, 5> n_{};
};

// The discounts of `order`. If they cannot be estimated because some nᵢ is 0 or a discount is out
// of range, `fallback` is used; without one, this throws DataError.
[[nodiscard]] Discounts estimate_discounts(std::size_t order, const CountsOfCounts& n,
                                           const std::optional<std::array<double, 3>>& fallback);

// The weights of the words that follow each context (Chen and Goodman, 1998, equations 24 and 25;
// pruned n-grams as in lmplz).

// The mass of one context, as its words are added.
class ContextMass {
  public:
    void add(Count count, const Discounts& discounts) {
        total_ += count.value();
        // The lower order gets the whole mass of a pruned n-gram.
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

// Read adjusted counts from `counted` in context order. Push every context with its γ to `gammas`
// in suffix order, and every n-gram that is not pruned to `weighted`. The words that follow one
// context are kept in memory: at most the vocabulary.
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

// Read n-grams from `weighted`, the probabilities of their suffixes from `lower` and the back-off
// weights of contexts from `gammas`. All are in suffix order, so one pass joins them. Call
// emit(words, probability, back-off) for each n-gram.
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
        // <s> is never predicted; it gets probability 1 so that scoring it has no effect.
        if (N == 1 && entry.words[0] == sentence_begin) probability = 1.0;
        while (gammas.peek() != nullptr && gammas.peek()->words < entry.words) gammas.advance();
        const Scored<N>* gamma = gammas.peek();
        // The back-off weight of an n-gram that is not a context is 1.
        const bool context = gamma != nullptr && gamma->words == entry.words;
        emit(entry.words, probability, context ? gamma->value : 1.0);
    }
}

}  // namespace hopefear::kneser_ney
