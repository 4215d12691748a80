// A forest in the form that rescoring needs under any weights: compact, without repetition.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/decode/translation_model.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// The non-local features of forests: those of language models and n-grams.
struct NonlocalIds {
    std::shared_ptr<Vocabulary> names;  // the vocabulary of the ids
    std::vector<FeatureId> language_models;
    std::vector<FeatureId> ngrams;
    std::vector<char> all;  // by id

    [[nodiscard]] bool contains(FeatureId id) const {
        return static_cast<std::size_t>(id) < all.size() && all[id];
    }
};

// Consecutive edges of a node with the same tails form a bundle. The target sides and local
// features of its edges form a list, which many bundles share because parsing finds the same rules
// in many places. Immutable.
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

    // If edges contain <s> or </s>, the strings of the forest are taken to have them at their ends,
    // as parses do; otherwise all strings are whole sentences. An edge that translates one source
    // word into one word is never taken for one of them.
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
    // Bytes in use, without the vocabularies that forests share.
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
    // Target sides: <s> and </s> as in a model, followed by the forest's words.
    [[nodiscard]] std::span<const Symbol> symbols() const { return symbols_; }
    [[nodiscard]] std::span<const Symbol> target(std::size_t rule) const {
        return std::span(symbols_).subspan(first_symbol(rule),
                                           first_symbol(rule + 1) - first_symbol(rule));
    }
    // The word of the forest that a symbol stands for; negative for <s> and </s>.
    [[nodiscard]] static Symbol word_of(Symbol symbol) { return symbol - first_word; }
    // The local features of a rule.
    [[nodiscard]] SparseView features(std::size_t rule) const {
        const std::uint32_t pattern = rules_[rule].pattern;
        const std::uint32_t size = first_id_[pattern + 1] - first_id_[pattern];
        return {std::span(ids_).subspan(first_id_[pattern], size),
                std::span(values_).subspan(rules_[rule].first_value, size)};
    }
    // The number of its list of feature ids, which rules share.
    [[nodiscard]] std::uint32_t pattern(std::size_t rule) const { return rules_[rule].pattern; }
    [[nodiscard]] std::size_t pattern_count() const { return first_id_.size() - 1; }
    // One more than the largest feature id.
    [[nodiscard]] std::size_t feature_count() const { return feature_count_; }
    // The log10 estimate of each language model for a rule's words alone.
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
    std::vector<Rule> rules_;  // and one more for the end of the last
    std::vector<Symbol> symbols_;
    std::vector<double> values_;
    std::vector<float> estimates_;
    // The lists of ids that rules share.
    std::vector<FeatureId> ids_;
    std::vector<std::uint32_t> first_id_;
    std::size_t feature_count_ = 0;
};

}  // namespace hopefear
