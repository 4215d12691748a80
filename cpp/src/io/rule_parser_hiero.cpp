// The grammars of Hiero, cdec and Joshua.
#include <algorithm>
#include <charconv>
#include <optional>

#include "hopefear/base/blank.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/io/rule_text.hpp"

namespace hopefear {

namespace {

// A nonterminal as it is written: [LABEL], [LABEL,1] or [1].
struct Written {
    std::string_view label;  // empty: none
    std::size_t index = 0;   // from 1; 0: none
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
        fail<DataError>("a side of more than ", longest_sentence, " symbols");
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

}  // namespace hopefear
