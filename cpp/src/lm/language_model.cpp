#include "hopefear/lm/language_model.hpp"

#include <exception>

#include "hopefear/base/blank.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/lm/kenlm_message.hpp"
#include "lm/model.hh"
#include "lm/virtual_interface.hh"

namespace hopefear {

struct LanguageModel::Model {
    std::unique_ptr<const lm::base::Model> kenlm;
    lm::ngram::State begin;
    lm::ngram::State empty;
};

LanguageModel::LanguageModel(const std::string& path) {
    try {
        lm::ngram::Config config;
        config.messages = nullptr;  // the library does not print
        config.arpa_complain = lm::ngram::Config::NONE;
        auto model = std::make_unique<Model>();
        model->kenlm.reset(lm::ngram::LoadVirtual(path.c_str(), config));
        model->kenlm->BeginSentenceWrite(&model->begin);
        model->kenlm->NullContextWrite(&model->empty);
        model_ = std::move(model);
    } catch (const std::exception& error) {
        fail<FormatError>(path,
                          ": not a language model that KenLM can read: ", kenlm_message(error));
    }
}

LanguageModel::~LanguageModel() = default;
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;

const lm::base::Model& LanguageModel::kenlm() const {
    return *model_->kenlm;
}

int LanguageModel::order() const {
    return model_->kenlm->Order();
}

bool LanguageModel::contains(std::string_view word) const {
    return model_->kenlm->BaseVocabulary().Index(StringPiece(word.data(), word.size())) !=
           model_->kenlm->BaseVocabulary().NotFound();
}

double LanguageModel::score(std::span<const std::string> words, bool begin, bool end) const {
    const auto& vocabulary = model_->kenlm->BaseVocabulary();
    lm::ngram::State state = begin ? model_->begin : model_->empty;
    lm::ngram::State next;
    double sum = 0.0;
    for (const std::string& word : words) {
        sum += model_->kenlm->BaseScore(&state, vocabulary.Index(word), &next);
        state = next;
    }
    if (end) sum += model_->kenlm->BaseScore(&state, vocabulary.EndSentence(), &next);
    return sum;
}

void LanguageModel::score_line(std::string_view line, TextScore& sum) const {
    const auto& vocabulary = model_->kenlm->BaseVocabulary();
    lm::ngram::State state = model_->begin;
    const auto score = [&](lm::WordIndex word) {
        lm::ngram::State next;
        const double log10 = model_->kenlm->BaseScore(&state, word, &next);
        state = next;
        sum.log10_probability += log10;
        ++sum.tokens;
        if (word != vocabulary.NotFound()) return;
        sum.log10_unknown += log10;
        ++sum.unknown;
    };
    for_each_word_between_blanks(line, [&](std::string_view word) {
        score(vocabulary.Index(StringPiece(word.data(), word.size())));
    });
    score(vocabulary.EndSentence());
}

}  // namespace hopefear
