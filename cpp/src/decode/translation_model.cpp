#include "hopefear/decode/translation_model.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/language_models.hpp"

namespace hopefear {

TranslationModel::TranslationModel(const std::vector<GrammarUse>& grammars,
                                   const std::vector<NamedLanguageModel>& language_models,
                                   const ModelNames& names,
                                   std::shared_ptr<Vocabulary> feature_names,
                                   const WordFeatures& word_features,
                                   const std::vector<FeatureBins>& bins)
    : feature_names_(std::move(feature_names)) {
    words_.add(sentence_begin);
    words_.add(sentence_end);
    goal_ = labels_.add(names.goal);
    pass_through_label_ = labels_.add(names.pass_through);
    add_bins(bins, grammars, names);
    for (const GrammarUse& use : grammars) add_part(use);
    const auto own = [this](const std::string& name) {
        return rule_feature(name, FeatureView::value);
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

void TranslationModel::check_unchanged() const {
    for (const Part& part : parts_) part.grammar->check_unchanged();
    language_models_->check_unchanged();
}

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

// Call use(view, name) for each feature of the model computed from the feature `id` of a grammar.
template <class Use>
void for_each_use(const GrammarUse& use, FeatureId id, const Use& call) {
    const std::string of(use.grammar->feature_names()->text(id));
    bool named = false;
    for (const FeatureUse& feature : use.features) {
        if (feature.of != of) continue;
        named = true;
        if (feature.view != FeatureView::none) call(feature.view, feature.name);
    }
    const FeatureView usual = usual_view(use.grammar->kind(id));
    if (!named && usual != FeatureView::none) call(usual, of);
}

}  // namespace

void TranslationModel::add_bins(const std::vector<FeatureBins>& bins,
                                const std::vector<GrammarUse>& grammars, const ModelNames& names) {
    std::unordered_set<std::string> known = {names.word_penalty, names.phrase_penalty,
                                             names.unknown_word, names.identity_rule,
                                             names.number_rule,  names.name_rule};
    for (const GrammarUse& use : grammars)
        for (std::size_t id = 0; id < use.grammar->feature_names()->size(); ++id)
            for_each_use(use, static_cast<FeatureId>(id),
                         [&](FeatureView, const std::string& name) { known.insert(name); });
    for (const FeatureBins& own : bins) {
        if (!known.contains(own.feature))
            fail<ConfigError>("bins of '", own.feature, "', which is not a feature of rules");
        if (!std::ranges::is_sorted(own.borders, std::ranges::less_equal()) ||
            std::ranges::any_of(own.borders, [](double x) { return !std::isfinite(x); }))
            fail<ConfigError>("the borders of the bins of '", own.feature,
                              "' must be finite and increase");
        bins_[own.feature] = own;
    }
}

RuleFeature TranslationModel::rule_feature(const std::string& name, FeatureView view) const {
    if (name.empty()) return RuleFeature();
    const auto found = bins_.find(name);
    if (found == bins_.end()) return RuleFeature(feature_names_->add(name), view);
    const FeatureBins& own = found->second;
    RuleFeature::Bins bins{BinTable(own.borders, view), {}, own.overlap};
    for (std::size_t j = 0; j <= own.borders.size(); ++j)
        bins.ids.push_back(feature_names_->add(name + '#' + std::to_string(j)));
    return RuleFeature(own.kept ? feature_names_->add(name) : RuleFeature::none, view,
                       std::make_shared<const RuleFeature::Bins>(std::move(bins)));
}

std::vector<std::vector<RuleFeature>> TranslationModel::features_of(const GrammarUse& use) const {
    const Vocabulary& own = *use.grammar->feature_names();
    for (const FeatureUse& feature : use.features)
        if (!own.find(feature.of))
            fail<ConfigError>(use.grammar->name(), ": there is no feature '", feature.of, "'");
    std::vector<std::vector<RuleFeature>> features(own.size());
    for (std::size_t id = 0; id < own.size(); ++id)
        for_each_use(use, static_cast<FeatureId>(id),
                     [&](FeatureView view, const std::string& name) {
                         features[id].push_back(rule_feature(name, view));
                     });
    return features;
}

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
                      translated(*use.grammar->labels(), labels_), features_of(use)});
}

namespace {

// Call use(feature, value) for each feature computed from the rule's own features.
template <class Use>
void for_each_feature(const TranslationModel::Part& part, const RuleHead& rule, const Use& use) {
    for (std::size_t i = 0; i < rule.features.size(); ++i)
        for (const RuleFeature& feature : part.features[i]) use(feature, rule.features[i]);
}

RuleHead head_of(const Rule& rule) {
    return {.id = rule.id,
            .lhs = rule.lhs,
            .arity = rule.arity,
            .target_length = rule.target.size(),
            .features = rule.features,
            .has_sparse = !rule.sparse_ids.empty()};
}

template <class Use>
void for_each_feature(const TranslationModel::Part& part, const Rule& rule, const Use& use) {
    for_each_feature(part, head_of(rule), use);
    for (std::size_t i = 0; i < rule.sparse_ids.size(); ++i)
        for (const RuleFeature& feature : part.features[rule.sparse_ids[i]])
            use(feature, rule.sparse_values[i]);
}

float word_penalty(const RuleHead& rule) {
    return static_cast<float>(rule.arity) - static_cast<float>(rule.target_length);
}

}  // namespace

void TranslationModel::rule_features(std::size_t part, const Rule& rule,
                                     std::vector<FeatureId>& ids,
                                     std::vector<double>& values) const {
    const auto add = [&](FeatureId id, double value) {
        ids.push_back(id);
        values.push_back(value);
    };
    for_each_feature(parts_[part], rule, [&](const RuleFeature& feature, float value) {
        feature.for_each(value, add);
    });
    word_penalty_.for_each(word_penalty(head_of(rule)), add);
    phrase_penalty_.for_each(1.0f, add);
}

void TranslationModel::pass_through_features(PassThrough kind, std::vector<FeatureId>& ids,
                                             std::vector<double>& values) const {
    const auto add = [&](FeatureId id, double value) {
        ids.push_back(id);
        values.push_back(value);
    };
    word_penalty_.for_each(-1.0f, add);
    phrase_penalty_.for_each(1.0f, add);
    pass_through_[static_cast<int>(kind)].for_each(1.0f, add);
}

RuleScores::RuleScores(const TranslationModel& model, std::size_t part,
                       std::span<const double> weights)
    : model_(&model),
      part_(part),
      weights_(weights.begin(), weights.end()),
      plain_penalties_(!model.word_penalty_.has_bins() && !model.phrase_penalty_.has_bins()) {
    const TranslationModel::Part& own = model.parts()[part];
    const auto weight = [this](const RuleFeature& feature) {
        return feature.id() == RuleFeature::none ? 0.0 : weights_[feature.id()];
    };
    if (plain_penalties_) {
        word_weight_ = weight(model.word_penalty_);
        phrase_score_ = weight(model.phrase_penalty_);
    }
    for (std::size_t place = 0; place < own.grammar->dense_count(); ++place)
        for (const RuleFeature& feature : own.features[place])
            if (!feature.counts_nothing(weights_))
                terms_.push_back({place, feature.has_bins() ? &feature : nullptr, feature.view(),
                                  feature.has_bins() ? 0.0 : weights_[feature.id()]});
}

void RuleScores::add(const RuleFeature& feature, float value, double& sum) const {
    feature.for_each(value, [&](FeatureId id, double x) { sum += weights_[id] * x; });
}

double RuleScores::operator()(const RuleHead& rule) const {
    double sum = word_weight_ * word_penalty(rule) + phrase_score_;
    if (!plain_penalties_) {
        add(model_->word_penalty_, word_penalty(rule), sum);
        add(model_->phrase_penalty_, 1.0f, sum);
    }
    for (const Term& term : terms_) {
        const float value = rule.features[term.place];
        if (term.feature == nullptr)
            sum += term.weight * view_of(term.view, value);
        else
            add(*term.feature, value, sum);
    }
    return sum;
}

double RuleScores::operator()(const Rule& rule) const {
    double sum = (*this)(head_of(rule));
    for (std::size_t i = 0; i < rule.sparse_ids.size(); ++i)
        for (const RuleFeature& feature : model_->parts()[part_].features[rule.sparse_ids[i]])
            if (!feature.counts_nothing(weights_)) add(feature, rule.sparse_values[i], sum);
    return sum;
}

}  // namespace hopefear
