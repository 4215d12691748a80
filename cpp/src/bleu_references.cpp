#include "hopefear/bleu_references.hpp"

#include <algorithm>
#include <optional>

#include "hopefear/bleu.hpp"
#include "hopefear/error.hpp"

namespace hopefear {

namespace {

// m_k: walks over hypotheses of one sentence after the other, keeping its buffers.
class ClippedMatches {
  public:
    explicit ClippedMatches(const BleuReferences& references) : references_(references) {}

    void count(std::size_t sentence, std::span<const WordId> words, BleuStatistics<double> b) {
        if (!automaton_ || sentence != sentence_) {
            automaton_.emplace(references_.automaton(sentence));
            sentence_ = sentence;
        }
        seen_.assign(automaton_->size(), 0);
        auto state = ReferenceAutomaton::root;
        for (const WordId word : words) {
            state = automaton_->next(state, word);
            for (auto s = state; s != ReferenceAutomaton::root; s = automaton_->shorter(s))
                if (++seen_[s] <= automaton_->limit(s)) b.matches(automaton_->depth(s)) += 1.0;
        }
    }

  private:
    const BleuReferences& references_;
    std::optional<ReferenceAutomaton> automaton_;
    std::size_t sentence_ = 0;
    std::vector<std::int32_t> seen_;
};

}  // namespace

BleuReferences::BleuReferences(std::shared_ptr<const ReferenceWords> references, int order,
                               ReferenceLength length)
    : words_(std::move(references)), order_(order), length_(length) {
    if (order < 1 || order > ReferenceAutomaton::max_order)
        fail<ConfigError>("the order of BLEU must be from 1 to ", ReferenceAutomaton::max_order,
                          ", got ", order);
}

double BleuReferences::reference_length(std::size_t sentence, std::size_t length) const {
    if (length_ == ReferenceLength::average) return words_->average_length(sentence);
    const auto distance = [&](std::size_t reference) {
        return length_ == ReferenceLength::shortest
                   ? reference
                   : std::max(reference, length) - std::min(reference, length);
    };
    std::size_t best = words_->words(sentence, 0).size();
    for (std::size_t r = 1; r < words_->count(sentence); ++r) {
        const std::size_t other = words_->words(sentence, r).size();
        if (std::pair(distance(other), other) < std::pair(distance(best), best)) best = other;
    }
    return static_cast<double>(best);
}

std::vector<double> BleuReferences::statistics(const Hypotheses& hypotheses,
                                               std::size_t threads) const {
    return fill_statistics(hypotheses, *words_, dimension(), threads, [this]() -> FillStatistics {
        return [this, matches = ClippedMatches(*this)](std::size_t sentence,
                                                       std::span<const WordId> words,
                                                       std::span<double> out) mutable {
            const BleuStatistics<double> b(out);
            matches.count(sentence, words, b);
            for (std::size_t k = 1; k <= b.order(); ++k)
                b.total(k) = static_cast<double>(words.size() - std::min(words.size(), k - 1));
            b.reference_length() = reference_length(sentence, words.size());
        };
    });
}

}  // namespace hopefear
