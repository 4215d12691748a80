#include "hopefear/decode/rule_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
                             const SentenceWords& sentence, double least) const {
    double sum = 0.0;
    const LanguageModels& models = model.language_models();
    for (std::size_t i = 0; i < models.size(); ++i) {
        auto floor = -std::numeric_limits<float>::infinity();
        if (std::isfinite(least) && log10_[i] > 0.0) {
            const double exact = (least - sum) / log10_[i];
            floor = static_cast<float>(exact - 1e-5 * (1.0 + std::abs(exact)));
        }
        const float found = models.estimate(i, target, sentence, floor);
        sum += log10_[i] * found;
        if (found < floor) return sum;
    }
    if (!ngrams_.empty()) sum += model.ngrams().estimate(target, sentence.ngrams, ngrams_);
    return sum;
}

bool RuleWeights::words_only_cost() const {
    return std::ranges::all_of(log10_, [](double weight) { return weight >= 0.0; }) &&
           std::ranges::all_of(ngrams_, [](double weight) { return weight <= 0.0; });
}

RuleScorer::RuleScorer(std::shared_ptr<const TranslationModel> model,
                       std::shared_ptr<TemplateFeatures> templates, std::span<const double> weights,
                       const RuleChoice& choice)
    : model_(std::move(model)),
      templates_(std::move(templates)),
      weights_(*model_, weights),
      rule_limit_(choice.limit) {
    const auto scores = [](const TranslationModel& of, std::span<const double> by) {
        std::vector<RuleScores> found;
        for (std::size_t part = 0; part < of.parts().size(); ++part)
            found.emplace_back(of, part, by);
        return found;
    };
    scores_ = scores(*model_, weights_.all());
    const bool other = choice.model || !std::ranges::equal(choice.weights, weights);
    if (rule_limit_ == 0 || choice.weights.empty() || !other) return;
    choosing_.emplace(*model_, choice.weights);
    if (!choice.model) {
        choosing_scores_ = scores(*model_, choosing_->all());
        return;
    }
    if (choice.model->parts().size() != model_->parts().size())
        fail<ConfigError>("rules of ", model_->parts().size(), " grammars cannot be chosen by ",
                          "features of ", choice.model->parts().size());
    choosing_model_ = choice.model;
    std::vector<double> own = choice.model_weights;
    own.resize(choice.model->feature_names()->size(), 0.0);
    choosing_scores_ = scores(*choosing_model_, own);
}

namespace {

// Sorting needs numbers.
void check_number(double score) {
    if (std::isnan(score))
        fail<DataError>("the score of a rule is not a number: a value of its grammar is damaged");
}

}  // namespace

void RuleScorer::add(RuleList& list, double score, double words, std::uint32_t reference) const {
    check_number(score + words);
    const auto begin =
        list.rules.empty() ? std::uint32_t{0} : list.rules.back().target + list.rules.back().length;
    const auto length = static_cast<std::uint32_t>(list.symbols.size()) - begin;
    list.rules.push_back({score, static_cast<float>(score + words), begin, length, reference});
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

// Keep the best rules and sort them; equal ones have the order of their grammar.
void RuleScorer::choose(RuleList& list) const {
    if (rule_limit_ > 0 && list.rules.size() > rule_limit_) {
        std::vector<std::uint32_t> order(list.rules.size());
        std::iota(order.begin(), order.end(), 0u);
        const auto limit = order.begin() + static_cast<std::ptrdiff_t>(rule_limit_);
        std::ranges::nth_element(order, limit, [&](std::uint32_t a, std::uint32_t b) {
            const ScoredRule& first = list.rules[a];
            const ScoredRule& second = list.rules[b];
            const double one = choosing_ ? list.preferences[a] : first.priority;
            const double other = choosing_ ? list.preferences[b] : second.priority;
            return one != other ? one > other : first.reference < second.reference;
        });
        RuleList kept;
        kept.rules.reserve(rule_limit_);
        kept.symbols.reserve(list.symbols.size());
        for (auto i = order.begin(); i != limit; ++i) {
            const auto target = list.target(list.rules[*i]);
            const SparseView features = list.template_features(list.rules[*i]);
            ScoredRule& rule = kept.rules.emplace_back(list.rules[*i]);
            append_features(kept, rule, features);
            rule.target = static_cast<std::uint32_t>(kept.symbols.size());
            kept.symbols.insert(kept.symbols.end(), target.begin(), target.end());
        }
        kept.symbols.shrink_to_fit();
        list.rules = std::move(kept.rules);
        list.symbols = std::move(kept.symbols);
        list.template_ids = std::move(kept.template_ids);
        list.template_values = std::move(kept.template_values);
    }
    list.preferences = {};
    std::ranges::sort(list.rules, [](const ScoredRule& a, const ScoredRule& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.reference < b.reference;
    });
}

namespace {

// Append a target side in the words of the model.
void append_target(const TranslationModel::Part& part, const Rule& rule,
                   std::vector<Symbol>& symbols) {
    std::size_t at = symbols.size();
    symbols.resize(at + rule.target.size());
    for (const Symbol symbol : rule.target)
        symbols[at++] = is_slot(symbol) ? symbol : part.words[symbol];
}

void reserve(RuleList& list, std::size_t rules) {
    constexpr std::size_t usual_length = 3;
    list.rules.reserve(rules);
    list.symbols.reserve(usual_length * rules);
}

// The list of a left-hand side, added if it is not there.
template <class AnyRule>
RuleList& list_of(RuleGroup& group, const TranslationModel& model, std::size_t part,
                  const AnyRule& rule) {
    const Label lhs = model.parts()[part].labels[rule.lhs];
    const auto list = std::ranges::find(group, lhs, &RuleList::lhs);
    if (list != group.end() && list->arity == rule.arity) [[likely]]
        return *list;
    if (list != group.end())
        fail<FormatError>(model.parts()[part].grammar->name(), ": damaged grammar: rules of one ",
                          "source side have ", list->arity, " and ", rule.arity, " nonterminals");
    return group.emplace_back(RuleList{.lhs = lhs,
                                       .arity = rule.arity,
                                       .part = static_cast<std::int32_t>(part),
                                       .rules = {},
                                       .symbols = {}});
}

}  // namespace

// Add a rule of a grammar with the template features `features`.
void RuleScorer::add(RuleGroup& group, std::size_t part, const Rule& rule, SparseView features,
                     const SentenceWords& sentence) const {
    const TranslationModel::Part& own = model_->parts()[part];
    RuleList* const list = &list_of(group, *model_, part, rule);
    const std::size_t begin = list->symbols.size();
    append_target(own, rule, list->symbols);
    const auto target = std::span<const Symbol>(list->symbols).subspan(begin);
    const double score = scores_[part](rule) + weights_.of_features(features);
    add(*list, score, weights_.of_words(*model_, target, sentence), rule.id);
    append_features(*list, list->rules.back(), features);
    if (choosing_) list->preferences.push_back(preference(part, rule, features, target, sentence));
}

double RuleScorer::preference(std::size_t part, const Rule& rule, SparseView features,
                              std::span<const Symbol> target, const SentenceWords& sentence) const {
    return choosing_scores_[part](rule) + choosing_->of_features(features) +
           choosing_->of_words(*model_, target, sentence);
}

// Add the rules that may be among the best of their lists. Words only cost: a rule whose own
// features promise less than the best rules have is not read any further, and the words of others
// only as far as they leave it a chance.
void RuleScorer::add_best(RuleGroup& group, std::size_t part, RuleRange range, Rule& buffer) const {
    struct Promise {
        double most;
        double likely;       // with words of usual probabilities
        std::uint32_t rule;  // of the range
        std::uint32_t list;
    };
    const TranslationModel::Part& own = model_->parts()[part];
    const SentenceWords no_words(model_->language_models().size());
    const RuleWeights& chooser = choosing_ ? *choosing_ : weights_;
    const RuleScores& scores = choosing_scores(part);
    // The better the first rules, the fewer of the others are looked at.
    constexpr double usual_log10 = 2.0;
    const auto log10 = chooser.log10();
    const double word_cost = usual_log10 * std::accumulate(log10.begin(), log10.end(), 0.0);
    std::vector<Promise> promises;
    std::vector<RuleHead> heads;
    promises.reserve(range.size());
    heads.reserve(range.size());
    for (RuleHead head; range.next(head); heads.push_back(head)) {
        const double most =
            head.has_sparse ? std::numeric_limits<double>::infinity() : scores(head);
        check_number(most);
        const RuleList& list = list_of(group, *model_, part, head);
        const auto words = static_cast<double>(head.target_length) - head.arity;
        promises.push_back({most, most - word_cost * words,
                            static_cast<std::uint32_t>(heads.size()),
                            static_cast<std::uint32_t>(&list - group.data())});
    }
    for (RuleList& list : group) reserve(list, std::min(promises.size(), 2 * rule_limit_));
    std::ranges::nth_element(promises, promises.begin() + static_cast<long>(rule_limit_),
                             std::ranges::greater(), &Promise::likely);
    std::vector<std::vector<double>> best(group.size());  // heaps with the least on top
    std::vector<Symbol> target;
    for (const Promise& promise : promises) {
        std::vector<double>& found = best[promise.list];
        const double least =
            found.size() < rule_limit_ ? -std::numeric_limits<double>::infinity() : found.front();
        // As exact as what rules are chosen by.
        const auto rounded = [&](double x) { return choosing_ ? x : static_cast<float>(x); };
        if (rounded(promise.most) < least) continue;
        RuleList& list = group[promise.list];
        const RuleHead& head = heads[promise.rule];
        double preference = 0.0;
        if (!head.has_sparse) {  // the promise is complete but for the words
            target.clear();
            own.grammar->append_target(head, own.words, target);
            const double words = chooser.of_words(*model_, target, no_words, least - promise.most);
            preference = rounded(promise.most + words);
            if (preference < least) continue;
            if (!choosing_) {
                list.symbols.insert(list.symbols.end(), target.begin(), target.end());
                add(list, promise.most, words, head.id);
            }
        }
        if (head.has_sparse || choosing_) {
            own.grammar->read(head.id, buffer);
            add(group, part, buffer, {}, no_words);
            preference = choosing_ ? list.preferences.back() : list.rules.back().priority;
        }
        found.push_back(preference);
        std::ranges::push_heap(found, std::ranges::greater());
        if (found.size() <= rule_limit_) continue;
        std::ranges::pop_heap(found, std::ranges::greater());
        found.pop_back();
    }
}

RuleGroup RuleScorer::score(std::size_t part, Grammar::State state, Rule& buffer) const {
    const TranslationModel::Part& own = model_->parts()[part];
    const Grammar& grammar = *own.grammar;
    const SentenceWords no_words(model_->language_models().size());
    RuleGroup group;
    if (templates_ && !templates_->empty()) {
        const std::vector<Rule> rules = read_rules(grammar, state);
        const auto rows = templates_->find(part, state, rules);
        for (std::size_t i = 0; i < rules.size(); ++i)
            add(group, part, rules[i], (*rows)[i], no_words);
    } else if (RuleRange range = grammar.rules(state);
               rule_limit_ > 0 && range.size() > rule_limit_ &&
               (choosing_ ? *choosing_ : weights_).words_only_cost()) {
        add_best(group, part, range, buffer);
    } else {
        const std::size_t count = range.size();
        for (RuleHead head; range.next(head);) {
            RuleList& list = list_of(group, *model_, part, head);
            if (group.size() == 1 && list.rules.empty()) reserve(list, count);  // usually the only
            if (head.has_sparse || choosing_) {
                grammar.read(head.id, buffer);
                add(group, part, buffer, {}, no_words);
                continue;
            }
            const std::size_t begin = list.symbols.size();
            grammar.append_target(head, own.words, list.symbols);
            const auto target = std::span<const Symbol>(list.symbols).subspan(begin);
            add(list, scores_[part](head), weights_.of_words(*model_, target, no_words), head.id);
        }
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
    add(list, score, weights_.of_words(*model_, list.symbols, sentence),
        static_cast<std::uint32_t>(kind));
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

RuleCache::Slot& RuleCache::Shard::find(std::uint64_t key, std::uint64_t hash) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = hash / shard_count & mask;  // the rest chose the shard
    while (slots[at].group && slots[at].key != key) at = (at + 1) & mask;
    return slots[at];
}

void RuleCache::Shard::grow() {
    std::vector<Slot> old(2 * slots.size());
    old.swap(slots);
    for (Slot& slot : old)
        if (slot.group) find(slot.key, mix(slot.key)) = std::move(slot);
}

void RuleCache::Shard::clear() {
    std::ranges::fill(slots, Slot());
    groups = 0;
    bytes = 0;
}

RuleCache::RuleCache(const RuleScorer& scorer, std::size_t max_bytes)
    : scorer_(&scorer), max_shard_bytes_(max_bytes / shard_count) {}

std::shared_ptr<const RuleGroup> RuleCache::find(std::size_t part, Grammar::State state,
                                                 Rule& buffer) {
    const std::uint64_t key = (static_cast<std::uint64_t>(part) << 32) | state;
    const std::uint64_t hash = mix(key);
    Shard& shard = shards_[hash % shard_count];
    {
        const std::lock_guard lock(shard.mutex);
        if (const Slot& slot = shard.find(key, hash); slot.group) return slot.group;
    }
    auto group = std::make_shared<const RuleGroup>(scorer_->score(part, state, buffer));
    const std::lock_guard lock(shard.mutex);
    if (const Slot& slot = shard.find(key, hash); slot.group)
        return slot.group;  // another thread's
    const std::size_t bytes = bytes_of(*group);
    if (shard.bytes + bytes > max_shard_bytes_) shard.clear();
    if (2 * (shard.groups + 1) > shard.slots.size()) shard.grow();
    shard.find(key, hash) = {key, group};
    ++shard.groups;
    shard.bytes += bytes;
    return group;
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
