#include "hopefear/decode/language_models.hpp"

namespace hopefear {

ChartLanguageModel::ChartLanguageModel(const LanguageModel& model) : model_(&model.kenlm()) {
    const auto is = [this]<class M>(const M*) { return dynamic_cast<const M*>(model_) != nullptr; };
    if (is(static_cast<const lm::ngram::RestProbingModel*>(nullptr)))
        kind_ = Kind::rest_probing;
    else if (is(static_cast<const lm::ngram::TrieModel*>(nullptr)))
        kind_ = Kind::trie;
    else if (is(static_cast<const lm::ngram::ArrayTrieModel*>(nullptr)))
        kind_ = Kind::array_trie;
    else if (is(static_cast<const lm::ngram::QuantTrieModel*>(nullptr)))
        kind_ = Kind::quant_trie;
    else if (is(static_cast<const lm::ngram::QuantArrayTrieModel*>(nullptr)))
        kind_ = Kind::quant_array_trie;
    else
        kind_ = Kind::probing;
}

std::uint32_t ChartLanguageModel::index(std::string_view word) const {
    return model_->BaseVocabulary().Index(StringPiece(word.data(), word.size()));
}

ChartLanguageModel::Start ChartLanguageModel::start(std::uint32_t word) const {
    return visit([&](const auto& model) {
        lm::ngram::State nothing;
        lm::ngram::State after;
        nothing.length = 0;
        const auto found = model.FullScore(nothing, word, after);
        return Start{found.independent_left ? found.prob : found.rest, after.backoff[0],
                     after.length > 0, found.independent_left || after.length != 1};
    });
}

LanguageModels::LanguageModels(std::span<const NamedLanguageModel> models,
                               const Vocabulary& words) {
    for (const NamedLanguageModel& named : models) {
        Entry entry{named.model, ChartLanguageModel(*named.model), {}, {}};
        entry.words.reserve(words.size());
        entry.starts.reserve(words.size());
        for (const std::string_view word : words.texts()) {
            entry.words.push_back(entry.model.index(word));
            entry.starts.push_back(entry.model.start(entry.words.back()));
        }
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
