#include "hopefear/decode/chart_forest.hpp"

#include <algorithm>
#include <numbers>

namespace hopefear {

ForestAssembler::ForestAssembler(const TranslationModel& model,
                                 std::span<const std::string> sentence,
                                 const SentenceWords& numbers)
    : model_(&model),
      sentence_(sentence),
      numbers_(&numbers),
      words_(std::make_shared<Vocabulary>()),
      builder_(words_, model.feature_names()),
      word_ids_(model.words().size() + sentence.size(), -1) {}

NodeId ForestAssembler::add_node(const Chart::Node& node) {
    // Positions without <s>, which is word 0 of the chart, and </s>.
    const auto size = static_cast<std::int32_t>(sentence_.size());
    const std::int32_t begin = std::clamp(node.begin - 1, 0, size);
    return builder_.add_node({begin, std::clamp(node.end - 1, 0, size) - begin});
}

Symbol ForestAssembler::word(Symbol symbol) {
    Symbol& id = word_ids_[symbol];
    if (id < 0) {
        const auto known = static_cast<Symbol>(model_->words().size());
        id = symbol < known ? words_->add(model_->words().text(symbol))
                            : words_->add(sentence_[symbol - known]);
    }
    return id;
}

void ForestAssembler::start_edge(const RuleList& list, const ScoredRule& rule,
                                 bool keep_boundaries) {
    ids_.clear();
    values_.clear();
    if (list.part == RuleList::pass_through) {
        model_->pass_through_features(static_cast<PassThrough>(rule.reference), ids_, values_);
    } else {
        model_->parts()[list.part].grammar->read(rule.reference, rule_);
        model_->rule_features(static_cast<std::size_t>(list.part), rule_, ids_, values_);
    }
    const auto target = list.target(rule);
    model_->triggers().for_each(target, numbers_->triggers, [&](std::int32_t feature) {
        ids_.push_back(model_->trigger_features()[feature]);
        values_.push_back(1.0);
    });
    target_.clear();
    for (const Symbol symbol : target) {
        const bool boundary = symbol == begin_word || symbol == end_word;
        if (is_slot(symbol))
            target_.push_back(symbol);
        else if (!boundary || keep_boundaries)
            target_.push_back(word(symbol));
    }
}

void ForestAssembler::add_edge(NodeId head, std::span<const NodeId> tails, const RuleList& list,
                               const ScoredRule& rule) {
    start_edge(list, rule, true);
    finish_edge(head, tails, list.template_features(rule));
}

// The features of templates come last: they have the largest ids.
void ForestAssembler::finish_edge(NodeId head, std::span<const NodeId> tails,
                                  SparseView templates) {
    ids_.insert(ids_.end(), templates.ids.begin(), templates.ids.end());
    values_.insert(values_.end(), templates.values.begin(), templates.values.end());
    normalize_row(ids_, values_);
    builder_.add_edge(head, tails, {ids_, values_}, target_);
}

void ForestAssembler::add_edge(NodeId head, std::span<const NodeId> tails, const RuleList& list,
                               const ScoredRule& rule, std::span<const float> log10,
                               std::span<const std::int32_t> ngrams) {
    start_edge(list, rule, false);
    for (std::size_t i = 0; i < log10.size(); ++i) {
        ids_.push_back(model_->language_model_features()[i]);
        values_.push_back(std::numbers::ln10 * static_cast<double>(log10[i]));
    }
    for (const std::int32_t feature : ngrams) {
        ids_.push_back(model_->ngram_features()[feature]);
        values_.push_back(1.0);
    }
    finish_edge(head, tails, list.template_features(rule));
}

Forest ForestAssembler::build(NodeId root) {
    builder_.set_root(root);
    return std::move(builder_).build();
}

Forest parse_forest(const Chart& chart, const TranslationModel& model,
                    std::span<const std::string> sentence, const SentenceWords& numbers) {
    ForestAssembler assembler(model, sentence, numbers);
    std::vector<NodeId> tails;
    for (const Chart::Node& node : chart.nodes) {
        const NodeId head = assembler.add_node(node);
        for (const Chart::Bundle& bundle : chart.bundles_of(node)) {
            const auto own = chart.tails_of(bundle);
            tails.assign(own.begin(), own.end());
            for (const ScoredRule& rule : bundle.rules->rules)
                assembler.add_edge(head, tails, *bundle.rules, rule);
        }
    }
    return assembler.build(static_cast<NodeId>(chart.root));
}

Forest rescored_forest(const Chart& chart, const RescoredChart& rescored,
                       const TranslationModel& model, std::span<const std::string> sentence,
                       const SentenceWords& numbers, bool only_best) {
    ForestAssembler assembler(model, sentence, numbers);
    const std::size_t models = model.language_model_features().size();
    const KeptPart kept(chart, rescored, only_best);
    for (std::size_t node = 0; node < kept.nodes.size(); ++node) {
        const std::uint32_t place = rescored.nodes[kept.nodes[node]].chart_node;
        const NodeId head = assembler.add_node(chart.nodes[place]);
        for (std::uint32_t i = kept.first_edge[node]; i < kept.first_edge[node + 1]; ++i) {
            const std::uint32_t number = kept.edges[i];
            const RescoredChart::Edge& edge = rescored.edges[number];
            const RuleList& list = *chart.bundles[edge.bundle].rules;
            const auto log10 = std::span(rescored.log10).subspan(number * models, models);
            assembler.add_edge(head, kept.tails_of(i), list, list.rules[edge.rule], log10,
                               rescored.ngrams_of(number));
        }
    }
    return assembler.build(static_cast<NodeId>(kept.nodes.size()) - 1);
}

}  // namespace hopefear
