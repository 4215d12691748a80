#include "hopefear/io/bar_format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"

namespace hopefear {

namespace {

constexpr std::string_view bars = "|||";
constexpr std::string_view blanks = " \t\r\v\f";
// There is a list for each sentence: a number beyond this is a mistake.
constexpr std::uint64_t last_sentence = 99'999'999;

[[nodiscard]] std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// `text` shortened for an error message.
[[nodiscard]] std::string shown(std::string_view text) {
    constexpr std::size_t most = 60;
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "...";
}

void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
    fields.clear();
    for (;;) {
        const std::size_t at = line.find(bars);
        fields.push_back(trimmed(line.substr(0, at)));
        if (at == std::string_view::npos) return;
        line.remove_prefix(at + bars.size());
    }
}

// The position of field `number` among `count`; `count` or more if it does not exist.
[[nodiscard]] std::size_t place(int number, std::size_t count) {
    return static_cast<std::size_t>(number) + (number < 0 ? count : 0);
}

[[nodiscard]] std::uint64_t parse_sentence(std::string_view field) {
    std::uint64_t sentence = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), sentence);
    if (error != std::errc() || end != field.data() + field.size() || field.empty())
        fail<FormatError>(
            "expected the number of a sentence (0, 1, ...) as the first field, found '",
            shown(field), "'");
    if (sentence > last_sentence)
        fail<FormatError>("sentence number ", sentence, " is too large; the largest is ",
                          last_sentence);
    return sentence;
}

[[nodiscard]] bool may_begin_number(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+' || c == 'n' || c == 'N' ||
           c == 'i' || c == 'I';
}

void open_label(std::string_view label, BarFeatures& out) {
    out.labels.push_back({label, out.values.size(), out.values.size()});
}

void add_value(double value, BarFeatures& out) {
    if (out.labels.empty()) open_label({}, out);
    out.values.push_back(value);
    out.labels.back().end = out.values.size();
}

// Whether a name looks like several features joined by semicolons.
[[nodiscard]] bool is_joined(std::string_view name) {
    for (std::size_t end = name.find(';'); end != std::string_view::npos; end = name.find(';')) {
        const std::size_t equals = name.substr(0, end).rfind('=');
        if (equals != 0 && equals != std::string_view::npos) {
            const auto value = parse_number(name.substr(equals + 1, end - equals - 1));
            if (value && std::isfinite(*value)) return true;
        }
        name.remove_prefix(end + 1);
    }
    return false;
}

// A number, 'NAME=', 'NAME:' or 'NAME=number'; a name may have '=' in it.
void parse_token(std::string_view token, BarFeatures& out) {
    if (may_begin_number(token.front())) {
        if (const auto value = parse_number(token)) return add_value(*value, out);
    }
    if (token.size() > 1 && (token.back() == '=' || token.back() == ':'))
        return open_label(token.substr(0, token.size() - 1), out);
    const std::size_t equals = token.rfind('=');
    const bool named = equals != 0 && equals != std::string_view::npos;
    const auto value = named ? parse_number(token.substr(equals + 1)) : std::nullopt;
    if (!value)
        fail<FormatError>("expected a number, 'NAME=' or 'NAME=number' among the features, found '",
                          shown(token), "'");
    if (is_joined(token.substr(0, equals)))
        fail<FormatError>("'", shown(token), "' looks like features separated by semicolons; ",
                          "to read them, use the format cdec:semicolons=true");
    open_label(token.substr(0, equals), out);
    add_value(*value, out);
}

}  // namespace

void split_bar_line(std::string_view line, const BarLayout& layout, BarLine& out) {
    if (const std::size_t valid = valid_utf8_prefix(line); valid < line.size())
        fail<FormatError>("byte ", valid + 1, " of the line is not UTF-8; convert the file first");
    std::vector<std::string_view>& fields = out.others;
    split_fields(line, fields);
    const std::size_t count = fields.size();
    const std::size_t text = place(layout.text, count);
    const std::size_t features = layout.features ? place(*layout.features, count) : count;
    const std::size_t total = layout.total ? place(*layout.total, count) : count;
    if (text == 0 || text >= count || (layout.features && features >= count)) {
        const int last = std::max(layout.text, layout.features.value_or(0));
        const int first = std::min(layout.text, layout.features.value_or(0));
        fail<FormatError>("expected at least ", std::max(last + 1, 1 - first),
                          " fields separated by '|||', found ", count);
    }
    out.sentence = parse_sentence(fields[0]);
    out.text = fields[text];
    out.features = layout.features ? fields[features] : std::string_view();
    out.total = total < count ? std::optional(fields[total]) : std::nullopt;
    std::size_t kept = 0;
    for (std::size_t i = 1; i < count; ++i)
        if (i != text && i != features && i != total) fields[kept++] = fields[i];
    fields.resize(kept);
}

void parse_bar_features(std::string_view field, const BarLayout& layout, BarFeatures& out) {
    out.labels.clear();
    out.values.clear();
    const auto separates = [&](char c) {
        return c == ' ' || c == '\t' || (layout.semicolons && c == ';');
    };
    const char* at = field.data();
    const char* const end = at + field.size();
    while (at != end) {
        if (separates(*at)) {
            ++at;
            continue;
        }
        const char* const begin = at;
        while (at != end && !separates(*at)) ++at;
        parse_token({begin, static_cast<std::size_t>(at - begin)}, out);
    }
    for (const std::string& label : layout.ignored)
        std::erase_if(out.labels, [&](const LabeledValues& one) { return one.label == label; });
}

std::string feature_name(std::string_view label, std::size_t index, std::size_t count) {
    std::string name(label.empty() ? "F" : label);
    if (!label.empty() && count == 1) return name;
    if (!label.empty()) name += '_';
    return name += std::to_string(index);
}

BarHypothesis parse_hypothesis(std::string_view line, const BarLayout& layout) {
    BarLine fields;
    split_bar_line(line, layout, fields);
    BarFeatures features;
    parse_bar_features(fields.features, layout, features);
    BarHypothesis out;
    out.sentence = fields.sentence;
    out.text = fields.text;
    for (const auto& [label, begin, end] : features.labels) {
        for (std::size_t i = begin; i < end; ++i) {
            out.names.push_back(feature_name(label, i - begin, end - begin));
            out.values.push_back(features.values[i]);
        }
    }
    std::vector<std::string_view> sorted(out.names.begin(), out.names.end());
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        fail<FormatError>("feature '", *twice, "' occurs twice");
    if (fields.total && !fields.total->empty()) {
        out.total = parse_number(*fields.total);
        if (!out.total)
            fail<FormatError>("expected a number as the total score, found '", shown(*fields.total),
                              "'");
    }
    out.others.assign(fields.others.begin(), fields.others.end());
    return out;
}

NBestParser::NBestParser(NBestBuilder& builder, BarLayout layout, std::string file)
    : builder_(builder), layout_(std::move(layout)), lines_(std::move(file)) {}

void NBestParser::feed(std::string_view bytes) {
    lines_.feed(bytes, [&](std::string_view line) { parse_line(line); });
}

void NBestParser::finish() {
    lines_.finish([&](std::string_view line) { parse_line(line); });
}

void NBestParser::parse_line(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    split_bar_line(line, layout_, line_);
    parse_bar_features(line_.features, layout_, features_);
    find_ids();
    builder_.add(line_.sentence, line_.text, ids_, values_);
}

void NBestParser::find_ids() {
    ids_.clear();
    values_.clear();
    previous_.resize(features_.labels.size());
    for (std::size_t i = 0; i < features_.labels.size(); ++i) {
        const auto [label, begin, end] = features_.labels[i];
        Label& known = previous_[i];
        if (known.ids.size() != end - begin || known.text != label)
            look_up(label, end - begin, known);
        ids_.insert(ids_.end(), known.ids.begin(), known.ids.end());
        values_.insert(values_.end(), features_.values.begin() + static_cast<std::ptrdiff_t>(begin),
                       features_.values.begin() + static_cast<std::ptrdiff_t>(end));
    }
    if (std::ranges::adjacent_find(ids_, std::ranges::greater_equal()) == ids_.end()) return;
    sorted_ = ids_;
    std::ranges::sort(sorted_);
    if (const auto twice = std::ranges::adjacent_find(sorted_); twice != sorted_.end())
        fail<FormatError>("feature '", builder_.feature_names()->text(*twice), "' occurs twice");
}

void NBestParser::look_up(std::string_view label, std::size_t count, Label& out) {
    out.text = label;
    out.ids.clear();
    if (!label.empty()) check_count(label, count);
    Vocabulary& names = *builder_.feature_names();
    if (label.empty() || count != 1) {
        for (std::size_t i = 0; i < count; ++i)
            out.ids.push_back(names.add(feature_name(label, i, count)));
        return;
    }
    out.ids.push_back(names.add(label));
    const auto id = static_cast<std::size_t>(out.ids.front());
    if (id >= single_.size()) single_.resize(std::max(id + 1, 2 * single_.size()));
    single_[id] = true;
}

void NBestParser::check_count(std::string_view label, std::size_t count) {
    std::size_t before = count;
    if (count == 1) {
        if (several_.empty()) return;
        const auto known = several_.find(std::string(label));
        if (known != several_.end()) before = known->second;
    } else if (count > 1) {
        const auto [known, added] = several_.try_emplace(std::string(label), count);
        before = known->second;
        const auto id = builder_.feature_names()->find(label);
        if (added && id && static_cast<std::size_t>(*id) < single_.size() && single_[*id])
            before = 1;
    }
    if (before != count)
        fail<FormatError>("label '", label, "' has ", count, count == 1 ? " value" : " values",
                          ", but ", before, " on an earlier line; the number must not change");
}

std::vector<std::pair<std::string, std::size_t>> NBestParser::labels() const {
    std::vector<std::pair<std::string, std::size_t>> labels(several_.begin(), several_.end());
    std::ranges::sort(labels);
    return labels;
}

}  // namespace hopefear
