#include "hopefear/learn/forest_loss.hpp"

#include <algorithm>
#include <array>

#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/forest/best_derivations.hpp"
#include "hopefear/forest/pushing.hpp"
#include "hopefear/learn/feature_sums.hpp"

namespace hopefear {

namespace {

// What the gain counts beside the score where the derivations of the largest gain compete: enough
// for all differences of gains, and little enough that scores keep eight digits.
constexpr double least_cost_scale = 1e6;

// The factor of the gain in s + a c, where c = -α B.
double gain_scale(const Side& side, double cost_scale) {
    return side.pool == Pool::least_cost ? least_cost_scale : -side.cost * cost_scale;
}

void check(const ForestGains& gains, const Loss& loss) {
    const auto& [forests, split, coefficients] = gains;
    if (forests.size() != split.size())
        fail<DataError>(forests.size(), " forests, but ", split.size(), " with statistics of BLEU");
    if (coefficients.size() != split.references().dimension())
        fail<DataError>(coefficients.size(), " coefficients of gains, the forests have ",
                        split.references().dimension(), " statistics");
    for (const Side& side : {loss.up, loss.down})
        if (loss.risk || (side.pool != Pool::all && side.pool != Pool::least_cost))
            fail<DataError>(
                "this loss needs lists: forests have losses of all derivations, or of "
                "those of the least cost");
}

// Finds the derivations of sides. The buffers are reused from sentence to sentence.
class ForestSides {
  public:
    ForestSides(const ForestGains& gains, double cost_scale)
        : gains_(gains), cost_scale_(cost_scale) {}

    // Whether there are derivations with gains.
    [[nodiscard]] bool has(std::size_t sentence) const {
        return gains_.forests[sentence] && !gains_.split[sentence].empty();
    }

    // Score the edges of a sentence, whose sides are then asked for: dot(h) is w · h.
    template <class Dot>
    void begin(std::size_t sentence, const Dot& dot) {
        sentence_ = sentence;
        const Forest& forest = *gains_.forests[sentence];
        scores_.resize(forest.edge_count());
        for (std::size_t edge = 0; edge < scores_.size(); ++edge)
            scores_[edge] = dot(forest.features(static_cast<EdgeId>(edge)));
    }
    [[nodiscard]] std::span<const double> scores() const { return scores_; }

    // Return M of a side and add ∂M/∂s_e to the slopes.
    double add(const Side& side, std::span<double> slopes) {
        const double scale = gain_scale(side, cost_scale_);
        // Without costs, splitting changes nothing: it keeps the derivations.
        if (scale == 0.0)
            return add(
                side, {gains_.forests[sentence_]->edge_begin(), gains_.forests.tails(sentence_)},
                [&](EdgeId edge) { return scores_[edge]; }, [](EdgeId edge) { return edge; },
                slopes);
        const BleuForest& split = gains_.split[sentence_];
        const std::span<const double> c = gains_.coefficients;
        scaled_gains_.assign(split.rows.size() / c.size(), 0.0);
        for (std::size_t row = 0; row < scaled_gains_.size(); ++row) {
            for (std::size_t i = 0; i < c.size(); ++i)
                scaled_gains_[row] += c[i] * split.rows[row * c.size() + i];
            scaled_gains_[row] *= scale;
        }
        return add(
            side, {split.edge_begin, split.tails},
            [&](EdgeId edge) {
                const auto [original, statistics] = split.edges[edge];
                return scores_[original] + scaled_gains_[statistics];
            },
            [&](EdgeId edge) { return split.edges[edge].original; }, slopes);
    }

  private:
    template <class Score, class Original>
    double add(const Side& side, const HypergraphView& forest, const Score& score,
               const Original& original, std::span<double> slopes) {
        if (side.soft) {
            // M = log Σ exp: ∂M/∂s_e is the expected number of uses of e.
            const double value = push_scores(forest, score, inside_, conditional_);
            expected_uses(forest, conditional_, node_uses_, edge_uses_);
            for (std::size_t edge = 0; edge < edge_uses_.size(); ++edge)
                slopes[original(static_cast<EdgeId>(edge))] += edge_uses_[edge];
            return value;
        }
        best_.find(forest.edge_begin(), forest.tail_pairs(),
                   [&](EdgeId edge, Lanes<1>& sum) { sum.fill(score(edge)); });
        nodes_.assign(1, forest.root());
        for (std::size_t size = 0; !nodes_.empty(); ++size) {
            if (size == max_derivation_size) fail_derivation_size();
            const EdgeId edge =
                best_.edge(forest.edge_begin(), forest.tail_pairs(), score, nodes_.back(), 0);
            nodes_.pop_back();
            slopes[original(edge)] += 1.0;
            for (const NodeId tail : forest.tails(edge)) nodes_.push_back(tail);
        }
        return best_.score(0);
    }

    ForestGains gains_;
    double cost_scale_;
    std::size_t sentence_ = 0;
    std::vector<double> scores_;        // by edge of the forest
    std::vector<double> scaled_gains_;  // by row of statistics
    BestDerivations<1> best_;
    std::vector<NodeId> nodes_;  // still to be visited
    std::vector<LogSemiring::Value> inside_;
    std::vector<double> conditional_;
    std::vector<double> node_uses_;
    std::vector<double> edge_uses_;
};

}  // namespace

std::vector<double> raised_edges(const ForestGains& gains, std::span<const double> weights,
                                 double cost_scale, const Loss& loss, std::size_t threads) {
    check(gains, loss);
    gains.forests.check_weights(weights);
    std::vector<double> held(gains.forests.edge_count(), 0.0);
    parallel_blocks(gains.forests.size(), 16, threads, [&](std::size_t begin, std::size_t end) {
        ForestSides sides(gains, cost_scale);
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            if (!sides.has(sentence)) continue;
            sides.begin(sentence, [&](const SparseView& h) { return h.dot(weights); });
            sides.add(loss.up, gains.forests.edges(std::span(held), sentence));
        }
    });
    return held;
}

SubgradientState forest_subgradient_epoch(const ForestGains& gains, const Loss& loss,
                                          std::span<const double> held,
                                          std::span<const std::int64_t> order,
                                          const SubgradientStep& step, SubgradientState state) {
    check(gains, loss);
    const ForestSet& forests = gains.forests;
    forests.check_weights(state.weights.weights());
    forests.check_edges(held, "shares");
    state.loss = 0.0;
    ForestSides sides(gains, step.cost_scale);
    std::vector<double> slopes;
    FeatureSums sums(state.weights.size());
    for (const std::int64_t number : order) {
        const std::size_t sentence = forests.checked_sentence(number);
        if (!sides.has(sentence)) continue;
        const Forest& forest = *forests[sentence];
        const std::span<const double> q = forests.edges(held, sentence);
        if (std::ranges::all_of(q, [](double share) { return share == 0.0; })) continue;
        sides.begin(sentence, [&](const SparseView& h) { return state.weights.dot(h); });
        slopes.assign(q.size(), 0.0);
        state.loss += sides.add(loss.down, slopes);
        for (std::size_t edge = 0; edge < q.size(); ++edge) {
            state.loss -= q[edge] * sides.scores()[edge];
            slopes[edge] -= q[edge];
            if (slopes[edge] != 0.0)
                sums.add(forest.features(static_cast<EdgeId>(edge)), slopes[edge]);
        }
        const SparseView gradient = sums.take();
        move(step, state, [&](const auto& row) { row(gradient, 1.0); });
    }
    if (step.l1 > 0.0) state.penalty.pay_all(state.weights);
    return state;
}

}  // namespace hopefear
