#include "hopefear/decode/oov_template.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/language_models.hpp"

namespace hopefear {

OovTemplate::OovTemplate(std::shared_ptr<const TranslationModel> model,
                         const std::vector<std::string>& names)
    : model_(std::move(model)) {
    if (names.size() != model_->language_models().size())
        fail<ConfigError>(names.size(), " names of features for words that ",
                          model_->language_models().size(), " language models do not know");
    for (const std::string& name : names) features_.push_back(model_->feature_names()->add(name));
}

void OovTemplate::score(std::size_t part, std::span<const Symbol>, std::span<const Rule> rules,
                        TemplateRows& rows) const {
    const LanguageModels& models = model_->language_models();
    const std::vector<Symbol>& words = model_->parts()[part].words;
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (std::size_t k = 0; k < features_.size(); ++k) {
            const auto count = std::ranges::count_if(rules[i].target, [&](Symbol symbol) {
                return !is_slot(symbol) && !models.knows(k, words[symbol]);
            });
            if (count > 0) rows.add(i, features_[k], static_cast<double>(count));
        }
}

void OovTemplate::score(PassThrough, std::string_view word, TemplateRows& rows) const {
    for (std::size_t k = 0; k < features_.size(); ++k)
        if (!model_->language_models().knows(k, word)) rows.add(0, features_[k], 1.0);
}

}  // namespace hopefear
