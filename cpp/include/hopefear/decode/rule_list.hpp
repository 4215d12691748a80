// Rules under given weights, as cube pruning needs them: the most promising first.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hopefear/decode/template_features.hpp"
#include "hopefear/decode/translation_model.hpp"

namespace hopefear {

struct ScoredRule {
    double score;             // w · h of the rule's features, without language models
    float priority;           // the score, with the language models' estimate for its words
    std::uint32_t target;     // beginning of its target side in the symbols of its list
    std::uint32_t length;     // of its target side
    std::uint32_t reference;  // its origin: see RuleList::part
    // The range of its template features in its list.
    std::uint32_t first_feature = 0;
    std::uint32_t feature_count = 0;
};

// Rules with one source side and one left-hand side, by decreasing priority.
struct RuleList {
    static constexpr std::int32_t pass_through = -1;
    static constexpr std::int32_t forest_edge = -2;

    Label lhs = 0;
    std::int32_t arity = 0;
    // A grammar of the model, and references are RuleIds; or one of the constants above, and
    // references are kinds of PassThrough or edges of a forest.
    std::int32_t part = 0;
    std::vector<ScoredRule> rules;
    // Words are those of the model; a number beyond them is a word of the sentence.
    std::vector<Symbol> symbols;
    // The features that templates give to the rules.
    std::vector<FeatureId> template_ids = {};
    std::vector<double> template_values = {};
    // The priority by which rules are chosen, if it differs from the rule's own.
    std::vector<double> preferences = {};

    [[nodiscard]] std::span<const Symbol> target(const ScoredRule& rule) const {
        return std::span(symbols).subspan(rule.target, rule.length);
    }
    [[nodiscard]] SparseView template_features(const ScoredRule& rule) const {
        return {std::span(template_ids).subspan(rule.first_feature, rule.feature_count),
                std::span(template_values).subspan(rule.first_feature, rule.feature_count)};
    }
};

// All rules of one source side: a list for each left-hand side.
using RuleGroup = std::vector<RuleList>;

// Weights of a model's features.
class RuleWeights {
  public:
    // Weights are indexed by feature id; missing ones are 0.
    RuleWeights(const TranslationModel& model, std::span<const double> weights);

    [[nodiscard]] std::span<const double> all() const { return all_; }
    // The weight of a log10 probability of each language model; the features are natural
    // logarithms.
    [[nodiscard]] std::span<const double> log10() const { return log10_; }
    [[nodiscard]] std::span<const double> ngrams() const { return ngrams_; }

    // w · h of the template features of a rule.
    [[nodiscard]] double of_features(SparseView features) const;
    // The estimate of language models and n-grams for a target side alone. If words only cost, less
    // than `least` may be any number below it: the rest is then not computed.
    [[nodiscard]] double of_words(const TranslationModel& model, std::span<const Symbol> target,
                                  const SentenceWords& sentence,
                                  double least = -std::numeric_limits<double>::infinity()) const;
    // Whether that is never positive: log probabilities are not, and counts are not negative.
    [[nodiscard]] bool words_only_cost() const;

  private:
    std::vector<double> all_;
    std::vector<double> log10_;
    std::vector<double> ngrams_;
};

// Which rules of a source side are considered: the `limit` best of each list; 0 means all.
struct RuleChoice {
    std::size_t limit = 30;
    // The weights that rank them, by feature id; empty for the weights that score them.
    std::vector<double> weights = {};
    // The features of rules that rank them, and their weights, if these are other features of the
    // same grammars.
    std::shared_ptr<const TranslationModel> model = {};
    std::vector<double> model_weights = {};
};

class RuleScorer {
  public:
    // `templates` may be null.
    RuleScorer(std::shared_ptr<const TranslationModel> model,
               std::shared_ptr<TemplateFeatures> templates, std::span<const double> weights,
               const RuleChoice& choice);

    [[nodiscard]] const TranslationModel& model() const { return *model_; }
    [[nodiscard]] const RuleWeights& weights() const { return weights_; }

    // The rules of a grammar at a state of its trie; `buffer` is reused for each of them.
    [[nodiscard]] RuleGroup score(std::size_t part, Grammar::State state, Rule& buffer) const;
    // The rule that copies `word` at `position` of a sentence.
    [[nodiscard]] RuleList score(PassThrough kind, std::string_view word, std::size_t position,
                                 const SentenceWords& sentence) const;

    // The rules with the features that the sentence triggers; the same rules if there are none.
    [[nodiscard]] std::shared_ptr<const RuleGroup> triggered(
        const std::shared_ptr<const RuleGroup>& group, const SentenceWords& sentence) const;

  private:
    [[nodiscard]] double trigger_score(std::span<const Symbol> target,
                                       const SentenceWords& sentence) const;
    // Add a rule whose target side is all symbols after those of the previous rule.
    void add(RuleList& list, double score, double words, std::uint32_t reference) const;
    void add(RuleGroup& group, std::size_t part, const Rule& rule, SparseView features,
             const SentenceWords& sentence) const;
    void add_best(RuleGroup& group, std::size_t part, RuleRange range, Rule& buffer) const;
    void choose(RuleList& list) const;
    // What rules are chosen by, of the features of a grammar alone.
    [[nodiscard]] const RuleScores& choosing_scores(std::size_t part) const {
        return (choosing_ ? choosing_scores_ : scores_)[part];
    }
    [[nodiscard]] double preference(std::size_t part, const Rule& rule, SparseView features,
                                    std::span<const Symbol> target,
                                    const SentenceWords& sentence) const;

    std::shared_ptr<const TranslationModel> model_;
    std::shared_ptr<TemplateFeatures> templates_;
    RuleWeights weights_;
    std::vector<RuleScores> scores_;       // by grammar
    std::optional<RuleWeights> choosing_;  // if rules are chosen by other weights
    std::shared_ptr<const TranslationModel> choosing_model_;  // if by other features, too
    std::vector<RuleScores> choosing_scores_;                 // by grammar
    std::size_t rule_limit_;
};

// A cache of scored rules, shared by threads.
class RuleCache {
  public:
    // Uses about `max_bytes` at most.
    RuleCache(const RuleScorer& scorer, std::size_t max_bytes);

    // The rules at a state. The result stays valid even if the cache drops it.
    [[nodiscard]] std::shared_ptr<const RuleGroup> find(std::size_t part, Grammar::State state,
                                                        Rule& buffer);

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::shared_ptr<const RuleGroup> group;  // null if the slot is free
    };
    // Each shard has its own lock, so that threads seldom wait. Its groups are in a table with open
    // addressing, at most half full.
    struct Shard {
        std::mutex mutex;
        std::vector<Slot> slots = std::vector<Slot>(64);
        std::size_t groups = 0;
        std::size_t bytes = 0;

        // The slot of a key, or the free one where it belongs.
        [[nodiscard]] Slot& find(std::uint64_t key, std::uint64_t hash);
        void grow();
        void clear();
    };

    static constexpr std::size_t shard_count = 64;

    const RuleScorer* scorer_;
    std::size_t max_shard_bytes_;
    std::array<Shard, shard_count> shards_;
};

// Rules that rewrite one nonterminal to another: where they are, and in which order to apply them.

// Such rules could derive a label from itself, so that a sentence has infinitely many derivations.
// Labels are therefore ranked, as far as possible with each label after those it is rewritten to,
// and rules that violate the ranks are dropped.
class UnaryRules {
  public:
    struct Place {
        std::uint32_t part;
        Grammar::State state;
    };

    explicit UnaryRules(const TranslationModel& model);

    // The rules that rewrite a label to `label`.
    [[nodiscard]] std::span<const Place> over(Label label) const { return places_[label]; }
    [[nodiscard]] std::int32_t rank(Label label) const { return ranks_[label]; }

  private:
    std::vector<std::vector<Place>> places_;
    std::vector<std::int32_t> ranks_;
};

}  // namespace hopefear
