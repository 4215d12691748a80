#include "hopefear/decode/forest_rescorer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/language_models.hpp"
#include "hopefear/decode/rescored_graph.hpp"
#include "hopefear/forest/builder.hpp"

namespace hopefear {

namespace {

Vocabulary boundary_words() {
    Vocabulary words;
    words.add(sentence_begin);
    words.add(sentence_end);
    return words;
}

double weight(std::span<const double> weights, FeatureId id) {
    return static_cast<std::size_t>(id) < weights.size() ? weights[id] : 0.0;
}

[[noreturn]] void explain_score(const PreparedForest& prepared, std::size_t rule,
                                std::span<const double> weights) {
    for (const FeatureId id : prepared.features(rule).ids)
        if (!std::isfinite(weights[id]))
            fail<DataError>("the weight of feature '", prepared.feature_names()->text(id), "' is ",
                            weights[id], "; weights must be finite");
    fail<DataError>("the sum of weights times features is not finite; scale the weights down");
}

// Makes a forest from the result of rescoring.
class ForestMaker {
  public:
    ForestMaker(const PreparedForest& prepared, const Chart& chart, const RescoredChart& rescored)
        : prepared_(prepared),
          chart_(chart),
          rescored_(rescored),
          models_(prepared.nonlocal().language_models.size()),
          builder_(prepared.words(), prepared.feature_names()),
          layouts_(prepared.pattern_count()) {}

    Forest make(bool only_best) && {
        const KeptPart kept(chart_, rescored_, only_best);
        reserve(kept);
        for (std::size_t node = 0; node < kept.nodes.size(); ++node) {
            const std::uint32_t place = rescored_.nodes[kept.nodes[node]].chart_node;
            const NodeId head = builder_.add_node(prepared_.source(place));
            for (std::uint32_t i = kept.first_edge[node]; i < kept.first_edge[node + 1]; ++i)
                add_edge(head, kept.edges[i], rules_[i], kept.tails_of(i));
        }
        return std::move(builder_).build_sound();
    }

  private:
    // How the values of a rule and of the language models form one row. Rules share few layouts.
    struct Layout {
        FeaturePatterns::Id pattern = -1;   // not made yet
        std::vector<std::uint32_t> places;  // positions in the row of a rule followed by the models
    };

    void reserve(const KeptPart& kept) {
        std::size_t symbols = 0;
        std::size_t values = kept.edges.size() * models_;
        rules_.reserve(kept.edges.size());
        for (const std::uint32_t number : kept.edges) {
            const RescoredChart::Edge& edge = rescored_.edges[number];
            rules_.push_back(chart_.bundles[edge.bundle].rules->rules[edge.rule].reference);
            symbols += prepared_.target(rules_.back()).size();
            values += prepared_.features(rules_.back()).size() + rescored_.ngrams_of(number).size();
        }
        builder_.reserve(kept.nodes.size(), kept.edges.size(), kept.tails.size(), symbols, values);
    }

    void add_edge(NodeId head, std::uint32_t number, std::uint32_t rule,
                  std::span<const NodeId> tails) {
        target_.clear();
        for (const Symbol symbol : prepared_.target(rule)) {
            if (is_slot(symbol))
                target_.push_back(symbol);
            else if (PreparedForest::word_of(symbol) >= 0)
                target_.push_back(PreparedForest::word_of(symbol));
        }
        const auto local = prepared_.features(rule).values;
        const auto log10 = std::span(rescored_.log10).subspan(number * models_, models_);
        if (!std::ranges::all_of(log10, [](float value) { return std::isfinite(value); }))
            RescoredChart::fail_log10();
        const auto value = [&](std::size_t place) {
            return place < local.size() ? local[place]
                                        : std::numbers::ln10 * log10[place - local.size()];
        };
        const auto ngrams = rescored_.ngrams_of(number);
        if (ngrams.empty()) {
            const Layout& layout = layout_of(rule);
            values_.resize(layout.places.size());
            for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(layout.places[i]);
            builder_.add_edge(head, tails, layout.pattern, values_, target_);
            return;
        }
        set_ids(rule);
        values_.resize(ids_.size());
        for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(i);
        for (const std::int32_t feature : ngrams) {
            ids_.push_back(prepared_.nonlocal().ngrams[feature]);
            values_.push_back(1.0);
        }
        builder_.add_edge(head, tails, {ids_, values_}, target_);
    }

    // Set the ids of the values of a rule and of the language models.
    void set_ids(std::uint32_t rule) {
        const auto local = prepared_.features(rule).ids;
        const auto& models = prepared_.nonlocal().language_models;
        ids_.assign(local.begin(), local.end());
        ids_.insert(ids_.end(), models.begin(), models.end());
    }

    const Layout& layout_of(std::uint32_t rule) {
        Layout& layout = layouts_[prepared_.pattern(rule)];
        if (layout.pattern >= 0) return layout;
        set_ids(rule);
        layout.places.resize(ids_.size());
        std::iota(layout.places.begin(), layout.places.end(), 0);
        std::ranges::sort(layout.places, {}, [this](std::uint32_t place) { return ids_[place]; });
        std::ranges::sort(ids_);
        layout.pattern = builder_.add_pattern(ids_);
        return layout;
    }

    const PreparedForest& prepared_;
    const Chart& chart_;
    const RescoredChart& rescored_;
    std::size_t models_;
    ForestBuilder builder_;
    std::vector<Layout> layouts_;       // by pattern of the rules
    std::vector<std::uint32_t> rules_;  // by edge
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
    std::vector<Symbol> target_;
};

}  // namespace

// Buffers for one forest, reused for the next.
struct ForestRescorer::Worker {
    Worker(const LanguageModels& models, const NgramFeatures& ngrams, RescoreOptions options)
        : rescorer(models, ngrams, options) {}

    Rescorer rescorer;
    Chart chart;
    std::vector<RuleList> lists;
    std::vector<double> padded_weights;
    std::span<const double> weights;  // of all local features
    std::vector<double> log10_weights;
    std::vector<double> ngram_weights;
    KBestSearch<RescoredGraph> search;
    RowSum features;
};

ForestRescorer::ForestRescorer(const std::vector<NamedLanguageModel>& models,
                               const WordFeatures& features, RescoreOptions options)
    : ngram_names_(features.ngram_names),
      models_(std::make_unique<LanguageModels>(models, boundary_words())),
      ngrams_(features.ngrams, boundary_words()),
      options_(options) {
    for (const NamedLanguageModel& named : models) model_names_.push_back(named.name);
    if (ngram_names_.size() != ngrams_.size())
        fail<ConfigError>("every n-gram needs a feature name");
    Worker(*models_, ngrams_, options);  // checks the options
}

ForestRescorer::~ForestRescorer() = default;

PreparedForest ForestRescorer::prepare(const Forest& forest) {
    return {forest, *models_, find_numbers(forest.words()), find_ids(forest.feature_names())};
}

std::shared_ptr<const SentenceWords> ForestRescorer::find_numbers(
    const std::shared_ptr<Vocabulary>& words) {
    const std::lock_guard lock(mutex_);
    // Forests of a corpus share their words.
    if (numbers_ && words_ == words && word_count_ == words->size()) return numbers_;
    const std::vector<std::string_view> texts = words->texts();
    const std::vector<std::string> all(texts.begin(), texts.end());
    auto numbers = std::make_shared<SentenceWords>();
    models_->find(all, numbers->language_models);
    ngrams_.find(all, numbers->ngrams);
    numbers_ = std::move(numbers);
    words_ = words;
    word_count_ = texts.size();
    return numbers_;
}

std::shared_ptr<const NonlocalIds> ForestRescorer::find_ids(
    const std::shared_ptr<Vocabulary>& names) {
    const std::lock_guard lock(mutex_);
    if (ids_ && ids_->names == names) return ids_;  // forests of a corpus share their names
    auto ids = std::make_shared<NonlocalIds>();
    ids->names = names;
    const auto add = [&](const std::vector<std::string>& added, std::vector<FeatureId>& to) {
        for (const std::string& name : added) {
            to.push_back(names->add(name));
            if (ids->all.size() < names->size()) ids->all.resize(names->size(), 0);
            ids->all[to.back()] = 1;
        }
    };
    add(model_names_, ids->language_models);
    add(ngram_names_, ids->ngrams);
    ids_ = std::move(ids);
    return ids_;
}

void ForestRescorer::set_weights(const PreparedForest& prepared, std::span<const double> weights,
                                 Worker& worker) const {
    worker.weights = weights;
    if (weights.size() < prepared.feature_count()) {
        worker.padded_weights.assign(weights.begin(), weights.end());
        worker.padded_weights.resize(prepared.feature_count(), 0.0);
        worker.weights = worker.padded_weights;
    }
    worker.log10_weights.clear();
    for (const FeatureId id : prepared.nonlocal().language_models)
        worker.log10_weights.push_back(weight(weights, id) * std::numbers::ln10);
    worker.ngram_weights.clear();
    for (const FeatureId id : prepared.nonlocal().ngrams)
        worker.ngram_weights.push_back(weight(weights, id));
    for (const auto* nonlocal : {&worker.log10_weights, &worker.ngram_weights})
        for (const double value : *nonlocal)
            if (!std::isfinite(value))
                fail<DataError>("the weight of a language model or an n-gram is ", value,
                                "; weights must be finite");
}

// The rules of a list, the most promising first.
void ForestRescorer::make_list(const PreparedForest& prepared, std::size_t number,
                               Worker& worker) const {
    const std::uint32_t first = prepared.first_rule(number);
    const std::uint32_t last = prepared.first_rule(number + 1);
    const std::uint32_t first_symbol = prepared.first_symbol(first);
    RuleList& list = worker.lists[number];
    list.arity = prepared.arity(number);
    list.part = RuleList::forest_edge;
    const auto symbols =
        prepared.symbols().subspan(first_symbol, prepared.first_symbol(last) - first_symbol);
    list.symbols.assign(symbols.begin(), symbols.end());
    list.rules.clear();
    for (std::uint32_t rule = first; rule < last; ++rule) {
        const double score = prepared.features(rule).dot(worker.weights);
        if (!std::isfinite(score)) explain_score(prepared, rule, worker.weights);
        double priority = score;
        const auto estimates = prepared.estimates(rule);
        for (std::size_t i = 0; i < estimates.size(); ++i)
            priority += worker.log10_weights[i] * estimates[i];
        const auto target = prepared.target(rule);
        if (ngrams_.size() > 0)
            priority += ngrams_.estimate(target, prepared.numbers().ngrams, worker.ngram_weights);
        list.rules.push_back({score, static_cast<float>(priority),
                              prepared.first_symbol(rule) - first_symbol,
                              static_cast<std::uint32_t>(target.size()), rule});
    }
    std::ranges::stable_sort(list.rules, std::ranges::greater(), &ScoredRule::priority);
}

void ForestRescorer::make_chart(const PreparedForest& prepared, Worker& worker) const {
    if (worker.lists.size() < prepared.list_count()) worker.lists.resize(prepared.list_count());
    for (std::size_t list = 0; list < prepared.list_count(); ++list)
        make_list(prepared, list, worker);
    Chart& chart = worker.chart;
    chart.clear();
    for (const PreparedForest::Bundle& bundle : prepared.bundles())
        chart.bundles.emplace_back(worker.lists[bundle.list], bundle.first_tail);
    chart.tails.assign(prepared.tails().begin(), prepared.tails().end());
    for (std::size_t node = 0; node < prepared.node_count(); ++node)
        chart.nodes.push_back(
            {0, 0, 0, prepared.first_bundle(node), prepared.first_bundle(node + 1)});
    chart.root = static_cast<std::uint32_t>(prepared.node_count()) - 1;
}

WorkerPool<ForestRescorer::Worker>::Loan ForestRescorer::worker() {
    models_->check_unchanged();
    return workers_.take([this] { return std::make_unique<Worker>(*models_, ngrams_, options_); });
}

const RescoredChart& ForestRescorer::rescore(const PreparedForest& prepared,
                                             std::span<const double> weights,
                                             Worker& worker) const {
    set_weights(prepared, weights, worker);
    make_chart(prepared, worker);
    const NonlocalWeights nonlocal{worker.log10_weights, worker.ngram_weights};
    const RescoredChart& rescored =
        worker.rescorer.rescore(worker.chart, prepared.numbers(), nonlocal);
    models_->check_unchanged();
    return rescored;
}

Forest ForestRescorer::rescore(const PreparedForest& prepared, std::span<const double> weights,
                               bool only_best) {
    auto worker = this->worker();
    const RescoredChart& rescored = rescore(prepared, weights, *worker);
    return ForestMaker(prepared, worker->chart, rescored).make(only_best);
}

KBestList ForestRescorer::kbest(const PreparedForest& prepared, std::span<const double> weights,
                                const ListOptions& options) {
    auto worker = this->worker();
    const RescoredChart& rescored = rescore(prepared, weights, *worker);
    const RescoredGraph graph(prepared, worker->chart, rescored);
    worker->search.start(graph, options.distinct, options.limit);
    return read_list(
        worker->search, options.size, [&](Symbol word) { return graph.text(word); },
        [&](EdgeId edge, RowSum& sum) { graph.add_features(edge, sum); }, worker->features);
}

}  // namespace hopefear
