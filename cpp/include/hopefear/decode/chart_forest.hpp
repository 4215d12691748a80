// Forests made from charts: all parses, or what is left after rescoring with language models.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/decode/chart.hpp"
#include "hopefear/decode/rescore.hpp"
#include "hopefear/decode/translation_model.hpp"
#include "hopefear/forest/builder.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// Turns rules into edges. Each forest has its own vocabulary of words.
class ForestAssembler {
  public:
    ForestAssembler(const TranslationModel& model, std::span<const std::string> sentence,
                    const SentenceWords& numbers);

    NodeId add_node(const Chart::Node& node);
    // Add a rule without non-local features.
    void add_edge(NodeId head, std::span<const NodeId> tails, const RuleList& list,
                  const ScoredRule& rule);
    // Add a rule without <s> and </s> but with non-local features: a log10 probability of each
    // language model, and n-grams.
    void add_edge(NodeId head, std::span<const NodeId> tails, const RuleList& list,
                  const ScoredRule& rule, std::span<const float> log10,
                  std::span<const std::int32_t> ngrams);
    [[nodiscard]] Forest build(NodeId root);

  private:
    [[nodiscard]] Symbol word(Symbol symbol);
    void start_edge(const RuleList& list, const ScoredRule& rule, bool keep_boundaries);
    void finish_edge(NodeId head, std::span<const NodeId> tails, SparseView templates);

    const TranslationModel* model_;
    std::span<const std::string> sentence_;
    const SentenceWords* numbers_;
    std::shared_ptr<Vocabulary> words_;
    ForestBuilder builder_;
    std::vector<Symbol> word_ids_;  // by the model's words, then the sentence's; -1 if not used yet
    Rule rule_;
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
    std::vector<Symbol> target_;
};

// All parses: rules with <s> and </s> among their words and without non-local features.
[[nodiscard]] Forest parse_forest(const Chart& chart, const TranslationModel& model,
                                  std::span<const std::string> sentence,
                                  const SentenceWords& numbers);

// The result of rescoring, with non-local features and without <s> and </s>: all of it, or only the
// best derivation.
[[nodiscard]] Forest rescored_forest(const Chart& chart, const RescoredChart& rescored,
                                     const TranslationModel& model,
                                     std::span<const std::string> sentence,
                                     const SentenceWords& numbers, bool only_best);

}  // namespace hopefear
