#include "hopefear/decode/chart_language_model.hpp"

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

}  // namespace hopefear
