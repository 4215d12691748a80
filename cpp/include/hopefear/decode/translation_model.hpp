// The model of a decoder without its weights: grammars and language models with common ids of
// words, labels and features.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "hopefear/decode/rule_feature.hpp"
#include "hopefear/decode/word_features.hpp"
#include "hopefear/grammar/grammar.hpp"
#include "hopefear/lm/language_model.hpp"

namespace hopefear {

// Every sentence is parsed between these two, which rules must produce on both sides. On target
// sides the language models begin and end with them; they are not words of the translation.
inline constexpr std::string_view sentence_begin = "<s>";
inline constexpr std::string_view sentence_end = "</s>";
// Their ids among the words of a model.
inline constexpr Symbol begin_word = 0;
inline constexpr Symbol end_word = 1;

// A feature of the model that is computed from a feature of a grammar.
struct FeatureUse {
    std::string of;  // the grammar's feature
    FeatureView view = FeatureView::value;
    std::string name;  // the model's
};

struct GrammarUse {
    std::shared_ptr<const Grammar> grammar;
    std::int32_t max_span = 0;  // how many source words a rule may cover; 0 means no limit
    // Features that are not listed are used under their own names: scores as they are,
    // probabilities as logarithms, counts not at all.
    std::vector<FeatureUse> features{};
};

// The ids of the words of a sentence in each model.
struct SentenceWords {
    explicit SentenceWords(std::size_t language_model_count = 0)
        : language_models(language_model_count) {}

    std::vector<std::vector<std::uint32_t>> language_models;
    std::vector<WordId> ngrams;
    ActiveTriggers triggers;
};

struct NamedLanguageModel {
    std::string name;  // of its feature
    std::shared_ptr<const LanguageModel> model;
};

// Features of words that no grammar has, and their names.
struct WordFeatures {
    std::vector<std::vector<std::string>> ngrams{};
    std::vector<std::string> ngram_names{};
    std::vector<Trigger> triggers{};
    std::vector<std::string> trigger_names{};
};

// Rules made for a sentence that copy a word, by the reason for it.
enum class PassThrough : std::uint8_t { unknown, identity, number, proper_name };
inline constexpr std::size_t pass_through_count = 4;

struct ModelNames {
    std::string goal = "S";          // the label of a whole sentence
    std::string pass_through = "X";  // the label of copied words
    // Features; an empty name stands for none.
    std::string word_penalty = "WordPenalty";      // -1 for each word of a target side
    std::string phrase_penalty = "PhrasePenalty";  // 1 for each rule
    // 1 for each copied word, by the reason for it.
    std::string unknown_word = "UnknownWord";
    std::string identity_rule = "IdentityRule";
    std::string number_rule = "NumberRule";
    std::string name_rule = "NameRule";
};

class LanguageModels;

class TranslationModel {
  public:
    // A grammar, and the model's ids for its own.
    struct Part {
        std::shared_ptr<const Grammar> grammar;
        std::int32_t max_span;
        std::vector<Symbol> words;  // of target sides
        std::vector<Label> labels;
        // For each feature of the grammar, the model's features computed from it.
        std::vector<std::vector<RuleFeature>> features;

        // The model's label for a nonterminal of a source side; throws FormatError if it is out of
        // range.
        [[nodiscard]] Label label(Symbol symbol) const;
    };

    TranslationModel(const std::vector<GrammarUse>& grammars,
                     const std::vector<NamedLanguageModel>& language_models,
                     const ModelNames& names, std::shared_ptr<Vocabulary> feature_names,
                     const WordFeatures& word_features = {},
                     const std::vector<FeatureBins>& bins = {});
    ~TranslationModel();

    // Throw FormatError if a file of the model changed since it was opened.
    void check_unchanged() const;

    [[nodiscard]] std::span<const Part> parts() const { return parts_; }
    [[nodiscard]] const Vocabulary& words() const { return words_; }
    [[nodiscard]] const Vocabulary& labels() const { return labels_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }
    [[nodiscard]] Label goal() const { return goal_; }
    [[nodiscard]] Label pass_through_label() const { return pass_through_label_; }

    // Defined in language_models.hpp.
    [[nodiscard]] const LanguageModels& language_models() const { return *language_models_; }
    [[nodiscard]] std::span<const FeatureId> language_model_features() const {
        return language_model_features_;
    }
    [[nodiscard]] const NgramFeatures& ngrams() const { return *ngrams_; }
    [[nodiscard]] std::span<const FeatureId> ngram_features() const { return ngram_features_; }
    [[nodiscard]] const TriggerFeatures& triggers() const { return *triggers_; }
    [[nodiscard]] std::span<const FeatureId> trigger_features() const { return trigger_features_; }
    void find_words(std::span<const std::string> sentence, SentenceWords& words) const;

    // The local features of a rule: ids, increasing unless the vocabulary of features was in use
    // before, and values.
    void rule_features(std::size_t part, const Rule& rule, std::vector<FeatureId>& ids,
                       std::vector<double>& values) const;
    void pass_through_features(PassThrough kind, std::vector<FeatureId>& ids,
                               std::vector<double>& values) const;

  private:
    friend class RuleScores;

    // The feature of this name; none if it is empty.
    [[nodiscard]] RuleFeature rule_feature(const std::string& name, FeatureView view) const;
    [[nodiscard]] std::vector<std::vector<RuleFeature>> features_of(const GrammarUse& use) const;
    void add_bins(const std::vector<FeatureBins>& bins, const std::vector<GrammarUse>& grammars,
                  const ModelNames& names);
    void add_part(const GrammarUse& use);
    void add_word_features(const WordFeatures& features);

    std::vector<Part> parts_;
    Vocabulary words_;
    Vocabulary labels_;
    std::shared_ptr<Vocabulary> feature_names_;
    Label goal_;
    Label pass_through_label_;
    std::map<std::string, FeatureBins> bins_;
    RuleFeature word_penalty_;
    RuleFeature phrase_penalty_;
    RuleFeature pass_through_[pass_through_count];
    std::unique_ptr<const LanguageModels> language_models_;
    std::vector<FeatureId> language_model_features_;
    std::unique_ptr<const NgramFeatures> ngrams_;
    std::vector<FeatureId> ngram_features_;
    std::unique_ptr<const TriggerFeatures> triggers_;
    std::vector<FeatureId> trigger_features_;
};

// w · h of the local features of rules of one grammar, for many rules.
class RuleScores {
  public:
    // The model must outlive this object. Weights are indexed by feature id.
    RuleScores(const TranslationModel& model, std::size_t part, std::span<const double> weights);

    [[nodiscard]] double operator()(const Rule& rule) const;
    // The same for a rule without sparse features, bit for bit.
    [[nodiscard]] double operator()(const RuleHead& rule) const;

  private:
    // A feature that counts something.
    struct Term {
        std::size_t place;           // of its value among those of the rule
        const RuleFeature* feature;  // if it has bins
        FeatureView view;
        double weight;
    };

    void add(const RuleFeature& feature, float value, double& sum) const;

    const TranslationModel* model_;
    std::size_t part_;
    std::vector<double> weights_;
    bool plain_penalties_;  // without bins
    double word_weight_ = 0.0;
    double phrase_score_ = 0.0;
    std::vector<Term> terms_;
};

}  // namespace hopefear
