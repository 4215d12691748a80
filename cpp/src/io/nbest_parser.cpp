#include "hopefear/io/nbest_parser.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"

namespace hopefear {

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
                          ", but ", before, " on a line before; a label must always have as many");
}

std::vector<std::pair<std::string, std::size_t>> NBestParser::labels() const {
    std::vector<std::pair<std::string, std::size_t>> labels(several_.begin(), several_.end());
    std::ranges::sort(labels);
    return labels;
}

}  // namespace hopefear
