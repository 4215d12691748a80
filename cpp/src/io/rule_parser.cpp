// What the readers of both forms share.
#include <algorithm>
#include <charconv>
#include <limits>

#include "hopefear/base/blank.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/utf8.hpp"
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
    if (valid < line.size()) fail<DataError>("is not UTF-8 from byte ", valid + 1, " of the line");
    split(line);
    source_.clear();
    target_.clear();
    target_labels_.clear();
    links_.clear();
    pairs_.clear();
    ids_.clear();
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
    if (std::ranges::find(ids_, id) != ids_.end())
        fail<DataError>("feature '", name, "' is there twice");
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

}  // namespace hopefear
