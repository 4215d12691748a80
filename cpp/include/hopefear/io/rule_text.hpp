// Rules as text: the rule tables of Moses, and those of Hiero, cdec and Joshua.
//
// Moses:  SOURCE [X] ||| TARGET [LHS] ||| p p p p ||| links ||| counts ||| NAME value ... ||| ...
//         Nonterminals are pairs [X][LABEL] on both sides, and links say which belong together.
// Hiero:  [LHS] ||| SOURCE ||| TARGET ||| features ||| links
//         Nonterminals are [LABEL,1] or [LABEL] on the source side, in order, and [LABEL,1] or [1]
//         on the target side; features are NAME=value or numbers, with blanks or ';' between them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hopefear/base/lines.hpp"
#include "hopefear/grammar/builder.hpp"

namespace hopefear {

struct RuleTextForm {
    enum class Table { moses, hiero };

    Table table = Table::moses;
    // Numbers without names are LABEL_0, LABEL_1, ... (in Moses' form LABEL, if it is one).
    std::string label;
    // Whether to negate unnamed numbers, as Joshua does for Hiero's.
    bool negate = false;
};

// Reads rules into a builder, from a file that arrives in pieces.
class RuleParser {
  public:
    // `file` is used in messages.
    RuleParser(GrammarBuilder& builder, RuleTextForm form, std::string file)
        : builder_(builder), form_(std::move(form)), lines_(std::move(file)) {}

    void feed(std::string_view bytes);
    void finish();
    [[nodiscard]] std::size_t lines() const { return lines_.count(); }

  private:
    void parse_line(std::string_view line);
    void split(std::string_view line);
    void parse_moses();
    void parse_moses_side(std::string_view field, bool source);
    void pair_nonterminals(std::string_view field);
    void parse_moses_scores(std::string_view field);
    void parse_moses_counts(std::string_view field);
    void parse_moses_sparse(std::string_view field);
    void parse_hiero();
    void parse_hiero_source(std::string_view field);
    void parse_hiero_target(std::string_view field);
    void parse_hiero_features(std::string_view field);
    // Read links; those that are not between two words go to `pairs_`.
    void parse_links(std::string_view field);
    void add_feature(std::string_view name, FeatureKind kind, double value);
    void add_unnamed(std::size_t index, std::size_t count, FeatureKind kind, double value);

    GrammarBuilder& builder_;
    RuleTextForm form_;
    Lines lines_;
    std::size_t score_count_ = 0;  // number of Moses' scores, the same in all lines

    // The line being read.
    std::vector<std::string_view> fields_;
    Label lhs_ = 0;
    std::vector<Symbol> source_;
    std::vector<Symbol> target_;
    std::vector<std::pair<std::size_t, std::string_view>> target_labels_;  // Moses': places, labels
    std::vector<Link> links_;
    std::vector<Link> pairs_;
    std::vector<FeatureId> ids_;
    // By feature, the number of the last rule that has it: a feature may occur only once in a rule.
    std::vector<std::uint64_t> last_rule_;
    std::uint64_t rule_ = 0;
    std::vector<float> values_;
    std::string name_;
};

// Write all rules to `sink` in pieces, in the order of the table. Throws FormatError for what the
// form cannot represent. In Moses' form, dense features are scores in order, except for counts, of
// which count_e, count_f and count_f_e are written; in Hiero's form, features have the values that
// the model sees.
using TextSink = std::function<void(std::string_view)>;
void write_rules(const Grammar& grammar, RuleTextForm::Table table, const TextSink& sink);

}  // namespace hopefear
