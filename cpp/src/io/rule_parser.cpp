// Common to both forms.

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/io/rule_text.hpp"

namespace hopefear {

void RuleParser::feed(std::string_view bytes) {
    lines_.feed(bytes, [this](std::string_view line) { parse_line(line); });
}

void RuleParser::finish() {
    lines_.finish([this](std::string_view line) { parse_line(line); });
}

void RuleParser::parse_line(std::string_view line) {
    if (std::ranges::all_of(line, is_blank)) return;
    const std::size_t valid = valid_utf8_prefix(line);
    if (valid < line.size())
        fail<DataError>("byte ", valid + 1, " of the line is not UTF-8; convert the file first");
    split(line);
    source_.clear();
    target_.clear();
    target_labels_.clear();
    links_.clear();
    pairs_.clear();
    ids_.clear();
    ++rule_;
    values_.clear();
    form_.table == RuleTextForm::Table::moses ? parse_moses() : parse_hiero();
    builder_.add(lhs_, source_, target_, links_, ids_, values_);
}

// At '|||' with blanks (or the ends of the line) around it.
void RuleParser::split(std::string_view line) {
    constexpr std::string_view bars = "|||";
    fields_.clear();
    std::size_t begin = 0;
    for (std::size_t at = line.find(bars); at != std::string_view::npos;
         at = line.find(bars, at + 1)) {
        const std::size_t end = at + bars.size();
        if ((at > 0 && !is_blank(line[at - 1])) || (end < line.size() && !is_blank(line[end])))
            continue;
        if (at < begin) continue;
        fields_.push_back(line.substr(begin, at - begin));
        begin = end;
    }
    fields_.push_back(line.substr(begin));
}

void RuleParser::parse_links(std::string_view field) {
    for_each_word_between_blanks(field, [this](std::string_view text) {
        std::size_t source = 0;
        std::size_t target = 0;
        const char* const end = text.data() + text.size();
        const auto [dash, first] = std::from_chars(text.data(), end, source);
        const bool whole = first == std::errc() && dash != end && *dash == '-';
        const auto [rest, second] = std::from_chars(whole ? dash + 1 : end, end, target);
        if (!whole || second != std::errc() || rest != end)
            fail<DataError>("expected links such as 0-0 1-2, found '", text, "'");
        if (source >= source_.size() || target >= target_.size())
            fail<DataError>("link ", text, " is outside of a rule with ", source_.size(),
                            " source and ", target_.size(), " target symbols");
        const Link link{static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)};
        const bool words = !is_label(source_[source]) && !is_slot(target_[target]);
        (words ? links_ : pairs_).push_back(link);
    });
}

void RuleParser::add_feature(std::string_view name, FeatureKind kind, double value) {
    if (std::abs(value) > std::numeric_limits<float>::max())
        fail<DataError>("feature '", name, "' is ", value);
    const FeatureId id = builder_.feature(name, kind);
    const auto index = static_cast<std::size_t>(id);
    if (index >= last_rule_.size()) last_rule_.resize(index + 1, 0);
    if (last_rule_[index] == rule_) fail<DataError>("feature '", name, "' occurs twice");
    last_rule_[index] = rule_;
    ids_.push_back(id);
    values_.push_back(static_cast<float>(value));
}

void RuleParser::add_unnamed(std::size_t index, std::size_t count, FeatureKind kind, double value) {
    name_ = form_.label;
    if (count != 1) {
        name_ += '_';
        name_ += std::to_string(index);
    }
    add_feature(name_, kind, form_.negate ? -value : value);
}

// The grammars of Hiero, cdec and Joshua.

namespace {

// A nonterminal as it is written: [LABEL], [LABEL,1] or [1].
struct Written {
    std::string_view label;  // empty if there is none
    std::size_t index = 0;   // from 1; 0 if there is none
};

std::size_t index_in(std::string_view text) {
    std::size_t index = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, index);
    return error == std::errc() && rest == end && text.front() != '0' ? index : 0;
}

std::optional<Written> nonterminal(std::string_view word) {
    if (word.size() < 3 || word.front() != '[' || word.back() != ']') return std::nullopt;
    const std::string_view inside = word.substr(1, word.size() - 2);
    if (const std::size_t index = index_in(inside); index > 0) return Written{{}, index};
    const std::size_t comma = inside.rfind(',');
    if (comma == std::string_view::npos || comma == 0) return Written{inside, 0};
    const std::size_t index = comma + 1 < inside.size() ? index_in(inside.substr(comma + 1)) : 0;
    if (index == 0) return Written{inside, 0};
    return Written{inside.substr(0, comma), index};
}

}  // namespace

void RuleParser::parse_hiero() {
    if (fields_.size() < 3)
        fail<DataError>("expected [LHS] ||| SOURCE ||| TARGET ||| features, found ", fields_.size(),
                        " fields");
    if (!fields_[0].empty() && is_blank(fields_[0].front()))
        fail<DataError>("begins with a blank: coarse-to-fine grammars are not supported");
    std::optional<Written> lhs;
    for_each_word_between_blanks(fields_[0], [&](std::string_view word) {
        lhs = lhs ? Written{{}, 1} : nonterminal(word).value_or(Written{{}, 1});
    });
    if (!lhs || lhs->label.empty() || lhs->index > 0)
        fail<DataError>("expected a left-hand side such as [X], found '", fields_[0], "'");
    lhs_ = builder_.labels()->add(lhs->label);
    parse_hiero_source(fields_[1]);
    parse_hiero_target(fields_[2]);
    if (source_.size() > longest_sentence || target_.size() > longest_sentence)
        fail<DataError>("a side has more than ", longest_sentence, " symbols");
    if (fields_.size() > 3) parse_hiero_features(fields_[3]);
    if (fields_.size() > 4) parse_links(fields_[4]);
}

void RuleParser::parse_hiero_source(std::string_view field) {
    std::size_t count = 0;
    for_each_word_between_blanks(field, [&](std::string_view word) {
        const auto written = nonterminal(word);
        if (!written) {
            source_.push_back(builder_.source_words()->add(word));
            return;
        }
        ++count;
        if (written->label.empty() || (written->index > 0 && written->index != count))
            fail<DataError>(
                "nonterminals of the source side are [LABEL,1], [LABEL,2], ... in "
                "order, found '",
                word, "' as number ", count);
        source_.push_back(label_symbol(builder_.labels()->add(written->label)));
    });
}

void RuleParser::parse_hiero_target(std::string_view field) {
    const auto arity = static_cast<std::size_t>(std::ranges::count_if(source_, is_label));
    for_each_word_between_blanks(field, [&](std::string_view word) {
        const auto written = nonterminal(word);
        if (!written) {
            target_.push_back(builder_.target_words()->add(word));
            return;
        }
        if (written->index == 0 || written->index > arity)
            fail<DataError>("nonterminals of the target side are [1] or [LABEL,1] up to ", arity,
                            ", found '", word, "'");
        target_.push_back(slot_symbol(static_cast<std::int32_t>(written->index - 1)));
    });
}

void RuleParser::parse_hiero_features(std::string_view field) {
    std::size_t unnamed = 0;
    const auto add = [&](std::string_view text) {
        if (text.empty()) return;
        const std::size_t equals = text.rfind('=');
        const bool named = equals != std::string_view::npos;
        const auto value = parse_number(named ? text.substr(equals + 1) : text);
        if (!value || equals == 0)
            fail<DataError>("expected NAME=value or a number, found '", text, "'");
        if (named)
            add_feature(text.substr(0, equals), FeatureKind::score, *value);
        else
            add_unnamed(unnamed++, 0, FeatureKind::score, *value);
    };
    for_each_word_between_blanks(field, [&](std::string_view word) {
        for (std::size_t semicolon; (semicolon = word.find(';')) != std::string_view::npos;
             word.remove_prefix(semicolon + 1))
            add(word.substr(0, semicolon));
        add(word);
    });
}

// Moses' rule tables.

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
        fail<DataError>("a side has more than ", longest_sentence, " symbols");
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
            target_.push_back(slot_symbol(0));  // the links say which one
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
    // The first link to each place of the target side.
    std::vector<const Link*> links(target_.size(), nullptr);
    for (const Link& link : pairs_)
        if (links[link.target] == nullptr) links[link.target] = &link;
    for (const auto& [place, label] : target_labels_) {
        const Link* const link = links[place];
        if (link == nullptr || !is_label(source_[link->source]))
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
                                          : "earlier lines have another number of scores");
    for (std::size_t i = 0; i < scores.size(); ++i)
        add_unnamed(i, scores.size(), FeatureKind::probability, scores[i]);
}

void RuleParser::parse_moses_counts(std::string_view field) {
    static constexpr const char* names[] = {"count_e", "count_f", "count_f_e"};
    std::vector<std::string_view> counts;
    for_each_word_between_blanks(field, [&](std::string_view word) { counts.push_back(word); });
    if (counts.size() != std::size(names)) return;  // the field may have fewer or none
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
