// Features that count pairs of a source word and a target word, wherever they are in the sentence.
//
// Rosenfeld (1996), A maximum entropy approach to adaptive statistical language modelling, of two
// languages: a word anywhere in the source triggers a word of the translation. As the source is
// known, these features are local to the rules that bring the target words in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

struct Trigger {
    std::string source;
    std::string target;
};

// What the words of a sentence trigger.
struct ActiveTriggers {
    std::vector<std::int32_t> own;     // by word of the sentence: its number as a target word
    std::vector<std::uint32_t> first;  // by target word, and one more: where its features begin
    std::vector<std::int32_t> features;
};

class TriggerFeatures {
  public:
    static constexpr std::int32_t none = -1;

    // Feature i counts the target words of triggers[i] where its source word is in the sentence,
    // however often. Target sides are written with the numbers of `words`.
    TriggerFeatures(const std::vector<Trigger>& triggers, const Vocabulary& words);

    [[nodiscard]] std::size_t size() const { return size_; }
    void find(std::span<const std::string> sentence, ActiveTriggers& active) const;

    // Call use(feature) for each time that a feature counts in a target side.
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
