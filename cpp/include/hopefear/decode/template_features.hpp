// Features of rules that templates compute: once for each source side, then cached, for any
// weights.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/decode/translation_model.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear {

// Templates compute features from a rule, in addition to those of its grammar.

// The features that templates give to the rules of one source side.
class TemplateRows {
  public:
    explicit TemplateRows(std::size_t rule_count) : begin_(rule_count + 1, 0) {}

    [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }
    // Ids are in the order of addition; the values of repeated ids add up.
    [[nodiscard]] SparseView operator[](std::size_t rule) const {
        const std::size_t count = begin_[rule + 1] - begin_[rule];
        return {std::span(ids_).subspan(begin_[rule], count),
                std::span(values_).subspan(begin_[rule], count)};
    }
    [[nodiscard]] std::size_t bytes() const;

    // Add a feature. Templates add features rule by rule, one template after the other.
    void add(std::size_t rule, FeatureId id, double value) { added_.push_back({rule, id, value}); }
    // Turn the added features into rows.
    void finish();

  private:
    struct Added {
        std::size_t rule;
        FeatureId id;
        double value;
    };

    std::vector<Added> added_;
    std::vector<std::uint32_t> begin_;
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
};

// Belongs to a model, to whose vocabulary it adds feature names. Must be thread-safe and always
// give the same features for a rule.
class RuleTemplate {
  public:
    virtual ~RuleTemplate() = default;

    // Score the rules of one source side of a grammar, in the ids of this grammar.
    virtual void score(std::size_t part, std::span<const Symbol> source,
                       std::span<const Rule> rules, TemplateRows& rows) const = 0;
    // Score the rule that copies a word, as rule 0.
    virtual void score(PassThrough kind, std::string_view word, TemplateRows& rows) const = 0;
};

// Shared by threads and by decoders with different weights.
class TemplateFeatures {
  public:
    // Caches about `max_bytes` at most; beyond that, templates are called again.
    TemplateFeatures(std::shared_ptr<const TranslationModel> model,
                     std::vector<std::shared_ptr<const RuleTemplate>> templates,
                     std::size_t max_bytes);

    [[nodiscard]] bool empty() const { return templates_.empty(); }
    // `rules` are all rules at a state of a grammar.
    [[nodiscard]] std::shared_ptr<const TemplateRows> find(std::size_t part, Grammar::State state,
                                                           std::span<const Rule> rules);
    // The features of a copied word, in row 0.
    [[nodiscard]] std::shared_ptr<const TemplateRows> find(PassThrough kind, std::string_view word);
    // Memory in use.
    [[nodiscard]] std::size_t bytes();

  private:
    using Rows = std::shared_ptr<const TemplateRows>;
    // Each shard has its own lock, so that threads seldom wait.
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::uint64_t, Rows> of_state;
        std::unordered_map<std::string, Rows> of_word;
        std::size_t bytes = 0;
    };

    static constexpr std::size_t shard_count = 64;

    template <class Map, class Key, class Score>
    Rows look_up(Shard& shard, Map& map, const Key& key, std::size_t rule_count,
                 const Score& score);

    std::shared_ptr<const TranslationModel> model_;
    std::vector<std::shared_ptr<const RuleTemplate>> templates_;
    std::size_t max_shard_bytes_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace hopefear
