#include "hopefear/learn/batch_mira.hpp"

#include <algorithm>
#include <array>

#include "hopefear/base/error.hpp"
#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/learn/feature_sums.hpp"
#include "hopefear/learn/saved_numbers.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/search/hope_fear.hpp"

namespace hopefear {

namespace {

// w · h of one row after the other under the same weights, which are looked up once for each
// pattern.
class Scores {
  public:
    explicit Scores(std::span<const double> weights) : weights_(weights) {}

    // Discard the weights that were looked up.
    void begin() { ids_ = nullptr; }
    double operator()(const SparseView& row) {
        if (row.ids.data() != ids_ || row.size() != of_pattern_.size()) look_up(row.ids);
        double sum = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += of_pattern_[i] * row.values[i];
        return sum;
    }

  private:
    void look_up(std::span<const FeatureId> ids) {
        ids_ = ids.data();
        of_pattern_.clear();
        for (const FeatureId id : ids) of_pattern_.push_back(weights_[id]);
    }

    std::span<const double> weights_;
    const FeatureId* ids_ = nullptr;
    std::vector<double> of_pattern_;
};

void begin_epoch(std::size_t dimension, BatchMiraState& state) {
    if (state.document.size() != dimension)
        fail<DataError>("the document has ", state.document.size(), " statistics, the metric has ",
                        dimension);
    state.loss = 0.0;
    state.updates = 0;
}

// The update of one sentence, where `difference` is Δh = h(hope) - h(fear):
//     ℓ = max(0, B(hope) - B(fear) - w · Δh),      w ← w + min(C, ℓ / |Δh|²) Δh.
void raise_hope(const SparseView& difference, double cost, double max_step, BatchMiraState& state) {
    const double violation = cost - state.weights.dot(difference);
    double norm = 0.0;
    for (const double x : difference.values) norm += x * x;
    if (violation <= 0.0 || norm == 0.0) return;
    state.weights.add(difference, std::min(max_step, violation / norm));
    state.loss += violation;
    ++state.updates;
}

// The end of a sentence: the document decays and takes in the statistics of a hypothesis.
void end_sentence(std::span<const double> statistics, double decay, BatchMiraState& state) {
    state.weights.count();
    for (std::size_t i = 0; i < state.document.size(); ++i)
        state.document[i] = decay * state.document[i] + statistics[i];
}

}  // namespace

BatchMiraState BatchMiraState::merged(std::span<const BatchMiraState* const> all) {
    std::vector<const OnlineWeights*> weights;
    for (const BatchMiraState* one : all) weights.push_back(&one->weights);
    BatchMiraState mean{OnlineWeights::merged(weights), all.front()->document};
    std::ranges::fill(mean.document, 0.0);
    for (const BatchMiraState* one : all) {
        if (one->document.size() != mean.document.size())
            fail<DataError>("documents of different metrics cannot be merged");
        for (std::size_t i = 0; i < mean.document.size(); ++i)
            mean.document[i] += one->document[i] / static_cast<double>(all.size());
        mean.loss += one->loss;
        mean.updates += one->updates;
    }
    return mean;
}

std::vector<double> BatchMiraState::save() const {
    SavedNumbers saved;
    saved.add(weights.save());
    saved.add(document);
    saved.add(loss);
    saved.add(static_cast<double>(updates));
    return std::move(saved).take();
}

BatchMiraState BatchMiraState::load(std::span<const double> saved) {
    SavedReader reader(saved);
    BatchMiraState state{OnlineWeights::load(reader.array()), {}};
    const auto document = reader.array();
    state.document.assign(document.begin(), document.end());
    state.loss = reader.number();
    state.updates = static_cast<std::size_t>(std::max(0.0, reader.number()));
    reader.finish();
    return state;
}

BatchMiraState kbest_mira_epoch(const NBest& nbest, const CorpusScore& score,
                                std::span<const std::int64_t> order,
                                const BatchMiraOptions& options, BatchMiraState state) {
    const auto& statistics = nbest.checked_statistics(score.dimension());
    nbest.check_weights(state.weights.size());
    begin_epoch(statistics.dimension(), state);
    std::vector<double> gains;
    std::vector<double> rows;
    SparseVector difference;
    Scores score_of(state.weights.unscaled());
    for (const std::int64_t sentence : order) {
        const auto [begin, end] = nbest.rows(nbest.checked_sentence(sentence));
        if (begin == end) continue;
        gains.resize(end - begin);
        rows.resize(gains.size() * statistics.dimension());
        statistics.read(begin, end, rows);
        score.gains(state.document, rows, gains);
        score_of.begin();
        HopeFearRows found(begin, score_of(nbest.features(begin)), gains[0]);
        nbest.for_each({begin + 1, end}, [&](std::size_t row, const SparseView& features) {
            found.offer(row, score_of(features), gains[row - begin]);
        });
        const std::size_t hope = found.hope.row;
        const std::size_t fear = found.fear.row;
        const double cost = gains[hope - begin] - gains[fear - begin];
        if (cost > 0.0) {
            difference.set_difference(nbest.features(hope), nbest.features(fear));
            raise_hope(difference.view(), cost, options.max_step, state);
        }
        const std::size_t taken = (options.hope_context ? hope : found.model.row) - begin;
        end_sentence(std::span(rows).subspan(taken * statistics.dimension()), options.decay, state);
    }
    return state;
}

BatchMiraState forest_mira_epoch(const ForestSet& forests, const BleuForests& split,
                                 const CorpusScore& score, std::span<const std::int64_t> order,
                                 const BatchMiraOptions& options, BatchMiraState state) {
    if (score.dimension() != split.references().dimension())
        fail<DataError>("the metric takes ", score.dimension(), " statistics, the forests have ",
                        split.references().dimension());
    forests.check_weights(state.weights.unscaled());
    begin_epoch(score.dimension(), state);
    ForestHopeFear search(forests, split);
    FeatureSums difference(state.weights.size());
    std::array<double, 2> gains;
    for (const std::int64_t number : order) {
        const std::size_t sentence = forests.checked_sentence(number);
        if (!forests[sentence]) continue;
        search.find(sentence, state.weights.unscaled(), linear_gain(state.document),
                    state.document);
        const auto& hope = search.hope();
        const auto& fear = search.fear();
        std::vector<double> rows = hope.statistics;
        rows.insert(rows.end(), fear.statistics.begin(), fear.statistics.end());
        score.gains(state.document, rows, gains);
        const double cost = gains[0] - gains[1];
        if (cost > 0.0) {
            const Forest& forest = *forests[sentence];
            for (const EdgeId edge : hope.edges) difference.add(forest.features(edge), 1.0);
            for (const EdgeId edge : fear.edges) difference.add(forest.features(edge), -1.0);
            raise_hope(difference.take(), cost, options.max_step, state);
        }
        end_sentence(options.hope_context ? hope.statistics : search.model().statistics,
                     options.decay, state);
    }
    return state;
}

}  // namespace hopefear
