#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/io/bar_format.hpp"
#include "hopefear/io/forest_codec.hpp"
#include "hopefear/io/moses_hypergraph.hpp"
#include "hopefear/io/rule_text.hpp"

namespace hopefear::bindings {

namespace {

BarHypothesis parse(std::string_view line, const BarLayout& layout, std::string_view where) {
    try {
        return parse_hypothesis(line, layout);
    } catch (const FormatError& error) {
        fail<FormatError>(where, where.empty() ? "" : ": ", error.what());
    }
}

void bind_layout(nb::module_& m) {
    nb::class_<BarLayout>(
        m, "BarLayout",
        "The meaning of the fields of a line, counted from 0 or, if negative, from the end; "
        "field 0 is the sentence.")
        .def(
            "__init__",
            [](BarLayout* self, int text, std::optional<int> features, std::optional<int> total,
               bool semicolons, std::vector<std::string> ignored) {
                new (self) BarLayout{text, features, total, semicolons, std::move(ignored)};
            },
            nb::kw_only(), nb::arg("text") = 1, nb::arg("features").none() = 2,
            nb::arg("total").none() = 3, nb::arg("semicolons") = false,
            nb::arg("ignored") = std::vector<std::string>())
        .def_ro("text", &BarLayout::text, "The field of the text.")
        .def_ro("features", &BarLayout::features, "The field of the features, or None.")
        .def_ro("total", &BarLayout::total, "The field of the model score, or None.")
        .def_ro("semicolons", &BarLayout::semicolons, "Whether ';' separates features, too.")
        .def_ro("ignored", &BarLayout::ignored, "Labels that are not features.");
    nb::class_<BarHypothesis>(m, "BarHypothesis", "A hypothesis that was read from a line.")
        .def_ro("sentence", &BarHypothesis::sentence, "Its sentence, counted from 0.")
        .def_ro("text", &BarHypothesis::text, "Its text, without blanks around it.")
        .def_ro("names", &BarHypothesis::names, "The names of its features, as written.")
        .def_ro("values", &BarHypothesis::values, "Their values.")
        .def_ro("total", &BarHypothesis::total, "The model score, or None.")
        .def_ro("others", &BarHypothesis::others, "All other fields.");
}

void bind_bar_format(nb::module_& m) {
    bind_layout(m);
    m.def("parse_hypothesis", &parse, nb::arg("line"), nb::arg("layout"), nb::arg("where") = "",
          "Parse a line; messages begin with `where`.");
    m.def(
        "format_number",
        [](double value) {
            std::string text;
            append_number(text, value);
            return text;
        },
        nb::arg("value"), "The shortest decimal number that converts back to the same double.");
    nb::class_<NBestParser>(m, "NBestParser",
                            "Reads n-best lists from pieces of a file into a builder.")
        .def(nb::init<NBestBuilder&, BarLayout, std::string>(), nb::arg("builder"),
             nb::arg("layout"), nb::arg("file"), nb::keep_alive<1, 2>())
        .def(
            "feed",
            [](NBestParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may continue in the next piece.")
        .def("finish", &NBestParser::finish, "End the file; the last line may lack its newline.")
        .def_prop_ro("line_count", &NBestParser::lines, "Lines so far.")
        .def_prop_ro("labels", &NBestParser::labels,
                     "The labels with several values, and how many.");
}

nb::bytes to_bytes(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

std::span<const char> as_span(const nb::bytes& bytes) {
    return {bytes.c_str(), bytes.size()};
}

void bind_forest_codec(nb::module_& m) {
    m.def(
        "encode_forest",
        [](const Forest& forest, Vocabulary& words, Vocabulary& feature_names) {
            return to_bytes(encode_forest(forest, words, feature_names));
        },
        nb::arg("forest"), nb::arg("words"), nb::arg("feature_names"),
        "The bytes of a forest; its words and features are added to the vocabularies.");
    m.def(
        "decode_forest",
        [](const nb::bytes& bytes, const std::shared_ptr<Vocabulary>& words,
           const std::shared_ptr<Vocabulary>& feature_names,
           const ArrayIn<Vocabulary::Id>& word_ids, const ArrayIn<Vocabulary::Id>& feature_ids) {
            const CodecVocabularies vocabularies{words, feature_names, bindings::as_span(word_ids),
                                                 bindings::as_span(feature_ids)};
            const auto stored = as_span(bytes);
            return without_gil([&] { return decode_forest(stored, vocabularies); });
        },
        nb::arg("bytes"), nb::arg("words"), nb::arg("feature_names"), nb::arg("word_ids"),
        nb::arg("feature_ids"), "Decode a forest; the ids are those of the stored numbers.");
    m.def(
        "encode_vocabulary",
        [](const Vocabulary& vocabulary) { return to_bytes(encode_vocabulary(vocabulary)); },
        nb::arg("vocabulary"), "The bytes of a vocabulary.");
    m.def(
        "decode_vocabulary",
        [](const nb::bytes& bytes, Vocabulary& vocabulary) {
            return to_array(decode_vocabulary(as_span(bytes), vocabulary));
        },
        nb::arg("bytes"), nb::arg("vocabulary"),
        "Add the strings to a vocabulary and return their ids.");
}

void bind_moses_hypergraph(nb::module_& m) {
    m.def(
        "parse_moses_hypergraph",
        [](const nb::bytes& text, const std::string& file, const std::shared_ptr<Vocabulary>& words,
           const std::shared_ptr<Vocabulary>& feature_names, const FeatureRenaming& renamed) {
            return parse_moses_hypergraph({text.c_str(), text.size()}, file, words, feature_names,
                                          renamed);
        },
        nb::arg("text"), nb::arg("file"), nb::arg("words"), nb::arg("feature_names"),
        nb::arg("renamed") = FeatureRenaming(),
        "The forest of a file in Moses' or cdec's form; `file` is used in messages, and `renamed` "
        "says which features of the file have other names in the forest.");
    m.def(
        "format_moses_hypergraph",
        [](const Forest& forest, bool covered, const FeatureRenaming& renamed) {
            const std::string text = format_moses_hypergraph(forest, covered, renamed);
            return nb::bytes(text.data(), text.size());
        },
        nb::arg("forest"), nb::arg("covered"), nb::arg("renamed") = FeatureRenaming(),
        "The text of a forest in Moses' form, or without `covered` in cdec's; `renamed` says which "
        "features of the forest have other names in the text.");
}

void bind_rule_text(nb::module_& m) {
    using Table = RuleTextForm::Table;
    nb::enum_<Table>(m, "RuleTable", "How rules are written as text.")
        .value("moses", Table::moses)
        .value("hiero", Table::hiero);
    nb::class_<RuleParser>(m, "RuleParser", "Reads rules from pieces of a file into a builder.")
        .def(
            "__init__",
            [](RuleParser* self, GrammarBuilder& builder, Table table, const std::string& label,
               bool negate, const std::string& file) {
                new (self) RuleParser(builder, {table, label, negate}, file);
            },
            nb::arg("builder"), nb::arg("table"), nb::arg("label"), nb::arg("negate"),
            nb::arg("file"), nb::keep_alive<1, 2>(),
            "Numbers without names are named after the label.")
        .def(
            "feed",
            [](RuleParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may continue in the next piece.")
        .def("finish", &RuleParser::finish, "End the file; the last line may lack its newline.")
        .def_prop_ro("line_count", &RuleParser::lines, "Lines so far.");
    m.def(
        "write_rules",
        [](const Grammar& grammar, Table table, const std::function<void(nb::bytes)>& sink) {
            write_rules(grammar, table, [&](std::string_view piece) {
                sink(nb::bytes(piece.data(), piece.size()));
            });
        },
        nb::arg("grammar"), nb::arg("table"), nb::arg("sink"),
        "Write all rules as text, passed to `sink` in pieces.");
}

}  // namespace

void bind_io(nb::module_& m) {
    bind_bar_format(m);
    bind_forest_codec(m);
    bind_moses_hypergraph(m);
    bind_rule_text(m);
}

}  // namespace hopefear::bindings
