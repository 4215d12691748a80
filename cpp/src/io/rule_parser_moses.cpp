// Moses' rule tables.
#include <algorithm>

#include "hopefear/base/blank.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/io/rule_text.hpp"

namespace hopefear {

namespace {

bool in_brackets(std::string_view word) {
    return word.size() > 2 && word.front() == '[' && word.back() == ']';
}

// The label of [LABEL].
std::string_view label_in(std::string_view word) {
    return word.substr(1, word.size() - 2);
}

double number(std::string_view text) {
    const auto value = parse_number(text);
    if (!value) fail<DataError>("expected a number, found '", text, "'");
    return *value;
}

}  // namespace

void RuleParser::parse_moses() {
    if (fields_.size() < 3)
        fail<DataError>("expected SOURCE ||| TARGET ||| scores ..., found ", fields_.size(),
                        " fields");
    parse_moses_side(fields_[0], true);
    parse_moses_side(fields_[1], false);
    if (source_.size() > longest_sentence || target_.size() > longest_sentence)
        fail<DataError>("a side of more than ", longest_sentence, " symbols");
    pair_nonterminals(fields_.size() > 3 ? fields_[3] : std::string_view());
    parse_moses_scores(fields_[2]);
    if (fields_.size() > 4) parse_moses_counts(fields_[4]);
    if (fields_.size() > 5) parse_moses_sparse(fields_[5]);
}

// Words and pairs of labels, and the label of the left-hand side.
void RuleParser::parse_moses_side(std::string_view field, bool source) {
    std::string_view last;
    const auto add = [&](std::string_view word) {
        if (!in_brackets(word)) {
            source ? source_.push_back(builder_.source_words()->add(word))
                   : target_.push_back(builder_.target_words()->add(word));
            return;
        }
        const std::size_t middle = word.find("][");
        if (middle == std::string_view::npos || middle == 1 || middle + 3 >= word.size())
            fail<DataError>("nonterminals are pairs such as [X][X], found '", word, "'");
        const std::string_view left = word.substr(1, middle - 1);
        const std::string_view right = word.substr(middle + 2, word.size() - middle - 3);
        if (left != "X")
            fail<DataError>("labels on the source side are not supported, found '", word, "'");
        if (source) {
            source_.push_back(label_symbol(builder_.labels()->add(right)));
        } else {
            target_labels_.emplace_back(target_.size(), right);
            target_.push_back(slot_symbol(0));  // which one the links say
        }
    };
    bool any = false;
    for_each_word_between_blanks(field, [&](std::string_view word) {
        if (any) add(last);
        last = word;
        any = true;
    });
    if (!in_brackets(last) || last.find("][") != std::string_view::npos)
        fail<DataError>("a side must end with its label, such as [X], found '", last, "'");
    if (!source) lhs_ = builder_.labels()->add(label_in(last));
}

void RuleParser::pair_nonterminals(std::string_view field) {
    parse_links(field);
    // The number of each nonterminal of the source side.
    std::vector<std::int32_t> slots(source_.size(), 0);
    std::int32_t count = 0;
    for (std::size_t i = 0; i < source_.size(); ++i)
        if (is_label(source_[i])) slots[i] = count++;
    for (const auto& [place, label] : target_labels_) {
        const auto link = std::ranges::find(pairs_, place, &Link::target);
        if (link == pairs_.end() || !is_label(source_[link->source]))
            fail<DataError>("no link says which nonterminal belongs to number ", place,
                            " of the target side");
        const Label paired = label_of(source_[link->source]);
        if (builder_.labels()->text(paired) != label)
            fail<DataError>("nonterminals ", link->source, " and ", place,
                            " are linked, but have different labels");
        target_[place] = slot_symbol(slots[link->source]);
    }
    for (const Link link : pairs_)
        if (!is_label(source_[link.source]) || !is_slot(target_[link.target]))
            fail<DataError>("link ", link.source, "-", link.target,
                            " is between a word and a nonterminal");
}

void RuleParser::parse_moses_scores(std::string_view field) {
    std::vector<double> scores;
    for_each_word_between_blanks(field,
                                 [&](std::string_view word) { scores.push_back(number(word)); });
    if (score_count_ == 0) score_count_ = scores.size();
    if (scores.empty() || scores.size() != score_count_)
        fail<DataError>("has ", scores.size(), " scores; ",
                        score_count_ == 0 ? "expected at least one"
                                          : "there were other numbers of them before");
    for (std::size_t i = 0; i < scores.size(); ++i)
        add_unnamed(i, scores.size(), FeatureKind::probability, scores[i]);
}

void RuleParser::parse_moses_counts(std::string_view field) {
    static constexpr const char* names[] = {"count_e", "count_f", "count_f_e"};
    std::vector<std::string_view> counts;
    for_each_word_between_blanks(field, [&](std::string_view word) { counts.push_back(word); });
    if (counts.size() != std::size(names)) return;  // the field may hold less, or nothing
    for (std::size_t i = 0; i < counts.size(); ++i)
        add_feature(names[i], FeatureKind::count, number(counts[i]));
}

void RuleParser::parse_moses_sparse(std::string_view field) {
    std::string_view name;
    for_each_word_between_blanks(field, [&](std::string_view word) {
        if (name.empty()) {
            name = word;
        } else {
            add_feature(name, FeatureKind::score, number(word));
            name = {};
        }
    });
    if (!name.empty()) fail<DataError>("sparse feature '", name, "' has no value");
}

}  // namespace hopefear
