#include "hopefear/forest_rescorer.hpp"

#include <algorithm>
#include <numbers>

#include "hopefear/edge_scores.hpp"
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

bool contains(std::span<const FeatureId> features, FeatureId id) {
    return std::ranges::find(features, id) != features.end();
}

// What some of the features have of w · h.
double part_score(SparseView features, std::span<const FeatureId> part,
                  std::span<const double> weights) {
    double sum = 0.0;
    for (std::size_t i = 0; i < features.size(); ++i) {
        const auto id = static_cast<std::size_t>(features.ids[i]);
        if (id < weights.size() && contains(part, features.ids[i]))
            sum += weights[id] * features.values[i];
    }
    return sum;
}

}  // namespace

std::size_t PreparedForest::bytes() const {
    std::size_t bytes = sizeof *this;
    for (const auto* indices : {&first_edge_, &first_bundle_, &first_symbol_})
        bytes += indices->capacity() * sizeof(std::uint32_t);
    bytes += symbols_.capacity() * sizeof(Symbol) + estimates_.capacity() * sizeof(float);
    for (const auto& words : words_) bytes += words.capacity() * sizeof(std::uint32_t);
    return bytes;
}

// What one forest needs at a time, used again for the next.
struct ForestRescorer::Worker {
    Worker(const LanguageModels& models, RescoreOptions options) : rescorer(models, options) {}

    Rescorer rescorer;
    Chart chart;
    std::vector<RuleList> lists;
    std::vector<double> scores;  // by edge, language models apart
    std::vector<double> log10_weights;
};

ForestRescorer::ForestRescorer(const std::vector<NamedLanguageModel>& models,
                               RescoreOptions options)
    : named_(models),
      models_(std::make_unique<LanguageModels>(models, boundary_words())),
      options_(options) {
    Worker(*models_, options);  // checks the options
}

ForestRescorer::~ForestRescorer() = default;

PreparedForest ForestRescorer::prepare(std::shared_ptr<const Forest> forest) {
    PreparedForest prepared;
    prepared.forest_ = std::move(forest);
    find_features(prepared);
    const Forest& own = *prepared.forest_;
    std::vector<std::string> words;
    for (const std::string_view word : own.words()->texts()) words.emplace_back(word);
    models_->find(words, prepared.words_);
    const bool bare = !own.words()->find(sentence_begin) && !own.words()->find(sentence_end);
    prepared.first_bundle_.push_back(0);
    prepared.first_symbol_.push_back(0);
    for (NodeId node = 0; node <= own.root(); ++node) {
        add_bundles(prepared, node);
        for (const EdgeId edge : own.edges(node))
            add_target(prepared, edge, bare && node == own.root());
    }
    prepared.first_edge_.push_back(static_cast<std::uint32_t>(own.edge_count()));
    return prepared;
}

void ForestRescorer::find_features(PreparedForest& prepared) {
    const Forest& forest = *prepared.forest_;
    const std::lock_guard lock(mutex_);  // forests may share names
    for (const NamedLanguageModel& named : named_)
        prepared.features_.push_back(forest.feature_names()->add(named.name));
    for (std::size_t i = 0; i < forest.patterns().size(); ++i)
        for (const FeatureId id : forest.patterns()[static_cast<FeaturePatterns::Id>(i)])
            if (contains(prepared.features_, id)) prepared.replaces_ = true;
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

void ForestRescorer::add_target(PreparedForest& prepared, EdgeId edge, bool bare) const {
    const Forest& forest = *prepared.forest_;
    std::vector<Symbol>& symbols = prepared.symbols_;
    const auto target = forest.target(edge);
    const bool plain = bare || (forest.tails(edge).empty() && target.size() == 1 &&
                                forest.covered(forest.head(edge)) == 1);
    if (bare) symbols.push_back(begin_word);
    for (const Symbol symbol : target) {
        const auto is = [&](std::string_view word) {
            return !plain && forest.words()->text(symbol) == word;
        };
        if (is_slot(symbol))
            symbols.push_back(symbol);
        else
            symbols.push_back(is(sentence_begin) ? begin_word
                              : is(sentence_end) ? end_word
                                                 : symbol + first_word);
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
    auto worker = workers_.take([this] { return std::make_unique<Worker>(*models_, options_); });
    worker->scores = score_edges(forest, weights);
    worker->log10_weights.clear();
    for (const FeatureId feature : prepared.features_) {
        const auto id = static_cast<std::size_t>(feature);
        const double weight = id < weights.size() ? weights[id] : 0.0;
        worker->log10_weights.push_back(weight * std::numbers::ln10);
    }
    if (prepared.replaces_)
        for (std::size_t edge = 0; edge < worker->scores.size(); ++edge)
            worker->scores[edge] -=
                part_score(forest.features(static_cast<EdgeId>(edge)), prepared.features_, weights);
    make_chart(prepared, *worker);
    const RescoredChart& rescored =
        worker->rescorer.rescore(worker->chart, prepared.words_, worker->log10_weights);
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
            if (prepared.replaces_ && contains(prepared.features_, own.ids[i])) continue;
            ids.push_back(own.ids[i]);
            values.push_back(own.values[i]);
        }
        for (std::size_t i = 0; i < models_->size(); ++i) {
            ids.push_back(prepared.features_[i]);
            values.push_back(std::numbers::ln10 * rescored.log10[number * models_->size() + i]);
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
