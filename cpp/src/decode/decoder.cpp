#include "hopefear/decode/decoder.hpp"

#include <unordered_set>

#include "hopefear/decode/chart_forest.hpp"
#include "hopefear/decode/language_models.hpp"

namespace hopefear {

// Buffers for one sentence, reused for the next.
struct Decoder::Worker {
    explicit Worker(Decoder& decoder)
        : parser(decoder.scorer_, decoder.cache_, decoder.unary_rules_,
                 decoder.options_.pass_through),
          rescorer(decoder.model_->language_models(), decoder.model_->ngrams(),
                   decoder.options_.rescore) {}

    Parser parser;
    Rescorer rescorer;
    SentenceWords words;
};

Decoder::Decoder(std::shared_ptr<const TranslationModel> model,
                 std::shared_ptr<TemplateFeatures> templates, std::span<const double> weights,
                 const DecoderOptions& options)
    : model_(std::move(model)),
      options_(options),
      scorer_(model_, std::move(templates), weights, options.rules),
      cache_(scorer_, options.cache_bytes),
      unary_rules_(*model_) {}

Decoder::~Decoder() = default;

WorkerPool<Decoder::Worker>::Loan Decoder::worker() {
    model_->check_unchanged();  // before KenLM searches tables that somebody overwrote
    return workers_.take([this] { return std::make_unique<Worker>(*this); });
}

void Decoder::meet(const std::vector<std::string>& words) {
    auto worker = this->worker();
    model_->find_words(words, worker->words);
    worker->parser.parse(words, worker->words);
    model_->check_unchanged();
}

RowArrays Decoder::rule_features(const std::vector<std::string>& words) {
    auto worker = this->worker();
    model_->find_words(words, worker->words);
    const Chart& chart = worker->parser.parse(words, worker->words);
    RowArrays rows;
    std::unordered_set<const RuleList*> seen;
    std::vector<FeatureId> ids;
    std::vector<double> values;
    Rule buffer;
    for (const Chart::Bundle& bundle : chart.bundles) {
        const RuleList& list = *bundle.rules;
        if (!seen.insert(&list).second) continue;
        for (const ScoredRule& rule : list.rules) {
            ids.clear();
            values.clear();
            if (list.part == RuleList::pass_through) {
                const auto kind = static_cast<PassThrough>(rule.reference);
                model_->pass_through_features(kind, ids, values);
            } else {
                const auto part = static_cast<std::size_t>(list.part);
                model_->parts()[part].grammar->read(rule.reference, buffer);
                model_->rule_features(part, buffer, ids, values);
            }
            const SparseView templates = list.template_features(rule);
            ids.insert(ids.end(), templates.ids.begin(), templates.ids.end());
            values.insert(values.end(), templates.values.begin(), templates.values.end());
            rows.add({ids, values});
        }
    }
    model_->check_unchanged();
    return rows;
}

Forest Decoder::parse(const std::vector<std::string>& words) {
    auto worker = this->worker();
    model_->find_words(words, worker->words);
    const Chart& chart = worker->parser.parse(words, worker->words);
    Forest forest = parse_forest(chart, *model_, words, worker->words);
    model_->check_unchanged();
    return forest;
}

Forest Decoder::rescored(const std::vector<std::string>& words, bool only_best) {
    auto worker = this->worker();
    model_->find_words(words, worker->words);
    const Chart& chart = worker->parser.parse(words, worker->words);
    const NonlocalWeights weights{scorer_.weights().log10(), scorer_.weights().ngrams()};
    const RescoredChart& result = worker->rescorer.rescore(chart, worker->words, weights);
    Forest forest = rescored_forest(chart, result, *model_, words, worker->words, only_best);
    model_->check_unchanged();
    return forest;
}

Forest Decoder::forest(const std::vector<std::string>& words) {
    return rescored(words, false);
}

Forest Decoder::best(const std::vector<std::string>& words) {
    return rescored(words, true);
}

void Decoder::forget_pages() const {
    for (const TranslationModel::Part& part : model_->parts()) part.grammar->forget_pages();
}

}  // namespace hopefear
