#include "hopefear/learn/forest_mira.hpp"

#include "hopefear/base/error.hpp"
#include "hopefear/forest/viterbi.hpp"
#include "hopefear/learn/passive_aggressive.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/search/forest_reranking.hpp"

namespace hopefear {

std::vector<double> linear_gain(std::span<const double> document) {
    std::vector<double> point = perfect_sentence(document.size() / 2);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += document[i];
    const BleuStatistics<const double> b(point);
    // Linear BLEU is of n_1 BLEU.
    std::vector<double> gain = linear_bleu(point);
    for (double& x : gain) x *= b.reference_length() / b.hypothesis_length();
    return gain;
}

HopeFear::HopeFear(const ForestSet& forests, const BleuForests& split)
    : forests_(forests), split_(split), count_(split.references().make_count()) {
    if (forests.size() != split.size())
        fail<DataError>(forests.size(), " forests, but ", split.size(), " with statistics of BLEU");
}

void HopeFear::find(std::size_t sentence, const OnlineWeights& weights,
                    std::span<const double> gain, std::span<const double> document) {
    const Forest& forest = *forests_[sentence];
    scores_.resize(forest.edge_count());
    for (std::size_t edge = 0; edge < scores_.size(); ++edge)
        scores_[edge] = weights.dot(forest.features(static_cast<EdgeId>(edge)));
    if (split_[sentence].empty())
        find_by_reranking(sentence, document);
    else
        find_on_edges(sentence, gain);
}

void HopeFear::find_on_edges(std::size_t sentence, std::span<const double> gain) {
    const BleuForest& split = split_[sentence];
    gains_.assign(split.rows.size() / gain.size(), 0.0);
    for (std::size_t row = 0; row < gains_.size(); ++row)
        for (std::size_t i = 0; i < gain.size(); ++i)
            gains_[row] += gain[i] * split.rows[row * gain.size() + i];
    best_.find(split.edge_begin, split.tails, [&](EdgeId edge) {
        const auto [original, statistics] = split.edges[edge];
        const double s = scores_[original];
        const double b = gains_[statistics];
        return std::array{s + b, s - b, s, s};
    });
    for (std::size_t lane = 0; lane < found_.size(); ++lane) read(sentence, lane);
}

void HopeFear::find_by_reranking(std::size_t sentence, std::span<const double> document) {
    const Forest& forest = *forests_[sentence];
    const std::size_t dimension = split_.references().dimension();
    // What is better of a part need not be better of the whole, and less so the more the model
    // disagrees: several weights of the gain offer a choice.
    Found& model = found_[2];
    const ScoredDerivation best = viterbi(forest, scores_);
    take(sentence, best.edges, model);
    model.score = best.score;
    ForestReranker reranker(forest, split_.references(), sentence, split_.numbers(), document);
    for (const std::size_t lane : {0, 1}) {
        const double sign = lane == 0 ? 1.0 : -1.0;
        const auto judged = [&](const Found& found) {
            return derivation_score(forest, found.edges, scores_) +
                   sign * document_gains(document, found.statistics, dimension)[0];
        };
        Found& chosen = found_[lane];
        chosen = model;
        chosen.score = judged(chosen);
        for (const double gain_weight : {1.0, 4.0, 16.0}) {
            const Reranked reranked = reranker.find(scores_, sign * gain_weight, 1);
            Found other;
            take(sentence, reranked.derivations.edges, other);
            other.score = judged(other);
            if (other.score > chosen.score) chosen = std::move(other);
        }
    }
}

void HopeFear::take(std::size_t sentence, std::span<const EdgeId> edges, Found& found) {
    found.edges.assign(edges.begin(), edges.end());
    const std::vector<Symbol> words = derivation_words(*forests_[sentence], edges);
    found.words.assign(words.begin(), words.end());
    count(sentence, found);
}

void HopeFear::read(std::size_t sentence, std::size_t lane) {
    const Forest& forest = *forests_[sentence];
    const BleuForest& split = split_[sentence];
    read_derivation(
        split.root(), split.tails, [&](NodeId node) { return best_.edge(node, lane); },
        [&](EdgeId edge) { return forest.target(split.edges[edge].original); }, text_);
    Found& found = found_[lane];
    found.score = best_.score(lane);
    found.edges.clear();
    for (const EdgeId edge : text_.edges) found.edges.push_back(split.edges[edge].original);
    found.words = text_.words;
    count(sentence, found);
}

void HopeFear::count(std::size_t sentence, Found& found) {
    numbers_.clear();
    for (const WordId word : found.words) numbers_.push_back(split_.number(word));
    found.statistics.assign(split_.references().dimension(), 0.0);
    count_(sentence, numbers_, found.statistics);
}

std::vector<double> oracle_statistics(const ForestSet& forests, const BleuForests& split,
                                      const CorpusScore& score) {
    const std::size_t dimension = split.references().dimension();
    if (score.dimension() != dimension)
        fail<DataError>("the metric takes ", score.dimension(), " statistics, the forests have ",
                        dimension);
    HopeFear search(forests, split);
    const OnlineWeights none(std::vector<double>(forests.feature_count(), 0.0), {});
    std::vector<std::vector<double>> chosen(forests.size());
    std::vector<double> total(dimension, 0.0);
    const auto with = [&](const std::vector<double>& own) {
        std::vector<double> sum = total;
        for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
        return sum;
    };
    // The first round goes by the sentences before, the second by all others.
    for (int round = 0; round < 2; ++round)
        for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
            if (!forests[sentence]) continue;
            std::vector<double>& own = chosen[sentence];
            for (std::size_t i = 0; i < own.size(); ++i) total[i] -= own[i];
            const std::vector<double> document = with(perfect_sentence(dimension / 2));
            search.find(sentence, none, linear_gain(total), document);
            const auto& found = search.hope().statistics;
            if (own.empty() || score(with(found)) > score(with(own))) own = found;
            total = with(own);
        }
    return total;
}

namespace {

// h(hope) - h(fear), added up in an array of all features of which few are touched.
class FeatureDifference {
  public:
    explicit FeatureDifference(std::size_t features) : sums_(features, 0.0) {}

    void add(const Forest& forest, std::span<const EdgeId> edges, double sign) {
        for (const EdgeId edge : edges) {
            const SparseView h = forest.features(edge);
            for (std::size_t i = 0; i < h.size(); ++i) {
                // A feature that comes back to zero may be listed twice: what is taken the second
                // time is zero.
                if (sums_[h.ids[i]] == 0.0) ids_.push_back(h.ids[i]);
                sums_[h.ids[i]] += sign * h.values[i];
            }
        }
    }
    // The difference; this is empty again.
    [[nodiscard]] SparseView take() {
        taken_ids_.clear();
        taken_values_.clear();
        for (const FeatureId id : ids_) {
            if (sums_[id] == 0.0) continue;
            taken_ids_.push_back(id);
            taken_values_.push_back(sums_[id]);
            sums_[id] = 0.0;
        }
        ids_.clear();
        return {taken_ids_, taken_values_};
    }

  private:
    std::vector<double> sums_;
    std::vector<FeatureId> ids_;
    std::vector<FeatureId> taken_ids_;
    std::vector<double> taken_values_;
};

}  // namespace

KBestMiraState forest_mira_epoch(const ForestSet& forests, const BleuForests& split,
                                 const CorpusScore& score, std::span<const std::int64_t> order,
                                 const KBestMiraOptions& options, KBestMiraState state) {
    if (score.dimension() != split.references().dimension())
        fail<DataError>("the metric takes ", score.dimension(), " statistics, the forests have ",
                        split.references().dimension());
    if (state.document.size() != score.dimension())
        fail<DataError>("a document of ", state.document.size(), " statistics, but the metric has ",
                        score.dimension());
    OnlineWeights& weights = state.weights;
    forests.check_weights(weights.weights());
    state.loss = 0.0;
    state.updates = 0;
    HopeFear search(forests, split);
    FeatureDifference difference(weights.size());
    for (const std::int64_t number : order) {
        const std::size_t sentence = forests.checked_sentence(number);
        if (!forests[sentence]) continue;
        search.find(sentence, weights, linear_gain(state.document), state.document);
        const HopeFear::Found& hope = search.hope();
        const HopeFear::Found& fear = search.fear();
        std::array<double, 2> gains;
        std::vector<double> rows = hope.statistics;
        rows.insert(rows.end(), fear.statistics.begin(), fear.statistics.end());
        score.gains(state.document, rows, gains);
        const double cost = gains[0] - gains[1];
        if (cost > 0.0) {
            difference.add(*forests[sentence], hope.edges, 1.0);
            difference.add(*forests[sentence], fear.edges, -1.0);
            const double violation = raise(difference.take(), cost, options.max_step, weights);
            state.loss += violation;
            state.updates += violation > 0.0;
        }
        weights.count();
        const auto& taken = options.hope_context ? hope.statistics : search.model().statistics;
        for (std::size_t i = 0; i < state.document.size(); ++i)
            state.document[i] = options.decay * state.document[i] + taken[i];
    }
    return state;
}

}  // namespace hopefear
