// Features that count listed n-grams of a translation.
//
// They are non-local: an n-gram may begin in one rule and end in another. Gimpel & Smith (2012),
// Structured ramp loss minimization for machine translation, 4.3.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/reference_automaton.hpp"

namespace hopefear {

class NgramFeatures {
  public:
    using State = ReferenceAutomaton::State;
    static constexpr std::int32_t none = -1;

    // Feature i counts ngrams[i], in which <s> and </s> may stand for the ends of a sentence.
    // Target sides are written with the numbers of `words`.
    NgramFeatures(const std::vector<std::vector<std::string>>& ngrams, const Vocabulary& words);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const ReferenceAutomaton& automaton() const { return automaton_; }
    // The feature of a k-gram, or none.
    [[nodiscard]] std::int32_t feature(State state) const { return features_[state]; }

    // The ids of the words of a sentence; a word spelled <s> or </s> is unknown.
    void find(std::span<const std::string> sentence, std::vector<WordId>& numbers) const;
    // The id of a word of a target side; a symbol beyond `words` is a word of the sentence.
    [[nodiscard]] WordId number(Symbol symbol, std::span<const WordId> sentence) const {
        const auto word = static_cast<std::size_t>(symbol);
        return word < known_.size() ? known_[word] : sentence[word - known_.size()];
    }
    // The weighted count of n-grams in a target side with unknown slots.
    [[nodiscard]] double estimate(std::span<const Symbol> target, std::span<const WordId> sentence,
                                  std::span<const double> weights) const;

  private:
    NgramFeatures(const std::vector<std::vector<std::string>>& ngrams, const Vocabulary& words,
                  Vocabulary own);

    std::size_t size_;
    Vocabulary own_;
    std::vector<WordId> known_;
    ReferenceAutomaton automaton_;
    std::vector<std::int32_t> features_;  // by state
};

// Features that count pairs of a source word and a target word anywhere in the sentence.
//
// Rosenfeld (1996), A maximum entropy approach to adaptive statistical language modelling, across
// languages: a word anywhere in the source triggers a word of the translation. As the source is
// known, these features are local to the rules that produce the target words.
struct Trigger {
    std::string source;
    std::string target;
};

// The triggers that are active in a sentence.
struct ActiveTriggers {
    std::vector<std::int32_t> own;  // by word of the sentence: its number as a target word
    // by target word, and one more: the beginning of its features
    std::vector<std::uint32_t> first;
    std::vector<std::int32_t> features;
};

class TriggerFeatures {
  public:
    static constexpr std::int32_t none = -1;

    // Feature i counts the target words of triggers[i] if the source word is in the sentence,
    // however often. Target sides are written with the ids of `words`.
    TriggerFeatures(const std::vector<Trigger>& triggers, const Vocabulary& words);

    [[nodiscard]] std::size_t size() const { return size_; }
    void find(std::span<const std::string> sentence, ActiveTriggers& active) const;

    // Call use(feature) for each occurrence of a feature in a target side.
    template <class Use>
    void for_each(std::span<const Symbol> target, const ActiveTriggers& active,
                  const Use& use) const {
        if (active.features.empty()) return;
        for (const Symbol symbol : target) {
            if (is_slot(symbol)) continue;
            const auto word = static_cast<std::size_t>(symbol);
            const std::int32_t number =
                word < known_.size() ? known_[word] : active.own[word - known_.size()];
            if (number == none) continue;
            for (std::uint32_t i = active.first[number]; i < active.first[number + 1]; ++i)
                use(active.features[i]);
        }
    }

  private:
    struct Target {
        std::int32_t word;
        std::int32_t feature;
    };

    std::size_t size_;
    Vocabulary sources_;
    Vocabulary targets_;
    std::vector<std::vector<Target>> by_source_;
    std::vector<std::int32_t> known_;
};

}  // namespace hopefear
