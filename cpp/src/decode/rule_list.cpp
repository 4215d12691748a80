#include "hopefear/decode/rule_list.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/decode/language_models.hpp"

namespace hopefear {

RuleWeights::RuleWeights(const TranslationModel& model, std::span<const double> weights)
    : all_(weights.begin(), weights.end()) {
    all_.resize(std::max(all_.size(), model.feature_names()->size()), 0.0);
    for (std::size_t id = 0; id < all_.size(); ++id)
        if (!std::isfinite(all_[id]))
            fail<DataError>("the weight of feature '",
                            model.feature_names()->text(static_cast<FeatureId>(id)), "' is ",
                            all_[id], "; weights must be finite");
    for (const FeatureId feature : model.language_model_features())
        log10_.push_back(all_[feature] * std::numbers::ln10);
    for (const FeatureId feature : model.ngram_features()) ngrams_.push_back(all_[feature]);
}

// Features added after the weights were set have weight 0.
double RuleWeights::of_features(SparseView features) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < features.size(); ++i) {
        const auto id = static_cast<std::size_t>(features.ids[i]);
        if (id < all_.size()) sum += all_[id] * features.values[i];
    }
    return sum;
}

double RuleWeights::of_words(const TranslationModel& model, std::span<const Symbol> target,
                             const SentenceWords& sentence) const {
    double sum = 0.0;
    const LanguageModels& models = model.language_models();
    for (std::size_t i = 0; i < models.size(); ++i)
        sum += log10_[i] * models.estimate(i, target, sentence);
    if (!ngrams_.empty()) sum += model.ngrams().estimate(target, sentence.ngrams, ngrams_);
    return sum;
}

RuleScorer::RuleScorer(std::shared_ptr<const TranslationModel> model,
                       std::shared_ptr<TemplateFeatures> templates, std::span<const double> weights,
                       const RuleChoice& choice)
    : model_(std::move(model)),
      templates_(std::move(templates)),
      weights_(*model_, weights),
      rule_limit_(choice.limit) {
    const bool other = choice.model || !std::ranges::equal(choice.weights, weights);
    if (rule_limit_ == 0 || choice.weights.empty() || !other) return;
    choosing_.emplace(*model_, choice.weights);
    if (!choice.model) return;
    if (choice.model->parts().size() != model_->parts().size())
        fail<ConfigError>("rules of ", model_->parts().size(), " grammars cannot be chosen by ",
                          "features of ", choice.model->parts().size());
    choosing_model_ = choice.model;
    choosing_model_weights_ = choice.model_weights;
    choosing_model_weights_.resize(choice.model->feature_names()->size(), 0.0);
}

// Add a rule whose target side is all symbols after those of the previous rule.
void RuleScorer::add(RuleList& list, double score, std::uint32_t reference,
                     const SentenceWords& sentence) const {
    const auto begin =
        list.rules.empty() ? std::uint32_t{0} : list.rules.back().target + list.rules.back().length;
    const auto length = static_cast<std::uint32_t>(list.symbols.size()) - begin;
    ScoredRule rule{score, 0.0f, begin, length, reference};
    rule.priority =
        static_cast<float>(score + weights_.of_words(*model_, list.target(rule), sentence));
    list.rules.push_back(rule);
}

namespace {

void append_features(RuleList& list, ScoredRule& rule, SparseView features) {
    rule.first_feature = static_cast<std::uint32_t>(list.template_ids.size());
    rule.feature_count = static_cast<std::uint32_t>(features.size());
    list.template_ids.insert(list.template_ids.end(), features.ids.begin(), features.ids.end());
    list.template_values.insert(list.template_values.end(), features.values.begin(),
                                features.values.end());
}

}  // namespace

// Keep the best rules and sort them.
void RuleScorer::choose(RuleList& list) const {
    if (rule_limit_ > 0 && list.rules.size() > rule_limit_) {
        std::vector<std::size_t> order(list.rules.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) {
            return choosing_ ? list.preferences[i] : list.rules[i].priority;
        });
        RuleList kept;
        for (const std::size_t i : std::span(order).first(rule_limit_)) {
            kept.rules.push_back(list.rules[i]);
            append_features(kept, kept.rules.back(), list.template_features(list.rules[i]));
        }
        list.rules = std::move(kept.rules);
        list.template_ids = std::move(kept.template_ids);
        list.template_values = std::move(kept.template_values);
    }
    list.preferences = {};
    std::ranges::stable_sort(list.rules, std::ranges::greater(), &ScoredRule::priority);
}

// Add a rule of a grammar with the template features `features`.
void RuleScorer::add(RuleGroup& group, std::size_t part, const Rule& rule, SparseView features,
                     const SentenceWords& sentence) const {
    const TranslationModel::Part& own = model_->parts()[part];
    const Label lhs = own.labels[rule.lhs];
    auto list = std::ranges::find(group, lhs, &RuleList::lhs);
    if (list == group.end()) {
        group.push_back({.lhs = lhs,
                         .arity = rule.arity,
                         .part = static_cast<std::int32_t>(part),
                         .rules = {},
                         .symbols = {}});
        list = group.end() - 1;
    }
    for (const Symbol symbol : rule.target)
        list->symbols.push_back(is_slot(symbol) ? symbol : own.words[symbol]);
    const double score =
        model_->rule_score(part, rule, weights_.all()) + weights_.of_features(features);
    add(*list, score, rule.id, sentence);
    append_features(*list, list->rules.back(), features);
    if (choosing_)
        list->preferences.push_back(
            preference(part, rule, features, list->target(list->rules.back()), sentence));
}

double RuleScorer::preference(std::size_t part, const Rule& rule, SparseView features,
                              std::span<const Symbol> target, const SentenceWords& sentence) const {
    const double own = choosing_model_
                           ? choosing_model_->rule_score(part, rule, choosing_model_weights_)
                           : model_->rule_score(part, rule, choosing_->all());
    return own + choosing_->of_features(features) + choosing_->of_words(*model_, target, sentence);
}

RuleGroup RuleScorer::score(std::size_t part, Grammar::State state, Rule& buffer) const {
    const Grammar& grammar = *model_->parts()[part].grammar;
    const SentenceWords no_words(model_->language_models().size());
    RuleGroup group;
    if (templates_ && !templates_->empty()) {
        const std::vector<Rule> rules = read_rules(grammar, state);
        const auto rows = templates_->find(part, state, rules);
        for (std::size_t i = 0; i < rules.size(); ++i)
            add(group, part, rules[i], (*rows)[i], no_words);
    } else {
        for (RuleRange range = grammar.rules(state); range.next(buffer);)
            add(group, part, buffer, {}, no_words);
    }
    for (RuleList& list : group) choose(list);
    return group;
}

double RuleScorer::trigger_score(std::span<const Symbol> target,
                                 const SentenceWords& sentence) const {
    double sum = 0.0;
    model_->triggers().for_each(target, sentence.triggers, [&](std::int32_t feature) {
        sum += weights_.all()[model_->trigger_features()[feature]];
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
    for (RuleList& list : *changed) choose(list);
    return changed;
}

RuleList RuleScorer::score(PassThrough kind, std::string_view word, std::size_t position,
                           const SentenceWords& sentence) const {
    RuleList list{.lhs = model_->pass_through_label(),
                  .arity = 0,
                  .part = RuleList::pass_through,
                  .rules = {},
                  .symbols = {static_cast<Symbol>(model_->words().size() + position)}};
    std::vector<FeatureId> ids;
    std::vector<double> values;
    model_->pass_through_features(kind, ids, values);
    const bool asked = templates_ && !templates_->empty();
    const auto rows = asked ? templates_->find(kind, word) : nullptr;
    const SparseView features = rows ? (*rows)[0] : SparseView();
    const double score = SparseView{ids, values}.dot(weights_.all()) +
                         weights_.of_features(features) + trigger_score(list.symbols, sentence);
    add(list, score, static_cast<std::uint32_t>(kind), sentence);
    append_features(list, list.rules.back(), features);
    return list;
}

namespace {

std::size_t bytes_of(const RuleGroup& group) {
    std::size_t bytes = 128;  // for the map and the pointers
    for (const RuleList& list : group)
        bytes += sizeof list + list.rules.capacity() * sizeof(ScoredRule) +
                 list.symbols.capacity() * sizeof(Symbol) +
                 list.template_ids.capacity() * (sizeof(FeatureId) + sizeof(double));
    return bytes;
}

}  // namespace

RuleCache::RuleCache(const RuleScorer& scorer, std::size_t max_bytes)
    : scorer_(&scorer), max_shard_bytes_(max_bytes / shard_count) {}

std::shared_ptr<const RuleGroup> RuleCache::find(std::size_t part, Grammar::State state,
                                                 Rule& buffer) {
    const std::uint64_t key = (static_cast<std::uint64_t>(part) << 32) | state;
    Shard& shard = shards_[mix(key) % shard_count];
    {
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.groups.find(key);
        if (found != shard.groups.end()) return found->second;
    }
    auto group = std::make_shared<const RuleGroup>(scorer_->score(part, state, buffer));
    const std::lock_guard lock(shard.mutex);
    const std::size_t bytes = bytes_of(*group);
    if (shard.bytes + bytes > max_shard_bytes_) {
        shard.groups.clear();
        shard.bytes = 0;
    }
    const auto [place, added] = shard.groups.emplace(key, std::move(group));
    if (added) shard.bytes += bytes;
    return place->second;
}

namespace {

// Rank the labels such that uses[label], the labels rewritten to it, come after it, except for
// cycles: reverse postorder of a depth-first search.
std::vector<std::int32_t> rank_labels(const std::vector<std::vector<Label>>& uses) {
    std::vector<std::int32_t> ranks(uses.size(), -1);
    std::vector<char> seen(uses.size(), 0);
    auto next = static_cast<std::int32_t>(uses.size());
    std::vector<std::pair<Label, std::size_t>> stack;
    for (std::size_t first = 0; first < uses.size(); ++first) {
        if (seen[first]) continue;
        seen[first] = 1;
        stack.emplace_back(static_cast<Label>(first), 0);
        while (!stack.empty()) {
            const auto [label, at] = stack.back();
            if (at == uses[label].size()) {
                ranks[label] = --next;
                stack.pop_back();
                continue;
            }
            ++stack.back().second;
            const Label use = uses[label][at];
            if (!std::exchange(seen[use], 1)) stack.emplace_back(use, 0);
        }
    }
    return ranks;
}

}  // namespace

UnaryRules::UnaryRules(const TranslationModel& model) : places_(model.labels().size()) {
    std::vector<std::vector<Label>> uses(model.labels().size());
    Rule rule;
    for (std::size_t part = 0; part < model.parts().size(); ++part) {
        const TranslationModel::Part& own = model.parts()[part];
        const Grammar& grammar = *own.grammar;
        Grammar::State state = grammar.first_child(grammar.root());
        for (const Symbol symbol : grammar.symbols(grammar.root())) {
            if (!is_label(symbol)) break;  // words follow
            if (grammar.has_rules(state)) {
                const Label label = own.label(symbol);
                places_[label].push_back({static_cast<std::uint32_t>(part), state});
                for (RuleRange rules = grammar.rules(state); rules.next(rule);)
                    uses[label].push_back(own.labels[rule.lhs]);
            }
            ++state;
        }
    }
    ranks_ = rank_labels(uses);
}

}  // namespace hopefear
