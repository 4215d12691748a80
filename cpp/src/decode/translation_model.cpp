#include "hopefear/decode/translation_model.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/language_models.hpp"

namespace hopefear {

TranslationModel::TranslationModel(const std::vector<GrammarUse>& grammars,
                                   const std::vector<NamedLanguageModel>& language_models,
                                   const ModelNames& names,
                                   std::shared_ptr<Vocabulary> feature_names,
                                   const WordFeatures& word_features)
    : feature_names_(std::move(feature_names)) {
    words_.add(sentence_begin);
    words_.add(sentence_end);
    goal_ = labels_.add(names.goal);
    pass_through_label_ = labels_.add(names.pass_through);
    for (const GrammarUse& use : grammars) add_part(use);
    const auto own = [&](const std::string& name) {
        return name.empty() ? no_feature : feature_names_->add(name);
    };
    word_penalty_ = own(names.word_penalty);
    phrase_penalty_ = own(names.phrase_penalty);
    pass_through_[static_cast<int>(PassThrough::unknown)] = own(names.unknown_word);
    pass_through_[static_cast<int>(PassThrough::identity)] = own(names.identity_rule);
    pass_through_[static_cast<int>(PassThrough::number)] = own(names.number_rule);
    pass_through_[static_cast<int>(PassThrough::proper_name)] = own(names.name_rule);
    language_models_ = std::make_unique<LanguageModels>(language_models, words_);
    for (const NamedLanguageModel& named : language_models) {
        const FeatureId feature = feature_names_->add(named.name);
        if (std::ranges::find(language_model_features_, feature) != language_model_features_.end())
            fail<ConfigError>("two language models have the feature '", named.name, "'");
        language_model_features_.push_back(feature);
    }
    add_word_features(word_features);
}

void TranslationModel::add_word_features(const WordFeatures& features) {
    ngrams_ = std::make_unique<NgramFeatures>(features.ngrams, words_);
    triggers_ = std::make_unique<TriggerFeatures>(features.triggers, words_);
    if (features.ngram_names.size() != ngrams_->size() ||
        features.trigger_names.size() != triggers_->size())
        fail<ConfigError>("every n-gram and every trigger needs a feature name");
    for (const std::string& name : features.ngram_names)
        ngram_features_.push_back(feature_names_->add(name));
    for (const std::string& name : features.trigger_names)
        trigger_features_.push_back(feature_names_->add(name));
}

void TranslationModel::find_words(std::span<const std::string> sentence,
                                  SentenceWords& words) const {
    language_models_->find(sentence, words.language_models);
    ngrams_->find(sentence, words.ngrams);
    triggers_->find(sentence, words.triggers);
}

TranslationModel::~TranslationModel() = default;

Label TranslationModel::Part::label(Symbol symbol) const {
    const auto local = static_cast<std::size_t>(label_of(symbol));
    if (local >= labels.size())
        fail<FormatError>(grammar->name(), ": damaged grammar: there is no label ", local);
    return labels[local];
}

namespace {

FeatureView usual_view(FeatureKind kind) {
    switch (kind) {
        case FeatureKind::probability:
            return FeatureView::logarithm;
        case FeatureKind::count:
            return FeatureView::none;
        default:
            return FeatureView::value;
    }
}

std::vector<std::vector<std::pair<FeatureId, FeatureView>>> features_of(const GrammarUse& use,
                                                                        Vocabulary& names) {
    const Vocabulary& own = *use.grammar->feature_names();
    std::vector<std::vector<const FeatureUse*>> named(own.size());
    for (const FeatureUse& feature : use.features) {
        const auto id = own.find(feature.of);
        if (!id) fail<ConfigError>(use.grammar->name(), ": there is no feature '", feature.of, "'");
        named[*id].push_back(&feature);
    }
    std::vector<std::vector<std::pair<FeatureId, FeatureView>>> features(own.size());
    const auto add = [&](std::size_t id, FeatureView view, std::string_view name) {
        if (view != FeatureView::none) features[id].emplace_back(names.add(name), view);
    };
    for (std::size_t id = 0; id < own.size(); ++id) {
        const auto local = static_cast<FeatureId>(id);
        if (named[id].empty()) add(id, usual_view(use.grammar->kind(local)), own.text(local));
        for (const FeatureUse* feature : named[id]) add(id, feature->view, feature->name);
    }
    return features;
}

}  // namespace

void TranslationModel::add_part(const GrammarUse& use) {
    if (use.max_span < 0)
        fail<ConfigError>("the maximal span of ", use.grammar->name(), " is ", use.max_span,
                          "; expected a number of words, or 0 for any");
    const auto translated = [](const Vocabulary& from, Vocabulary& to) {
        std::vector<Vocabulary::Id> ids;
        for (const std::string_view text : from.texts()) ids.push_back(to.add(text));
        return ids;
    };
    parts_.push_back({use.grammar, use.max_span, translated(*use.grammar->target_words(), words_),
                      translated(*use.grammar->labels(), labels_),
                      features_of(use, *feature_names_)});
}

namespace {

double view_of(FeatureView view, float value) {
    switch (view) {
        case FeatureView::logarithm:
            return score_of(FeatureKind::probability, value);
        case FeatureView::rarity:
            return std::exp(1.0 - value);
        default:
            return value;
    }
}

// Call use(feature, view, value) for each feature computed from the rule's own features.
template <class Use>
void for_each_feature(const TranslationModel::Part& part, const Rule& rule, const Use& use) {
    for (std::size_t i = 0; i < rule.features.size(); ++i)
        for (const auto& [id, view] : part.features[i]) use(id, view, rule.features[i]);
    for (std::size_t i = 0; i < rule.sparse_ids.size(); ++i)
        for (const auto& [id, view] : part.features[rule.sparse_ids[i]])
            use(id, view, rule.sparse_values[i]);
}

double word_penalty(const Rule& rule) {
    return static_cast<double>(rule.arity) - static_cast<double>(rule.target.size());
}

}  // namespace

void TranslationModel::rule_features(std::size_t part, const Rule& rule,
                                     std::vector<FeatureId>& ids,
                                     std::vector<double>& values) const {
    const auto add = [&](FeatureId id, double value) {
        if (id == no_feature) return;
        ids.push_back(id);
        values.push_back(value);
    };
    for_each_feature(parts_[part], rule, [&](FeatureId id, FeatureView view, float value) {
        add(id, view_of(view, value));
    });
    add(word_penalty_, word_penalty(rule));
    add(phrase_penalty_, 1.0);
}

void TranslationModel::pass_through_features(PassThrough kind, std::vector<FeatureId>& ids,
                                             std::vector<double>& values) const {
    const auto add = [&](FeatureId id, double value) {
        if (id == no_feature) return;
        ids.push_back(id);
        values.push_back(value);
    };
    add(word_penalty_, -1.0);
    add(phrase_penalty_, 1.0);
    add(pass_through_[static_cast<int>(kind)], 1.0);
}

double TranslationModel::rule_score(std::size_t part, const Rule& rule,
                                    std::span<const double> weights) const {
    double sum = 0.0;
    if (word_penalty_ != no_feature) sum += weights[word_penalty_] * word_penalty(rule);
    if (phrase_penalty_ != no_feature) sum += weights[phrase_penalty_];
    for_each_feature(parts_[part], rule, [&](FeatureId id, FeatureView view, float value) {
        if (weights[id] != 0.0) sum += weights[id] * view_of(view, value);
    });
    return sum;
}

}  // namespace hopefear
