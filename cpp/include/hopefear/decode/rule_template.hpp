// Templates: features that are computed from a rule, beside those that its grammar has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/decode/translation_model.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear {

// The features that templates give to the rules of one source side.
class TemplateRows {
  public:
    explicit TemplateRows(std::size_t rule_count) : begin_(rule_count + 1, 0) {}

    [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }
    // Ids are in the order in which they were added; one may come twice, values then add up.
    [[nodiscard]] SparseView operator[](std::size_t rule) const {
        const std::size_t count = begin_[rule + 1] - begin_[rule];
        return {std::span(ids_).subspan(begin_[rule], count),
                std::span(values_).subspan(begin_[rule], count)};
    }
    [[nodiscard]] std::size_t bytes() const;

    // A template adds features rule by rule; another one may follow.
    void add(std::size_t rule, FeatureId id, double value) { added_.push_back({rule, id, value}); }
    // Make rows of what was added.
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

// Belongs to a model: names of features go to its vocabulary. Any number of threads call it at
// once, and what it gives for a rule must always be the same.
class RuleTemplate {
  public:
    virtual ~RuleTemplate() = default;

    // The rules of one source side of a grammar of the model, in the numbers of this grammar.
    virtual void score(std::size_t part, std::span<const Symbol> source,
                       std::span<const Rule> rules, TemplateRows& rows) const = 0;
    // The rule that lets a word pass as it is; its features are those of rule 0.
    virtual void score(PassThrough kind, std::string_view word, TemplateRows& rows) const = 0;
};

}  // namespace hopefear
