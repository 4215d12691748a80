#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <utility>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/decode/lexical_template.hpp"
#include "hopefear/decode/template_features.hpp"

namespace hopefear::bindings {

namespace {

// The features of each rule.
using NamedRows = std::vector<std::vector<std::pair<std::string, double>>>;
using ScoreRules =
    std::function<NamedRows(std::size_t, const std::vector<Symbol>&, const std::vector<Rule>&)>;
using ScoreWord = std::function<NamedRows(PassThrough, const std::string&)>;

// A template that is written in Python: it is asked for all rules of a source side at once, so that
// the interpreter's lock is taken once for all of them.
class PythonTemplate : public RuleTemplate {
  public:
    PythonTemplate(std::shared_ptr<Vocabulary> names, ScoreRules rules, ScoreWord word)
        : names_(std::move(names)), rules_(std::move(rules)), word_(std::move(word)) {}

    void score(std::size_t part, std::span<const Symbol> source, std::span<const Rule> rules,
               TemplateRows& rows) const override {
        add(rules_(part, {source.begin(), source.end()}, {rules.begin(), rules.end()}), rows);
    }
    void score(PassThrough kind, std::string_view word, TemplateRows& rows) const override {
        add(word_(kind, std::string(word)), rows);
    }

  private:
    void add(const NamedRows& found, TemplateRows& rows) const {
        if (found.size() != rows.size())
            fail<DataError>("a template gave features of ", found.size(), " rules instead of ",
                            rows.size());
        for (std::size_t rule = 0; rule < rows.size(); ++rule)
            for (const auto& [name, value] : found[rule]) rows.add(rule, names_->add(name), value);
    }

    std::shared_ptr<Vocabulary> names_;
    ScoreRules rules_;
    ScoreWord word_;
};

std::vector<std::int32_t> as_vector(const ArrayIn<std::int32_t>& array) {
    return {array.data(), array.data() + array.size()};
}

void bind_templates(nb::module_& m) {
    nb::class_<RuleTemplate>(m, "RuleTemplate", "Gives features to rules.");
    nb::class_<PythonTemplate, RuleTemplate>(m, "PythonTemplate", "A template that is in Python.")
        .def(nb::init<std::shared_ptr<Vocabulary>, ScoreRules, ScoreWord>(), nb::arg("names"),
             nb::arg("rules"), nb::arg("word"),
             "The function `rules` gets the number of a grammar, a source side and its rules, and "
             "`word` gets why a word passes and the word; both give the features of each rule.");
    nb::class_<LexicalTemplate, RuleTemplate>(m, "LexicalTemplate",
                                              "Features of words and of aligned pairs of them.")
        .def(
            "__init__",
            [](LexicalTemplate* self, const TranslationModel& model,
               std::vector<std::string> source_words, std::vector<std::string> target_words,
               bool unknown, std::vector<std::string> names, const ArrayIn<std::int32_t>& source,
               const ArrayIn<std::int32_t>& target) {
                new (self) LexicalTemplate(
                    model, {std::move(source_words), std::move(target_words), unknown},
                    {std::move(names), as_vector(source), as_vector(target)});
            },
            nb::kw_only(), nb::arg("model"), nb::arg("source_words"), nb::arg("target_words"),
            nb::arg("unknown"), nb::arg("names"), nb::arg("source"), nb::arg("target"),
            "Feature i is of target word target[i] of the list and of source word source[i], or "
            "of ANY or NULL. The number behind a list is for all other words, if `unknown`.")
        .def_prop_ro_static(
            "ANY", [](nb::handle) { return LexicalFeatures::any; }, "Whatever the source word.")
        .def_prop_ro_static(
            "NULL", [](nb::handle) { return LexicalFeatures::null; }, "Without a source word.");
}

}  // namespace

void bind_features(nb::module_& m) {
    nb::enum_<PassThrough>(m, "PassThrough", "Why a word passes as it is.")
        .value("unknown", PassThrough::unknown)
        .value("identity", PassThrough::identity)
        .value("number", PassThrough::number)
        .value("proper_name", PassThrough::proper_name);
    bind_templates(m);
    nb::class_<TemplateFeatures>(m, "TemplateFeatures", "What templates say of rules, kept.")
        .def(
            "__init__",
            [](TemplateFeatures* self, const std::shared_ptr<TranslationModel>& model,
               const std::vector<std::shared_ptr<RuleTemplate>>& templates, std::size_t max_bytes) {
                std::vector<std::shared_ptr<const RuleTemplate>> all(templates.begin(),
                                                                     templates.end());
                new (self) TemplateFeatures(model, std::move(all), max_bytes);
            },
            nb::arg("model"), nb::arg("templates"), nb::arg("max_bytes"))
        .def_prop_ro("nbytes", &TemplateFeatures::bytes, "Memory in use.");
}

}  // namespace hopefear::bindings
