// Forests of charts: as they were parsed, or with language models in them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/chart.hpp"
#include "hopefear/forest.hpp"
#include "hopefear/forest_builder.hpp"
#include "hopefear/rescore.hpp"
#include "hopefear/translation_model.hpp"

namespace hopefear {

// Turns rules into edges. The words of the forest are its own, whatever other sentences have.
class ForestAssembler {
  public:
    ForestAssembler(const TranslationModel& model, std::span<const std::string> sentence);

    NodeId add_node(const Chart::Node& node);
    // `log10` has a value for each language model, or is empty. <s> and </s> are kept or not.
    void add_edge(NodeId head, std::span<const NodeId> tails, const RuleList& list,
                  const ScoredRule& rule, std::span<const float> log10, bool keep_boundaries);
    [[nodiscard]] Forest build(NodeId root);

  private:
    [[nodiscard]] Symbol word(Symbol symbol);

    const TranslationModel* model_;
    std::span<const std::string> sentence_;
    std::shared_ptr<Vocabulary> words_;
    ForestBuilder builder_;
    std::vector<Symbol> word_ids_;  // by the model's words, then the sentence's; -1: not yet used
    Rule rule_;
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
    std::vector<Symbol> target_;
};

// All parses: rules as they are, <s> and </s> among their words; no language models.
[[nodiscard]] Forest parse_forest(const Chart& chart, const TranslationModel& model,
                                  std::span<const std::string> sentence);

// What rescoring has left, with language models: of all of it, or of the best derivation alone. <s>
// and </s> are no words of it.
[[nodiscard]] Forest rescored_forest(const Chart& chart, const RescoredChart& rescored,
                                     const TranslationModel& model,
                                     std::span<const std::string> sentence, bool only_best);

}  // namespace hopefear
