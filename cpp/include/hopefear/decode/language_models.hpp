// The language models of a translation model, over its words. For use inside the core: this needs
// KenLM's headers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hopefear/decode/chart_language_model.hpp"
#include "hopefear/decode/translation_model.hpp"

namespace hopefear {

class LanguageModels {
    // The number of a symbol in one of the models.
    struct Numbers {
        std::span<const std::uint32_t> known;
        const std::uint32_t* own;

        std::uint32_t operator()(Symbol symbol) const {
            const auto word = static_cast<std::size_t>(symbol);
            return word < known.size() ? known[word] : own[word - known.size()];
        }
    };

  public:
    LanguageModels(std::span<const NamedLanguageModel> models, const Vocabulary& words);

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    void find(std::span<const std::string> sentence,
              std::vector<std::vector<std::uint32_t>>& numbers) const;

    // See ChartLanguageModel. A symbol beyond the words of the translation model is a word of the
    // sentence.
    template <class Tail>
    float score(std::size_t model, std::span<const Symbol> target, const SentenceWords& sentence,
                const Tail& tail, ChartState& state) const {
        return entries_[model].model.score(target, numbers(model, sentence), tail, state);
    }
    float estimate(std::size_t model, std::span<const Symbol> target,
                   const SentenceWords& sentence) const {
        return entries_[model].model.estimate(target, numbers(model, sentence));
    }

  private:
    struct Entry {
        std::shared_ptr<const LanguageModel> owner;
        ChartLanguageModel model;
        std::vector<std::uint32_t> words;
    };

    [[nodiscard]] Numbers numbers(std::size_t model, const SentenceWords& sentence) const {
        return {entries_[model].words, sentence.language_models[model].data()};
    }

    std::vector<Entry> entries_;
};

}  // namespace hopefear
