#include "hopefear/learn/kbest_mira.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"
#include "hopefear/base/saved_numbers.hpp"
#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/learn/passive_aggressive.hpp"

namespace hopefear {

namespace {

// The best row so far; ties go to the first.
struct Best {
    double value;
    std::size_t row;
    void offer(double other, std::size_t at) {
        if (other > value) *this = {other, at};
    }
};

// w . h of one row after the other under the same weights: those of a pattern are looked up once.
class Scores {
  public:
    explicit Scores(std::span<const double> weights) : weights_(weights) {}

    // Forget the weights that were looked up.
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

}  // namespace

std::vector<double> KBestMiraState::save() const {
    SavedNumbers saved;
    saved.add(weights.save());
    saved.add(document);
    saved.add(loss);
    saved.add(static_cast<double>(updates));
    return std::move(saved).take();
}

KBestMiraState KBestMiraState::load(std::span<const double> saved) {
    SavedReader reader(saved);
    KBestMiraState state{OnlineWeights::load(reader.array()), {}};
    const auto document = reader.array();
    state.document.assign(document.begin(), document.end());
    state.loss = reader.number();
    state.updates = static_cast<std::size_t>(std::max(0.0, reader.number()));
    reader.finish();
    return state;
}

KBestMiraState kbest_mira_epoch(const NBest& nbest, const CorpusScore& score,
                                std::span<const std::int64_t> order,
                                const KBestMiraOptions& options, KBestMiraState state) {
    const auto& statistics = nbest.checked_statistics(score.dimension());
    OnlineWeights& weights = state.weights;
    nbest.check_weights(weights.size());
    if (state.document.size() != statistics.dimension())
        fail<DataError>("a document of ", state.document.size(), " statistics, but the metric has ",
                        statistics.dimension());
    state.loss = 0.0;
    state.updates = 0;
    std::vector<double> gains;
    std::vector<double> rows;
    SparseVector difference;
    Scores score_of(weights.unscaled());
    for (const std::int64_t sentence : order) {
        const auto [begin, end] = nbest.rows(nbest.checked_sentence(sentence));
        if (begin == end) continue;
        gains.resize(end - begin);
        rows.resize(gains.size() * statistics.dimension());
        statistics.read(begin, end, rows);
        score.gains(state.document, rows, gains);
        // hope = argmax w.h + B, fear = argmax w.h - B
        score_of.begin();
        const double first = score_of(nbest.features(begin));
        Best hope{first + gains[0], begin};
        Best fear{first - gains[0], begin};
        Best model{first, begin};
        nbest.for_each({begin + 1, end}, [&](std::size_t row, const SparseView& features) {
            const double s = score_of(features);
            hope.offer(s + gains[row - begin], row);
            fear.offer(s - gains[row - begin], row);
            model.offer(s, row);
        });
        const double cost = gains[hope.row - begin] - gains[fear.row - begin];
        if (cost > 0.0) {
            difference.set_difference(nbest.features(hope.row), nbest.features(fear.row));
            const double violation = raise(difference.view(), cost, options.max_step, weights);
            state.loss += violation;
            state.updates += violation > 0.0;
        }
        weights.count();
        const std::size_t taken = (options.hope_context ? hope.row : model.row) - begin;
        for (std::size_t i = 0; i < state.document.size(); ++i)
            state.document[i] =
                options.decay * state.document[i] + rows[taken * statistics.dimension() + i];
    }
    return state;
}

}  // namespace hopefear
