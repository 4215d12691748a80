// Translates sentences: parses them and rescores the parses with language models.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/decode/parser.hpp"
#include "hopefear/decode/rescore.hpp"
#include "hopefear/decode/rule_list.hpp"
#include "hopefear/decode/translation_model.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

struct DecoderOptions {
    RuleChoice rules;
    PassThroughOptions pass_through;
    RescoreOptions rescore;
    std::size_t cache_bytes = std::size_t{100} << 20;  // for scored rules
};

// Thread-safe.
class Decoder {
  public:
    // Weights are indexed by feature id; missing ones are 0. `templates` may be null.
    Decoder(std::shared_ptr<const TranslationModel> model,
            std::shared_ptr<TemplateFeatures> templates, std::span<const double> weights,
            const DecoderOptions& options);
    ~Decoder();

    [[nodiscard]] const std::shared_ptr<const TranslationModel>& model() const { return model_; }

    // Score all rules of a sentence, so that the features of templates get their ids now.
    void meet(const std::vector<std::string>& words);
    // The features of each rule that matches a sentence, those of templates included, once.
    [[nodiscard]] RowArrays rule_features(const std::vector<std::string>& words);
    // All parses of a sentence, without language models.
    [[nodiscard]] Forest parse(const std::vector<std::string>& words);
    // The result of cube pruning with language models, or only its best derivation.
    [[nodiscard]] Forest forest(const std::vector<std::string>& words);
    [[nodiscard]] Forest best(const std::vector<std::string>& words);

    // Take what was read of the grammars out of the memory of the process, until it is read again.
    void forget_pages() const;

  private:
    struct Worker;

    [[nodiscard]] WorkerPool<Worker>::Loan worker();
    [[nodiscard]] Forest rescored(const std::vector<std::string>& words, bool only_best);

    std::shared_ptr<const TranslationModel> model_;
    DecoderOptions options_;
    RuleScorer scorer_;
    RuleCache cache_;
    UnaryRules unary_rules_;
    WorkerPool<Worker> workers_;
};

}  // namespace hopefear
