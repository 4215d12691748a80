#include "hopefear/decode/lexical_template.hpp"

#include <algorithm>
#include <numeric>

#include "hopefear/base/error.hpp"

namespace hopefear {

LexicalTemplate::Side::Side(const std::vector<std::string>& list, bool unknown, const char* name)
    : unknown(unknown) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (static_cast<std::size_t>(words.add(list[i])) != i)
            fail<DataError>("the ", name, " word '", list[i], "' is listed twice");
}

LexicalTemplate::Class LexicalTemplate::Side::of(std::string_view word) const {
    if (const auto id = words.find(word)) return *id;
    return unknown ? static_cast<Class>(words.size()) : no_class;
}

std::vector<LexicalTemplate::Class> LexicalTemplate::Side::of_all(const Vocabulary& all) const {
    std::vector<Class> classes;
    classes.reserve(all.size());
    for (const std::string_view word : all.texts()) {
        const bool boundary = word == sentence_begin || word == sentence_end;
        classes.push_back(boundary ? no_class : of(word));
    }
    return classes;
}

LexicalTemplate::LexicalTemplate(const TranslationModel& model, const LexicalOptions& options,
                                 const LexicalFeatures& features)
    : source_(options.source_words, options.unknown, "source"),
      target_(options.target_words, options.unknown, "target") {
    for (const TranslationModel::Part& part : model.parts()) {
        source_classes_.push_back(source_.of_all(*part.grammar->source_words()));
        target_classes_.push_back(target_.of_all(*part.grammar->target_words()));
    }
    const std::size_t count = features.names.size();
    if (features.source.size() != count || features.target.size() != count)
        fail<DataError>(count, " names of lexical features, but ", features.source.size(),
                        " source and ", features.target.size(), " target classes");
    first_entry_.assign(target_.size() + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const Class source = features.source[i];
        const Class target = features.target[i];
        if (source < LexicalFeatures::null || source >= static_cast<Class>(source_.size()) ||
            target < 0 || target >= static_cast<Class>(target_.size()))
            fail<DataError>("feature '", features.names[i], "' refers to the classes ", source,
                            " and ", target, "; there are ", source_.size(), " and ",
                            target_.size());
        ++first_entry_[target + 1];
    }
    std::partial_sum(first_entry_.begin(), first_entry_.end(), first_entry_.begin());
    entries_.resize(count);
    std::vector<std::uint32_t> next(first_entry_.begin(), first_entry_.end() - 1);
    for (std::size_t i = 0; i < count; ++i)
        entries_[next[features.target[i]]++] = {features.source[i],
                                                model.feature_names()->add(features.names[i])};
    for (std::size_t target = 0; target < target_.size(); ++target) {
        const auto own = std::span(entries_).subspan(
            first_entry_[target], first_entry_[target + 1] - first_entry_[target]);
        std::ranges::stable_sort(own, {}, &Entry::source);
    }
}

void LexicalTemplate::add(std::size_t rule, Class source, Class target, TemplateRows& rows) const {
    if (source == no_class || target == no_class) return;
    const auto own = std::span(entries_).subspan(first_entry_[target],
                                                 first_entry_[target + 1] - first_entry_[target]);
    for (const Entry& entry : std::ranges::equal_range(own, source, {}, &Entry::source))
        rows.add(rule, entry.feature, 1.0);
}

void LexicalTemplate::score(std::size_t part, std::span<const Symbol> source,
                            std::span<const Rule> rules, TemplateRows& rows) const {
    const std::vector<Class>& source_classes = source_classes_[part];
    const std::vector<Class>& target_classes = target_classes_[part];
    std::vector<char> linked;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const Rule& rule = rules[i];
        linked.assign(rule.target.size(), 0);
        for (const Link link : rule.alignment) {
            const Symbol from = source[link.source];
            const Symbol to = rule.target[link.target];
            if (is_label(from) || is_slot(to)) continue;
            linked[link.target] = 1;
            add(i, source_classes[from], target_classes[to], rows);
        }
        for (std::size_t place = 0; place < rule.target.size(); ++place) {
            if (is_slot(rule.target[place])) continue;
            const Class target = target_classes[rule.target[place]];
            add(i, LexicalFeatures::any, target, rows);
            if (!linked[place]) add(i, LexicalFeatures::null, target, rows);
        }
    }
}

void LexicalTemplate::score(PassThrough, std::string_view word, TemplateRows& rows) const {
    const Class target = target_.of(word);
    add(0, source_.of(word), target, rows);
    add(0, LexicalFeatures::any, target, rows);
}

}  // namespace hopefear
