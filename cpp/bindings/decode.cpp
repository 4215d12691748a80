#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <functional>
#include <utility>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/decode/decoder.hpp"
#include "hopefear/decode/forest_rescorer.hpp"
#include "hopefear/decode/lexical_template.hpp"
#include "hopefear/decode/oov_template.hpp"
#include "hopefear/decode/template_features.hpp"

namespace hopefear::bindings {

namespace {

void bind_grammar_use(nb::module_& m) {
    nb::enum_<FeatureView>(m, "FeatureView", "How the model uses a value of a grammar.")
        .value("none", FeatureView::none)
        .value("value", FeatureView::value)
        .value("logarithm", FeatureView::logarithm)
        .value("rarity", FeatureView::rarity);
    nb::class_<FeatureUse>(m, "FeatureUse", "A feature computed from a feature of a grammar.")
        .def(
            "__init__",
            [](FeatureUse* self, const std::string& of, FeatureView view, const std::string& name) {
                new (self) FeatureUse{of, view, name};
            },
            nb::arg("of"), nb::arg("view"), nb::arg("name"));
    nb::class_<FeatureBins>(m, "FeatureBins", "The bins of a feature of rules.")
        .def(
            "__init__",
            [](FeatureBins* self, const std::string& feature, const ArrayIn<double>& borders,
               bool kept, bool overlap) {
                const auto own = as_span(borders);
                new (self) FeatureBins{feature, {own.begin(), own.end()}, kept, overlap};
            },
            nb::arg("feature"), nb::arg("borders"), nb::arg("kept"), nb::arg("overlap"),
            "The largest values of all bins but the last, whether the feature also stays as it is, "
            "and whether a value is also in the bins before and after its own.");
    nb::class_<GrammarUse>(m, "GrammarUse", "A grammar of a model.")
        .def(
            "__init__",
            [](GrammarUse* self, const std::shared_ptr<Grammar>& grammar, std::int32_t max_span,
               const std::vector<FeatureUse>& features) {
                new (self) GrammarUse{grammar, max_span, features};
            },
            nb::arg("grammar"), nb::arg("max_span"), nb::arg("features"),
            "A grammar, how many source words its rules may cover (0 means no limit), and the "
            "features that are not used in the default way.");
}

void bind_decoder_model(nb::module_& m) {
    nb::class_<ModelNames>(m, "ModelNames", "The names of labels and features.")
        .def(nb::init<>())
        .def_rw("goal", &ModelNames::goal, "The label of a whole sentence.")
        .def_rw("pass_through", &ModelNames::pass_through, "The label of copied words.")
        .def_rw("word_penalty", &ModelNames::word_penalty, "-1 for each word of a target side.")
        .def_rw("phrase_penalty", &ModelNames::phrase_penalty, "1 for each rule.")
        .def_rw("unknown_word", &ModelNames::unknown_word, "1 for each unknown word.")
        .def_rw("identity_rule", &ModelNames::identity_rule, "1 for each copied word.")
        .def_rw("number_rule", &ModelNames::number_rule, "1 for each copied number.")
        .def_rw("name_rule", &ModelNames::name_rule, "1 for each copied name.");
    bind_grammar_use(m);
    nb::class_<NamedLanguageModel>(m, "NamedLanguageModel", "A language model of a model.")
        .def(
            "__init__",
            [](NamedLanguageModel* self, const std::string& name,
               const std::shared_ptr<LanguageModel>& model) {
                new (self) NamedLanguageModel{name, model};
            },
            nb::arg("name"), nb::arg("model"), "The name of its feature, and the model.");
    nb::class_<WordFeatures>(m, "WordFeatures", "Features of words that no grammar has.")
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
            "A feature that counts a target word if a source word is in the sentence.");
    nb::class_<TranslationModel>(m, "TranslationModel",
                                 "Grammars and language models with common feature ids.")
        .def(nb::init<const std::vector<GrammarUse>&, const std::vector<NamedLanguageModel>&,
                      const ModelNames&, std::shared_ptr<Vocabulary>, const WordFeatures&,
                      const std::vector<FeatureBins>&>(),
             nb::arg("grammars"), nb::arg("language_models"), nb::arg("names"),
             nb::arg("feature_names"), nb::arg("word_features"), nb::arg("bins"))
        .def_prop_ro("feature_names", &TranslationModel::feature_names, "The names of features.")
        .def_prop_ro(
            "language_model_names",
            [](const TranslationModel& self) {
                std::vector<std::string> names;
                for (const FeatureId feature : self.language_model_features())
                    names.emplace_back(self.feature_names()->text(feature));
                return names;
            },
            "The names of the features of language models.");
}

void bind_decoder(nb::module_& m) {
    nb::class_<DecoderOptions>(m, "DecoderOptions", "Options of a decoder.")
        .def(nb::init<>())
        .def_prop_rw(
            "rule_limit", [](const DecoderOptions& o) { return o.rules.limit; },
            [](DecoderOptions& o, std::size_t value) { o.rules.limit = value; },
            "Rules of a source side to consider; 0 means all.")
        .def_prop_rw(
            "rule_weights", [](const DecoderOptions& o) { return o.rules.weights; },
            [](DecoderOptions& o, std::vector<double> value) {
                o.rules.weights = std::move(value);
            },
            "The weights that rank these rules, by feature id; empty for the weights of the "
            "decoder.")
        .def(
            "choose_by",
            [](DecoderOptions& o, const std::shared_ptr<TranslationModel>& model,
               const ArrayIn<double>& weights) {
                const auto own = as_span(weights);
                o.rules.model = model;
                o.rules.model_weights.assign(own.begin(), own.end());
            },
            nb::arg("model"), nb::arg("weights"),
            "Rank these rules by other features of the same grammars, with weights by their ids.")
        .def_prop_rw(
            "identity_rules", [](const DecoderOptions& o) { return o.pass_through.identity; },
            [](DecoderOptions& o, bool value) { o.pass_through.identity = value; },
            "Whether every word may be copied.")
        .def_prop_rw(
            "number_rules", [](const DecoderOptions& o) { return o.pass_through.numbers; },
            [](DecoderOptions& o, bool value) { o.pass_through.numbers = value; },
            "Whether words of digits and punctuation may be copied.")
        .def_prop_rw(
            "name_rules", [](const DecoderOptions& o) { return o.pass_through.names; },
            [](DecoderOptions& o, bool value) { o.pass_through.names = value; },
            "Whether words that begin with a capital letter may be copied.")
        .def_prop_rw(
            "pop_limit", [](const DecoderOptions& o) { return o.rescore.pop_limit; },
            [](DecoderOptions& o, std::size_t value) { o.rescore.pop_limit = value; },
            "Candidates scored for each node of the chart; 0 means all.")
        .def_prop_rw(
            "beam", [](const DecoderOptions& o) { return o.rescore.beam; },
            [](DecoderOptions& o, double value) { o.rescore.beam = value; },
            "How much worse than the best of its node a derivation may be; 0 means no limit.")
        .def_rw("cache_bytes", &DecoderOptions::cache_bytes, "Bytes of memory for scored rules.");
    nb::class_<Decoder>(m, "Decoder", "Translates sentences; thread-safe.")
        .def(
            "__init__",
            [](Decoder* self, const std::shared_ptr<TranslationModel>& model,
               const std::shared_ptr<TemplateFeatures>& templates, const ArrayIn<double>& weights,
               const DecoderOptions& options) {
                new (self) Decoder(model, templates, as_span(weights), options);
            },
            nb::arg("model"), nb::arg("templates").none(), nb::arg("weights"), nb::arg("options"))
        .def("meet", &Decoder::meet, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "Score all rules of a sentence, so that the features of templates get their ids.")
        .def(
            "rule_features",
            [](Decoder& self, const std::vector<std::string>& words) {
                RowArrays rows = without_gil([&] { return self.rule_features(words); });
                return nb::make_tuple(to_array(std::move(rows.offsets)),
                                      to_array(std::move(rows.ids)),
                                      to_array(std::move(rows.values)));
            },
            nb::arg("words"),
            nb::sig("def rule_features(self, words: Sequence[str]) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int32], NDArray[numpy.float64]]"),
            "The features of each rule that matches a sentence, as offsets, ids and values.")
        .def("parse", &Decoder::parse, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "All parses of a sentence, without language models.")
        .def("forest", &Decoder::forest, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "The result of cube pruning with language models.")
        .def("best", &Decoder::best, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
             "The best derivation, as a forest with no other.")
        .def("forget_pages", &Decoder::forget_pages,
             "Take what was read of the grammars out of memory, until it is read again.");
}

// The features of each rule.
using NamedRows = std::vector<std::vector<std::pair<std::string, double>>>;
using ScoreRules =
    std::function<NamedRows(std::size_t, const std::vector<Symbol>&, const std::vector<Rule>&)>;
using ScoreWord = std::function<NamedRows(PassThrough, const std::string&)>;

// A template written in Python. It scores all rules of a source side in one call, so that the
// interpreter lock is taken only once.
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
            fail<DataError>("a template returned features of ", found.size(), " rules instead of ",
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
    nb::class_<RuleTemplate>(m, "RuleTemplate", "Computes features of rules.");
    nb::class_<PythonTemplate, RuleTemplate>(m, "PythonTemplate", "A template written in Python.")
        .def(nb::init<std::shared_ptr<Vocabulary>, ScoreRules, ScoreWord>(), nb::arg("names"),
             nb::arg("rules"), nb::arg("word"),
             "`rules` is called with the number of a grammar, a source side and its rules, `word` "
             "with the reason why a word is copied and the word; both return the features of each "
             "rule.");
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
            "Feature i counts target word target[i] with source word source[i], or with ANY or "
            "NULL. The number after the end of a list stands for all other words, if `unknown`.")
        .def_prop_ro_static(
            "ANY", [](nb::handle) { return LexicalFeatures::any; }, "Any source word.")
        .def_prop_ro_static(
            "NULL", [](nb::handle) { return LexicalFeatures::null; }, "No source word.");
    nb::class_<OovTemplate, RuleTemplate>(m, "OovTemplate",
                                          "Features of words that language models do not know.")
        .def(
            "__init__",
            [](OovTemplate* self, const std::shared_ptr<TranslationModel>& model,
               const std::vector<std::string>& names) { new (self) OovTemplate(model, names); },
            nb::arg("model"), nb::arg("names"),
            "Feature names[i] counts the words that language model i does not know.");
}

void bind_features(nb::module_& m) {
    nb::enum_<PassThrough>(m, "PassThrough", "Why a word is copied.")
        .value("unknown", PassThrough::unknown)
        .value("identity", PassThrough::identity)
        .value("number", PassThrough::number)
        .value("proper_name", PassThrough::proper_name);
    bind_templates(m);
    nb::class_<TemplateFeatures>(m, "TemplateFeatures",
                                 "A cache of the features that templates compute.")
        .def(
            "__init__",
            [](TemplateFeatures* self, const std::shared_ptr<TranslationModel>& model,
               const std::vector<std::shared_ptr<RuleTemplate>>& templates, std::size_t max_bytes) {
                std::vector<std::shared_ptr<const RuleTemplate>> all(templates.begin(),
                                                                     templates.end());
                new (self) TemplateFeatures(model, std::move(all), max_bytes);
            },
            nb::arg("model"), nb::arg("templates"), nb::arg("max_bytes"))
        .def_prop_ro("nbytes", &TemplateFeatures::bytes, "Bytes of memory in use.");
}

void bind_forest_rescorer(nb::module_& m) {
    nb::class_<PreparedForest>(m, "PreparedForest",
                               "A forest in the form that rescoring needs, for any weights.")
        .def_prop_ro("bytes", &PreparedForest::bytes, "Bytes of memory in use.")
        .def_prop_ro("feature_names", &PreparedForest::feature_names, "The names of features.");
    nb::class_<ForestRescorer>(m, "ForestRescorer", "Adds language models to forests; thread-safe.")
        .def(
            "__init__",
            [](ForestRescorer* self, const std::vector<NamedLanguageModel>& models,
               const WordFeatures& word_features, std::size_t pop_limit, double beam) {
                new (self) ForestRescorer(models, word_features, RescoreOptions{pop_limit, beam});
            },
            nb::arg("language_models"), nb::arg("word_features"), nb::arg("pop_limit"),
            nb::arg("beam"))
        .def(
            "prepare",
            [](ForestRescorer& self, const Forest& forest) {
                return without_gil([&] { return self.prepare(forest); });
            },
            nb::arg("forest"), "A forest in the form that rescoring needs, for any weights.")
        .def(
            "rescore",
            [](ForestRescorer& self, const PreparedForest& forest, const ArrayIn<double>& weights,
               bool only_best) {
                return without_gil(
                    [&] { return self.rescore(forest, as_span(weights), only_best); });
            },
            nb::arg("forest"), nb::arg("weights"), nb::arg("only_best"),
            "The forest with language models, or only its best derivation.")
        .def(
            "kbest",
            [](ForestRescorer& self, const PreparedForest& forest, const ArrayIn<double>& weights,
               std::size_t size, std::size_t limit) {
                return without_gil([&] {
                    return self.kbest(forest, as_span(weights),
                                      {.size = size, .distinct = true, .limit = limit});
                });
            },
            nb::arg("forest"), nb::arg("weights"), nb::arg("size"), nb::arg("limit"),
            "The best derivations with different words of the forest with language models.");
}

}  // namespace

void bind_decode(nb::module_& m) {
    bind_decoder_model(m);
    bind_decoder(m);
    bind_features(m);
    bind_forest_rescorer(m);
}

}  // namespace hopefear::bindings
