#include "hopefear/decode/decoder.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace hopefear::bindings {

namespace {

void bind_grammar_use(nb::module_& m) {
    nb::enum_<FeatureView>(m, "FeatureView", "What the model sees of a grammar's value.")
        .value("none", FeatureView::none)
        .value("value", FeatureView::value)
        .value("logarithm", FeatureView::logarithm)
        .value("rarity", FeatureView::rarity);
    nb::class_<FeatureUse>(m, "FeatureUse", "A feature that is made of one of a grammar.")
        .def(
            "__init__",
            [](FeatureUse* self, const std::string& of, FeatureView view, const std::string& name) {
                new (self) FeatureUse{of, view, name};
            },
            nb::arg("of"), nb::arg("view"), nb::arg("name"));
    nb::class_<GrammarUse>(m, "GrammarUse", "A grammar of a model.")
        .def(
            "__init__",
            [](GrammarUse* self, const std::shared_ptr<Grammar>& grammar, std::int32_t max_span,
               const std::vector<FeatureUse>& features) {
                new (self) GrammarUse{grammar, max_span, features};
            },
            nb::arg("grammar"), nb::arg("max_span"), nb::arg("features"),
            "A grammar, how many source words its rules may cover (0: any number), and which of "
            "its features are used in another way than usual.");
}

}  // namespace

void bind_decoder_model(nb::module_& m) {
    nb::class_<ModelNames>(m, "ModelNames", "The names of labels and features.")
        .def(nb::init<>())
        .def_rw("goal", &ModelNames::goal, "The label of a whole sentence.")
        .def_rw("pass_through", &ModelNames::pass_through, "That of words that pass as they are.")
        .def_rw("word_penalty", &ModelNames::word_penalty, "-1 for each word of a target side.")
        .def_rw("phrase_penalty", &ModelNames::phrase_penalty, "1 for each rule.")
        .def_rw("unknown_word", &ModelNames::unknown_word, "1 for each unknown word.")
        .def_rw("identity_rule", &ModelNames::identity_rule, "1 for each word that passes.")
        .def_rw("number_rule", &ModelNames::number_rule, "1 for each number that passes.")
        .def_rw("name_rule", &ModelNames::name_rule, "1 for each name that passes.");
    bind_grammar_use(m);
    nb::class_<NamedLanguageModel>(m, "NamedLanguageModel", "A language model of a model.")
        .def(
            "__init__",
            [](NamedLanguageModel* self, const std::string& name,
               const std::shared_ptr<LanguageModel>& model) {
                new (self) NamedLanguageModel{name, model};
            },
            nb::arg("name"), nb::arg("model"), "The name of its feature, and the model.");
    nb::class_<WordFeatures>(m, "WordFeatures", "Features of words that are in no grammar.")
        .def(nb::init<>())
        .def(
            "add_ngram",
            [](WordFeatures& self, const std::vector<std::string>& ngram, const std::string& name) {
                self.ngrams.push_back(ngram);
                self.ngram_names.push_back(name);
            },
            nb::arg("ngram"), nb::arg("name"), "A feature that counts an n-gram.")
        .def(
            "add_trigger",
            [](WordFeatures& self, const std::string& source, const std::string& target,
               const std::string& name) {
                self.triggers.push_back({source, target});
                self.trigger_names.push_back(name);
            },
            nb::arg("source"), nb::arg("target"), nb::arg("name"),
            "A feature that counts a target word where a source word is in the sentence.");
    nb::class_<TranslationModel>(m, "TranslationModel",
                                 "Grammars and language models in one numbering of features.")
        .def(nb::init<const std::vector<GrammarUse>&, const std::vector<NamedLanguageModel>&,
                      const ModelNames&, std::shared_ptr<Vocabulary>, const WordFeatures&>(),
             nb::arg("grammars"), nb::arg("language_models"), nb::arg("names"),
             nb::arg("feature_names"), nb::arg("word_features"))
        .def_prop_ro("feature_names", &TranslationModel::feature_names, "The names of features.");
}

void bind_decoder(nb::module_& m) {
    nb::class_<DecoderOptions>(m, "DecoderOptions", "How to decode.")
        .def(nb::init<>())
        .def_prop_rw(
            "rule_limit", [](const DecoderOptions& o) { return o.rules.limit; },
            [](DecoderOptions& o, std::size_t value) { o.rules.limit = value; },
            "Rules of a source side; 0: all.")
        .def_prop_rw(
            "rule_weights", [](const DecoderOptions& o) { return o.rules.weights; },
            [](DecoderOptions& o, std::vector<double> value) {
                o.rules.weights = std::move(value);
            },
            "By which these rules are the best, by feature id; empty: the weights of the decoder.")
        .def_prop_rw(
            "identity_rules", [](const DecoderOptions& o) { return o.pass_through.identity; },
            [](DecoderOptions& o, bool value) { o.pass_through.identity = value; },
            "Whether every word may pass as it is.")
        .def_prop_rw(
            "number_rules", [](const DecoderOptions& o) { return o.pass_through.numbers; },
            [](DecoderOptions& o, bool value) { o.pass_through.numbers = value; },
            "Whether words of digits and punctuation may.")
        .def_prop_rw(
            "name_rules", [](const DecoderOptions& o) { return o.pass_through.names; },
            [](DecoderOptions& o, bool value) { o.pass_through.names = value; },
            "Whether words that begin with a capital letter may.")
        .def_prop_rw(
            "pop_limit", [](const DecoderOptions& o) { return o.rescore.pop_limit; },
            [](DecoderOptions& o, std::size_t value) { o.rescore.pop_limit = value; },
            "Candidates to be scored for each node of the chart; 0: all.")
        .def_prop_rw(
            "beam", [](const DecoderOptions& o) { return o.rescore.beam; },
            [](DecoderOptions& o, double value) { o.rescore.beam = value; },
            "How much worse than the best of its node a derivation may be; 0: any.")
        .def_rw("cache_bytes", &DecoderOptions::cache_bytes, "Memory for scored rules.");
    nb::class_<Decoder>(m, "Decoder", "Translates sentences; may be used by many threads.")
        .def(
            "__init__",
            [](Decoder* self, const std::shared_ptr<TranslationModel>& model,
               const std::shared_ptr<TemplateFeatures>& templates, const ArrayIn<double>& weights,
               const DecoderOptions& options) {
                new (self) Decoder(model, templates, as_span(weights), options);
            },
            nb::arg("model"), nb::arg("templates").none(), nb::arg("weights"), nb::arg("options"))
        .def("meet", &Decoder::meet, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "Meet all rules of a sentence: the features of templates get their numbers.")
        .def("parse", &Decoder::parse, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "All parses of a sentence, without language models.")
        .def("forest", &Decoder::forest, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "What cube pruning leaves of them, with language models.")
        .def("best", &Decoder::best, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "The best derivation, as a forest that has no other.");
}

}  // namespace hopefear::bindings
