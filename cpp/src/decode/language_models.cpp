#include "hopefear/decode/language_models.hpp"

namespace hopefear {

LanguageModels::LanguageModels(std::span<const NamedLanguageModel> models,
                               const Vocabulary& words) {
    for (const NamedLanguageModel& named : models) {
        Entry entry{named.model, ChartLanguageModel(*named.model), {}};
        entry.words.reserve(words.size());
        for (const std::string_view word : words.texts())
            entry.words.push_back(entry.model.index(word));
        entries_.push_back(std::move(entry));
    }
}

void LanguageModels::find(std::span<const std::string> sentence,
                          std::vector<std::vector<std::uint32_t>>& numbers) const {
    numbers.resize(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        numbers[i].clear();
        for (const std::string& word : sentence)
            numbers[i].push_back(entries_[i].model.index(word));
    }
}

}  // namespace hopefear
