#include "hopefear/forest_rescorer.hpp"

#include <algorithm>
#include <numbers>

#include "hopefear/edge_scores.hpp"
#include "hopefear/error.hpp"
#include "hopefear/forest_builder.hpp"
#include "hopefear/language_models.hpp"

namespace hopefear {

namespace {

Vocabulary boundary_words() {
    Vocabulary words;
    words.add(sentence_begin);
    words.add(sentence_end);
    return words;
}

// Words of a forest come behind those two.
constexpr Symbol first_word = 2;

double weight(std::span<const double> weights, FeatureId id) {
    return static_cast<std::size_t>(id) < weights.size() ? weights[id] : 0.0;
}

// What the non-local features have of w · h.
double nonlocal_score(SparseView features, const NonlocalIds& ids,
                      std::span<const double> weights) {
    double sum = 0.0;
    for (std::size_t i = 0; i < features.size(); ++i)
        if (ids.contains(features.ids[i]))
            sum += weight(weights, features.ids[i]) * features.values[i];
    return sum;
}

}  // namespace

std::size_t PreparedForest::bytes() const {
    std::size_t bytes = sizeof *this;
    for (const auto* indices : {&first_edge_, &first_bundle_, &first_symbol_})
        bytes += indices->capacity() * sizeof(std::uint32_t);
    bytes += symbols_.capacity() * sizeof(Symbol) + estimates_.capacity() * sizeof(float);
    bytes += words_.ngrams.capacity() * sizeof(WordId);
    for (const auto& words : words_.language_models)
        bytes += words.capacity() * sizeof(std::uint32_t);
    return bytes;
}

// The ends of sentences in a forest.
struct ForestRescorer::Boundaries {
    explicit Boundaries(const Forest& forest)
        : begin(forest.words()->find(sentence_begin).value_or(-1)),
          end(forest.words()->find(sentence_end).value_or(-1)) {
        if (begin < 0 && end < 0) return;
        for (EdgeId edge = 0; !present && edge < static_cast<EdgeId>(forest.edge_count()); ++edge)
            present = !is_one_word(forest, edge) &&
                      std::ranges::any_of(forest.target(edge), [this](Symbol symbol) {
                          return !is_slot(symbol) && (symbol == begin || symbol == end);
                      });
    }

    static bool is_one_word(const Forest& forest, EdgeId edge) {
        return forest.target(edge).size() == 1 && forest.tails(edge).empty() &&
               forest.covered(forest.head(edge)) == 1;
    }

    Symbol begin;  // -1: not among the words
    Symbol end;
    bool present = false;
};

// What one forest needs at a time, used again for the next.
struct ForestRescorer::Worker {
    Worker(const LanguageModels& models, const NgramFeatures& ngrams, RescoreOptions options)
        : rescorer(models, ngrams, options) {}

    Rescorer rescorer;
    Chart chart;
    std::vector<RuleList> lists;
    std::vector<double> scores;  // by edge, of local features
    std::vector<double> log10_weights;
    std::vector<double> ngram_weights;
};

ForestRescorer::ForestRescorer(const std::vector<NamedLanguageModel>& models,
                               const WordFeatures& features, RescoreOptions options)
    : ngram_names_(features.ngram_names),
      models_(std::make_unique<LanguageModels>(models, boundary_words())),
      ngrams_(features.ngrams, boundary_words()),
      options_(options) {
    for (const NamedLanguageModel& named : models) model_names_.push_back(named.name);
    if (ngram_names_.size() != ngrams_.size())
        fail<ConfigError>("every n-gram needs the name of a feature");
    Worker(*models_, ngrams_, options);  // checks the options
}

ForestRescorer::~ForestRescorer() = default;

PreparedForest ForestRescorer::prepare(std::shared_ptr<const Forest> forest) {
    PreparedForest prepared;
    prepared.forest_ = std::move(forest);
    const Forest& own = *prepared.forest_;
    prepared.ids_ = find_ids(own.feature_names());
    for (std::size_t i = 0; i < own.patterns().size(); ++i)
        for (const FeatureId id : own.patterns()[static_cast<FeaturePatterns::Id>(i)])
            if (prepared.ids_->contains(id)) prepared.replaces_ = true;
    std::vector<std::string> words;
    for (const std::string_view word : own.words()->texts()) words.emplace_back(word);
    models_->find(words, prepared.words_.language_models);
    ngrams_.find(words, prepared.words_.ngrams);
    const Boundaries boundaries(own);
    prepared.first_bundle_.push_back(0);
    prepared.first_symbol_.push_back(0);
    for (NodeId node = 0; node <= own.root(); ++node) {
        add_bundles(prepared, node);
        for (const EdgeId edge : own.edges(node)) add_target(prepared, edge, boundaries);
    }
    prepared.first_edge_.push_back(static_cast<std::uint32_t>(own.edge_count()));
    return prepared;
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

void ForestRescorer::add_bundles(PreparedForest& prepared, NodeId node) const {
    const Forest& forest = *prepared.forest_;
    const auto edges = forest.edges(node);
    for (const EdgeId edge : edges)
        if (edge == *edges.begin() ||
            !std::ranges::equal(forest.tails(edge), forest.tails(edge - 1)))
            prepared.first_edge_.push_back(static_cast<std::uint32_t>(edge));
    prepared.first_bundle_.push_back(static_cast<std::uint32_t>(prepared.first_edge_.size()));
}

void ForestRescorer::add_target(PreparedForest& prepared, EdgeId edge,
                                const Boundaries& boundaries) const {
    const Forest& forest = *prepared.forest_;
    std::vector<Symbol>& symbols = prepared.symbols_;
    const bool bare = !boundaries.present && forest.head(edge) == forest.root();
    const bool plain = !boundaries.present || Boundaries::is_one_word(forest, edge);
    if (bare) symbols.push_back(begin_word);
    for (const Symbol symbol : forest.target(edge)) {
        if (is_slot(symbol))
            symbols.push_back(symbol);
        else if (!plain && symbol == boundaries.begin)
            symbols.push_back(begin_word);
        else if (!plain && symbol == boundaries.end)
            symbols.push_back(end_word);
        else
            symbols.push_back(symbol + first_word);
    }
    if (bare) symbols.push_back(end_word);
    const auto all = std::span<const Symbol>(symbols).subspan(prepared.first_symbol_.back());
    for (std::size_t i = 0; i < models_->size(); ++i)
        prepared.estimates_.push_back(models_->estimate(i, all, prepared.words_));
    prepared.first_symbol_.push_back(static_cast<std::uint32_t>(symbols.size()));
}

// The edges of a bundle as rules, the most promising first.
void ForestRescorer::make_list(const PreparedForest& prepared, std::size_t bundle,
                               Worker& worker) const {
    const std::uint32_t first = prepared.first_edge_[bundle];
    const std::uint32_t last = prepared.first_edge_[bundle + 1];
    const std::uint32_t* first_symbol = prepared.first_symbol_.data();
    RuleList& list = worker.lists[bundle];
    list.arity =
        static_cast<std::int32_t>(prepared.forest_->tails(static_cast<EdgeId>(first)).size());
    list.part = RuleList::forest_edge;
    list.symbols.assign(prepared.symbols_.begin() + first_symbol[first],
                        prepared.symbols_.begin() + first_symbol[last]);
    list.rules.clear();
    const float* estimate = prepared.estimates_.data() + first * models_->size();
    for (std::uint32_t edge = first; edge < last; ++edge) {
        double priority = worker.scores[edge];
        for (const double weight : worker.log10_weights) priority += weight * *estimate++;
        if (ngrams_.size() > 0)
            priority += ngrams_.estimate(
                std::span(prepared.symbols_)
                    .subspan(first_symbol[edge], first_symbol[edge + 1] - first_symbol[edge]),
                prepared.words_.ngrams, worker.ngram_weights);
        list.rules.push_back({worker.scores[edge], static_cast<float>(priority),
                              first_symbol[edge] - first_symbol[first],
                              first_symbol[edge + 1] - first_symbol[edge], edge});
    }
    std::ranges::stable_sort(list.rules, std::ranges::greater(), &ScoredRule::priority);
}

void ForestRescorer::make_chart(const PreparedForest& prepared, Worker& worker) const {
    const Forest& forest = *prepared.forest_;
    const std::size_t bundles = prepared.first_edge_.size() - 1;
    if (worker.lists.size() < bundles) worker.lists.resize(bundles);
    Chart& chart = worker.chart;
    chart.clear();
    for (std::size_t bundle = 0; bundle < bundles; ++bundle) {
        make_list(prepared, bundle, worker);
        chart.bundles.push_back(
            {&worker.lists[bundle], static_cast<std::uint32_t>(chart.tails.size())});
        const auto tails = forest.tails(static_cast<EdgeId>(prepared.first_edge_[bundle]));
        chart.tails.insert(chart.tails.end(), tails.begin(), tails.end());
    }
    for (NodeId node = 0; node <= forest.root(); ++node)
        chart.nodes.push_back(
            {0, 0, 0, prepared.first_bundle_[node], prepared.first_bundle_[node + 1]});
    chart.root = static_cast<std::uint32_t>(forest.root());
}

Forest ForestRescorer::rescore(const PreparedForest& prepared, std::span<const double> weights,
                               bool only_best) {
    const Forest& forest = *prepared.forest_;
    auto worker =
        workers_.take([this] { return std::make_unique<Worker>(*models_, ngrams_, options_); });
    worker->scores = score_edges(forest, weights);
    worker->log10_weights.clear();
    for (const FeatureId id : prepared.ids_->language_models)
        worker->log10_weights.push_back(weight(weights, id) * std::numbers::ln10);
    worker->ngram_weights.clear();
    for (const FeatureId id : prepared.ids_->ngrams)
        worker->ngram_weights.push_back(weight(weights, id));
    if (prepared.replaces_)
        for (std::size_t edge = 0; edge < worker->scores.size(); ++edge)
            worker->scores[edge] -=
                nonlocal_score(forest.features(static_cast<EdgeId>(edge)), *prepared.ids_, weights);
    make_chart(prepared, *worker);
    const NonlocalWeights nonlocal{worker->log10_weights, worker->ngram_weights};
    const RescoredChart& rescored =
        worker->rescorer.rescore(worker->chart, prepared.words_, nonlocal);
    return make_forest(prepared, worker->chart, rescored, only_best);
}

Forest ForestRescorer::make_forest(const PreparedForest& prepared, const Chart& chart,
                                   const RescoredChart& rescored, bool only_best) const {
    const Forest& forest = *prepared.forest_;
    ForestBuilder builder(forest.words(), forest.feature_names());
    std::vector<FeatureId> ids;
    std::vector<double> values;
    std::vector<Symbol> target;
    NodeId head = 0;
    const auto add_node = [&](const RescoredChart::Node& node) {
        return head = builder.add_node(forest.source(static_cast<NodeId>(node.chart_node)));
    };
    const auto add_edge = [&](std::uint32_t number, std::span<const NodeId> tails) {
        const RescoredChart::Edge& edge = rescored.edges[number];
        const RuleList& list = *chart.bundles[edge.bundle].rules;
        const ScoredRule& rule = list.rules[edge.rule];
        ids.clear();
        values.clear();
        const SparseView own = forest.features(static_cast<EdgeId>(rule.reference));
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (prepared.replaces_ && prepared.ids_->contains(own.ids[i])) continue;
            ids.push_back(own.ids[i]);
            values.push_back(own.values[i]);
        }
        for (std::size_t i = 0; i < models_->size(); ++i) {
            ids.push_back(prepared.ids_->language_models[i]);
            values.push_back(std::numbers::ln10 * rescored.log10[number * models_->size() + i]);
        }
        for (const std::int32_t feature : rescored.ngrams_of(number)) {
            ids.push_back(prepared.ids_->ngrams[feature]);
            values.push_back(1.0);
        }
        target.clear();
        for (const Symbol symbol : list.target(rule)) {
            if (is_slot(symbol))
                target.push_back(symbol);
            else if (symbol >= first_word)
                target.push_back(symbol - first_word);
        }
        builder.add_edge(head, tails, {ids, values}, target);
    };
    walk_rescored(chart, rescored, only_best, add_node, add_edge);
    builder.set_root(head);
    return builder.build();
}

}  // namespace hopefear
