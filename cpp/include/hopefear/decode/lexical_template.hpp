// Features of the words of a rule's target side and of the source words that they are aligned to.
//
// Chiang (2012), Hope and fear for discriminative training of statistical translation models,
// section 7: lex(e), lex(f, e) and lex(NULL, e).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/decode/template_features.hpp"

namespace hopefear {

// Each listed word is a class of its own; all other words form one more class or, if `unknown` is
// false, none.
struct LexicalOptions {
    std::vector<std::string> source_words;
    std::vector<std::string> target_words;
    bool unknown = true;  // whether all other words form a class
};

// Feature i counts the target words of class target[i]: all of them if source[i] is `any`, those
// without a link if it is `null`, otherwise the links to a source word of class source[i].
struct LexicalFeatures {
    static constexpr std::int32_t any = -1;
    static constexpr std::int32_t null = -2;

    std::vector<std::string> names;
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> target;
};

// <s> and </s> are no words.
class LexicalTemplate : public RuleTemplate {
  public:
    LexicalTemplate(const TranslationModel& model, const LexicalOptions& options,
                    const LexicalFeatures& features);

    void score(std::size_t part, std::span<const Symbol> source, std::span<const Rule> rules,
               TemplateRows& rows) const override;
    void score(PassThrough kind, std::string_view word, TemplateRows& rows) const override;

  private:
    using Class = std::int32_t;
    static constexpr Class no_class = -3;

    // The classes of the words of one side.
    struct Side {
        Side(const std::vector<std::string>& words, bool unknown, const char* name);

        [[nodiscard]] Class of(std::string_view word) const;
        [[nodiscard]] std::vector<Class> of_all(const Vocabulary& words) const;
        [[nodiscard]] std::size_t size() const { return words.size() + (unknown ? 1 : 0); }

        Vocabulary words;
        bool unknown;
    };
    // The features of a target class.
    struct Entry {
        Class source;
        FeatureId feature;
    };

    void add(std::size_t rule, Class source, Class target, TemplateRows& rows) const;

    Side source_;
    Side target_;
    std::vector<std::vector<Class>> source_classes_;  // by part and word
    std::vector<std::vector<Class>> target_classes_;
    std::vector<Entry> entries_;              // by target class, then increasing
    std::vector<std::uint32_t> first_entry_;  // by target class, and one more
};

}  // namespace hopefear
