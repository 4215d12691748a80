// A forest as rescoring needs it, whatever the weights are: small, with nothing said twice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/decode/translation_model.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// Which of the features of forests are non-local: those of language models and n-grams.
struct NonlocalIds {
    std::shared_ptr<Vocabulary> names;  // what the ids number
    std::vector<FeatureId> language_models;
    std::vector<FeatureId> ngrams;
    std::vector<char> all;  // by id

    [[nodiscard]] bool contains(FeatureId id) const {
        return static_cast<std::size_t>(id) < all.size() && all[id];
    }
};

// Edges of a node that follow each other and have the same tails make a bundle. The target sides
// and local features of its edges make a list, which many bundles share: parsing has found the same
// rules in many places. It never changes.
class PreparedForest {
  public:
    struct Bundle {
        std::uint32_t list;
        std::uint32_t first_tail;
    };
    // Symbols, features and estimates of a rule; those of the next one follow.
    struct Rule {
        std::uint32_t first_symbol;
        std::uint32_t first_value;
        std::uint32_t pattern;
    };

    // If edges have <s> or </s>, the strings of the forest are taken to have them at their ends, as
    // parses do; otherwise all its strings are whole sentences. An edge that makes one word out of
    // one source word has a word in any case.
    //
    // `numbers` are those of all words of the forest.
    PreparedForest(const Forest& forest, const LanguageModels& models,
                   std::shared_ptr<const SentenceWords> numbers,
                   std::shared_ptr<const NonlocalIds> nonlocal);

    [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const { return words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return nonlocal_->names;
    }
    [[nodiscard]] const NonlocalIds& nonlocal() const { return *nonlocal_; }
    [[nodiscard]] const SentenceWords& numbers() const { return *numbers_; }
    // What forests share, names and numbers of words and features, apart.
    [[nodiscard]] std::size_t bytes() const;

    [[nodiscard]] std::size_t node_count() const { return sources_.size(); }
    [[nodiscard]] SourceSpan source(std::size_t node) const { return sources_[node]; }
    // The bundles of node v are first_bundle(v) .. first_bundle(v + 1).
    [[nodiscard]] std::uint32_t first_bundle(std::size_t node) const { return first_bundle_[node]; }
    [[nodiscard]] std::span<const Bundle> bundles() const { return bundles_; }
    [[nodiscard]] std::span<const NodeId> tails() const { return tails_; }

    [[nodiscard]] std::size_t list_count() const { return first_rule_.size() - 1; }
    // The rules of list i are first_rule(i) .. first_rule(i + 1).
    [[nodiscard]] std::uint32_t first_rule(std::size_t list) const { return first_rule_[list]; }
    [[nodiscard]] std::int32_t arity(std::size_t list) const { return arities_[list]; }
    [[nodiscard]] std::uint32_t first_symbol(std::size_t rule) const {
        return rules_[rule].first_symbol;
    }
    // Target sides, with <s> and </s> as in a model and the forest's words behind them.
    [[nodiscard]] std::span<const Symbol> symbols() const { return symbols_; }
    [[nodiscard]] std::span<const Symbol> target(std::size_t rule) const {
        return std::span(symbols_).subspan(first_symbol(rule),
                                           first_symbol(rule + 1) - first_symbol(rule));
    }
    // The word of the forest that a symbol stands for; negative for <s> and </s>.
    [[nodiscard]] static Symbol word_of(Symbol symbol) { return symbol - first_word; }
    // Of the rule itself, non-local ones apart.
    [[nodiscard]] SparseView features(std::size_t rule) const {
        const std::uint32_t pattern = rules_[rule].pattern;
        const std::uint32_t size = first_id_[pattern + 1] - first_id_[pattern];
        return {std::span(ids_).subspan(first_id_[pattern], size),
                std::span(values_).subspan(rules_[rule].first_value, size)};
    }
    // The number of the list of their ids, which rules share.
    [[nodiscard]] std::uint32_t pattern(std::size_t rule) const { return rules_[rule].pattern; }
    [[nodiscard]] std::size_t pattern_count() const { return first_id_.size() - 1; }
    // One more than the largest id of those.
    [[nodiscard]] std::size_t feature_count() const { return feature_count_; }
    // What each language model says of a rule's words alone, as a log10.
    [[nodiscard]] std::span<const float> estimates(std::size_t rule) const {
        const std::size_t models = numbers_->language_models.size();
        return std::span(estimates_).subspan(rule * models, models);
    }

  private:
    class Maker;
    static constexpr Symbol first_word = 2;

    std::shared_ptr<Vocabulary> words_;
    std::shared_ptr<const NonlocalIds> nonlocal_;
    std::shared_ptr<const SentenceWords> numbers_;
    std::vector<SourceSpan> sources_;
    std::vector<std::uint32_t> first_bundle_;
    std::vector<Bundle> bundles_;
    std::vector<NodeId> tails_;
    std::vector<std::uint32_t> first_rule_;
    std::vector<std::int32_t> arities_;
    std::vector<Rule> rules_;  // and one more, where the last one ends
    std::vector<Symbol> symbols_;
    std::vector<double> values_;
    std::vector<float> estimates_;
    // The lists of ids that rules share.
    std::vector<FeatureId> ids_;
    std::vector<std::uint32_t> first_id_;
    std::size_t feature_count_ = 0;
};

}  // namespace hopefear
