// Features that count the words of a target side that a language model does not know.
//
// Dyer et al. (2010), cdec; Watanabe (2012), Optimized online rank learning for machine
// translation, section 5; Clark et al. (2014), section 5: the target OOV count.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/decode/template_features.hpp"

namespace hopefear {

class OovTemplate : public RuleTemplate {
  public:
    // Feature names[i] counts the words that language model i does not know. <s> and </s> are no
    // words.
    OovTemplate(std::shared_ptr<const TranslationModel> model,
                const std::vector<std::string>& names);

    void score(std::size_t part, std::span<const Symbol> source, std::span<const Rule> rules,
               TemplateRows& rows) const override;
    void score(PassThrough kind, std::string_view word, TemplateRows& rows) const override;

  private:
    std::shared_ptr<const TranslationModel> model_;
    std::vector<FeatureId> features_;
};

}  // namespace hopefear
