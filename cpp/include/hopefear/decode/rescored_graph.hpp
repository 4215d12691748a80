// The derivations that rescoring left of a prepared forest, as KBestSearch reads them: lists need
// no forest of their own.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>

#include "hopefear/base/error.hpp"
#include "hopefear/base/row_sum.hpp"
#include "hopefear/decode/chart.hpp"
#include "hopefear/decode/prepared_forest.hpp"
#include "hopefear/decode/rescore.hpp"

namespace hopefear {

class RescoredGraph {
  public:
    // All three must outlive this object; rules of the chart refer to rules of the forest.
    RescoredGraph(const PreparedForest& prepared, const Chart& chart, const RescoredChart& rescored)
        : prepared_(&prepared), chart_(&chart), rescored_(&rescored) {}

    [[nodiscard]] std::size_t node_count() const { return rescored_->nodes.size(); }
    template <class Use>
    void for_each_edge(NodeId node, const Use& use) const {
        for (std::uint32_t edge = rescored_->nodes[node].first_edge; edge != RescoredChart::none;
             edge = rescored_->edges[edge].next)
            use(static_cast<EdgeId>(edge));
    }
    [[nodiscard]] std::span<const std::uint32_t> tails(EdgeId edge) const {
        const RescoredChart::Edge& own = rescored_->edges[edge];
        const auto arity = static_cast<std::size_t>(chart_->bundles[own.bundle].arity);
        return std::span(rescored_->tails).subspan(own.first_tail, arity);
    }
    [[nodiscard]] std::span<const Symbol> target(EdgeId edge) const {
        return prepared_->target(rule(edge));
    }
    // <s> and </s> are not words of the string.
    [[nodiscard]] static bool is_word(Symbol symbol) {
        return PreparedForest::word_of(symbol) >= 0;
    }
    [[nodiscard]] std::string_view text(Symbol word) const {
        return prepared_->words()->text(PreparedForest::word_of(word));
    }
    [[nodiscard]] double score(EdgeId edge) const {
        const double score = rescored_->edges[edge].score;
        if (!std::isfinite(score)) [[unlikely]]
            RescoredChart::fail_log10();
        return score;
    }
    [[nodiscard]] double best(NodeId node) const { return rescored_->nodes[node].score; }
    [[nodiscard]] EdgeId best_edge(NodeId node) const {
        return static_cast<EdgeId>(rescored_->nodes[node].best_edge);
    }

    void add_features(EdgeId edge, RowSum& sum) const {
        const auto number = static_cast<std::uint32_t>(edge);
        sum.add(prepared_->features(rule(edge)));
        const auto& models = prepared_->nonlocal().language_models;
        for (std::size_t i = 0; i < models.size(); ++i)
            sum.add(models[i], std::numbers::ln10 * rescored_->log10[number * models.size() + i]);
        for (const std::int32_t feature : rescored_->ngrams_of(number))
            sum.add(prepared_->nonlocal().ngrams[feature], 1.0);
    }

  private:
    [[nodiscard]] std::uint32_t rule(EdgeId edge) const {
        const RescoredChart::Edge& own = rescored_->edges[edge];
        return chart_->bundles[own.bundle].rules->rules[own.rule].reference;
    }

    const PreparedForest* prepared_;
    const Chart* chart_;
    const RescoredChart* rescored_;
};

}  // namespace hopefear
