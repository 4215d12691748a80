#include "hopefear/rule_list.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hopefear/error.hpp"
#include "hopefear/language_models.hpp"

namespace hopefear {

RuleScorer::RuleScorer(std::shared_ptr<const TranslationModel> model,
                       std::span<const double> weights, std::size_t rule_limit)
    : model_(std::move(model)), weights_(weights.begin(), weights.end()), rule_limit_(rule_limit) {
    weights_.resize(std::max(weights_.size(), model_->feature_names()->size()), 0.0);
    for (std::size_t id = 0; id < weights_.size(); ++id)
        if (!std::isfinite(weights_[id]))
            fail<DataError>("the weight of feature '",
                            model_->feature_names()->text(static_cast<FeatureId>(id)), "' is ",
                            weights_[id], "; weights must be finite");
    for (const FeatureId feature : model_->language_model_features())
        log10_weights_.push_back(weights_[feature] * std::numbers::ln10);
    for (const FeatureId feature : model_->ngram_features())
        ngram_weights_.push_back(weights_[feature]);
}

// Add a rule whose target side is all symbols behind those of the rule before.
void RuleScorer::add(RuleList& list, double score, std::uint32_t reference,
                     const SentenceWords& sentence) const {
    const auto begin =
        list.rules.empty() ? std::uint32_t{0} : list.rules.back().target + list.rules.back().length;
    const auto length = static_cast<std::uint32_t>(list.symbols.size()) - begin;
    ScoredRule rule{score, 0.0f, begin, length, reference};
    double priority = score;
    const LanguageModels& models = model_->language_models();
    for (std::size_t i = 0; i < models.size(); ++i)
        priority += log10_weights_[i] * models.estimate(i, list.target(rule), sentence);
    if (!ngram_weights_.empty())
        priority += model_->ngrams().estimate(list.target(rule), sentence.ngrams, ngram_weights_);
    rule.priority = static_cast<float>(priority);
    list.rules.push_back(rule);
}

void RuleScorer::finish(RuleList& list) const {
    std::ranges::stable_sort(list.rules, std::ranges::greater(), &ScoredRule::priority);
    if (rule_limit_ > 0 && list.rules.size() > rule_limit_) list.rules.resize(rule_limit_);
}

RuleGroup RuleScorer::score(std::size_t part, Grammar::State state, Rule& buffer) const {
    const TranslationModel::Part& own = model_->parts()[part];
    const SentenceWords no_words(model_->language_models().size());
    RuleGroup group;
    RuleRange range = own.grammar->rules(state);
    while (range.next(buffer)) {
        const Label lhs = own.labels[buffer.lhs];
        auto list = std::ranges::find(group, lhs, &RuleList::lhs);
        if (list == group.end()) {
            group.push_back({.lhs = lhs,
                             .arity = buffer.arity,
                             .part = static_cast<std::int32_t>(part),
                             .rules = {},
                             .symbols = {}});
            list = group.end() - 1;
        }
        for (const Symbol symbol : buffer.target)
            list->symbols.push_back(is_slot(symbol) ? symbol : own.words[symbol]);
        add(*list, model_->rule_score(part, buffer, weights_), buffer.id, no_words);
    }
    for (RuleList& list : group) finish(list);
    return group;
}

double RuleScorer::trigger_score(std::span<const Symbol> target,
                                 const SentenceWords& sentence) const {
    double sum = 0.0;
    model_->triggers().for_each(target, sentence.triggers, [&](std::int32_t feature) {
        sum += weights_[model_->trigger_features()[feature]];
    });
    return sum;
}

std::shared_ptr<const RuleGroup> RuleScorer::triggered(
    const std::shared_ptr<const RuleGroup>& group, const SentenceWords& sentence) const {
    if (sentence.triggers.features.empty()) return group;
    std::shared_ptr<RuleGroup> changed;
    for (std::size_t i = 0; i < group->size(); ++i) {
        const RuleList& list = (*group)[i];
        for (std::size_t k = 0; k < list.rules.size(); ++k) {
            const double score = trigger_score(list.target(list.rules[k]), sentence);
            if (score == 0.0) continue;
            if (!changed) changed = std::make_shared<RuleGroup>(*group);
            ScoredRule& rule = (*changed)[i].rules[k];
            rule.score += score;
            rule.priority += static_cast<float>(score);
        }
    }
    if (!changed) return group;
    for (RuleList& list : *changed) finish(list);
    return changed;
}

RuleList RuleScorer::score(PassThrough kind, std::size_t position,
                           const SentenceWords& sentence) const {
    RuleList list{.lhs = model_->pass_through_label(),
                  .arity = 0,
                  .part = RuleList::pass_through,
                  .rules = {},
                  .symbols = {static_cast<Symbol>(model_->words().size() + position)}};
    std::vector<FeatureId> ids;
    std::vector<double> values;
    model_->pass_through_features(kind, ids, values);
    const double score =
        SparseView{ids, values}.dot(weights_) + trigger_score(list.symbols, sentence);
    add(list, score, static_cast<std::uint32_t>(kind), sentence);
    return list;
}

}  // namespace hopefear
