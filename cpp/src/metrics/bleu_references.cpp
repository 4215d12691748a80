#include "hopefear/metrics/bleu_references.hpp"

#include <algorithm>
#include <optional>

#include "hopefear/base/error.hpp"
#include "hopefear/metrics/bleu.hpp"

namespace hopefear {

namespace {

// m_k: matches of the hypotheses of one sentence after the other, with reused buffers.
class ClippedMatches {
  public:
    explicit ClippedMatches(const BleuReferences& references) : references_(references) {}

    void count(std::size_t sentence, std::span<const WordId> words, BleuStatistics<double> b) {
        if (!automaton_ || sentence != sentence_) {
            automaton_.emplace(references_.automaton(sentence));
            sentence_ = sentence;
        }
        automaton_->count_clipped(words, seen_, b.matches());
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
    : WordMetric(std::move(references)), order_(order), length_(length) {
    if (order < 1 || order > ReferenceAutomaton::max_order)
        fail<ConfigError>("the order of BLEU must be from 1 to ", ReferenceAutomaton::max_order,
                          ", got ", order);
}

ReferenceAutomaton BleuReferences::automaton(std::size_t sentence) const {
    std::vector<std::span<const WordId>> texts;
    for (std::size_t r = 0; r < references()->count(sentence); ++r)
        texts.push_back(references()->words(sentence, r));
    return ReferenceAutomaton(texts, order_);
}

double BleuReferences::reference_length(std::size_t sentence, std::size_t length) const {
    if (length_ == ReferenceLength::average) return references()->average_length(sentence);
    const auto distance = [&](std::size_t reference) {
        return length_ == ReferenceLength::shortest
                   ? reference
                   : std::max(reference, length) - std::min(reference, length);
    };
    std::size_t best = references()->words(sentence, 0).size();
    for (std::size_t r = 1; r < references()->count(sentence); ++r) {
        const std::size_t other = references()->words(sentence, r).size();
        if (std::pair(distance(other), other) < std::pair(distance(best), best)) best = other;
    }
    return static_cast<double>(best);
}

ForestStatistics BleuReferences::forest_statistics(const Forest& forest, std::size_t sentence,
                                                   std::span<const WordId> numbers,
                                                   std::size_t max_edges) const {
    if (sentence >= references()->size())
        fail<DataError>("the forest belongs to sentence ", sentence,
                        ", but there are references for ", references()->size(), " sentences");
    return hopefear::forest_statistics(forest, automaton(sentence), numbers,
                                       references()->average_length(sentence), max_edges);
}

WordMetric::Count BleuReferences::make_count() const {
    return [this, matches = ClippedMatches(*this)](
               std::size_t sentence, std::span<const WordId> words, std::span<double> out) mutable {
        const BleuStatistics<double> b(out);
        matches.count(sentence, words, b);
        for (std::size_t k = 1; k <= b.order(); ++k)
            b.total(k) = static_cast<double>(words.size() - std::min(words.size(), k - 1));
        b.reference_length() = reference_length(sentence, words.size());
    };
}

}  // namespace hopefear
