// Translates sentences: parses them and puts language models into what was found.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hopefear/forest.hpp"
#include "hopefear/parser.hpp"
#include "hopefear/rule_cache.hpp"
#include "hopefear/rule_list.hpp"
#include "hopefear/translation_model.hpp"
#include "hopefear/unary_rules.hpp"

namespace hopefear {

struct DecoderOptions {
    std::size_t rule_limit = 30;  // rules to be considered of each source side; 0: all
    PassThroughOptions pass_through;
    std::size_t cache_bytes = std::size_t{100} << 20;  // for scored rules
};

// May be used by any number of threads at once.
class Decoder {
  public:
    // Weights are by feature id; those beyond the end are 0.
    Decoder(std::shared_ptr<const TranslationModel> model, std::span<const double> weights,
            const DecoderOptions& options);
    ~Decoder();

    [[nodiscard]] const std::shared_ptr<const TranslationModel>& model() const { return model_; }

    // All parses of a sentence, without language models.
    [[nodiscard]] Forest parse(const std::vector<std::string>& words);

  private:
    struct Worker;
    class Loan;

    std::shared_ptr<const TranslationModel> model_;
    DecoderOptions options_;
    RuleScorer scorer_;
    RuleCache cache_;
    UnaryRules unary_rules_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace hopefear
