#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bindings.hpp"
#include "hopefear/extract/extractor.hpp"

namespace hopefear::bindings {

namespace {

using namespace extraction;

void bind_options(nb::module_& m) {
    nb::enum_<Smoothing>(m, "RuleSmoothing", "How relative frequencies are smoothed.")
        .value("none", Smoothing::none)
        .value("good_turing", Smoothing::good_turing);
    nb::class_<Options>(m, "ExtractionOptions", "What rules are extracted.")
        .def(
            "__init__",
            [](Options* self, std::int32_t max_phrase_length, std::int32_t max_source_symbols,
               std::int32_t max_nonterminals, std::int32_t min_nonterminal_span,
               bool adjacent_nonterminals, bool tight, bool fractional_counts) {
                new (self) Options{max_phrase_length,    max_source_symbols,    max_nonterminals,
                                   min_nonterminal_span, adjacent_nonterminals, tight,
                                   fractional_counts};
                check(*self);
            },
            nb::kw_only(), nb::arg("max_phrase_length"), nb::arg("max_source_symbols"),
            nb::arg("max_nonterminals"), nb::arg("min_nonterminal_span"),
            nb::arg("adjacent_nonterminals"), nb::arg("tight"), nb::arg("fractional_counts"));
    nb::class_<Summary>(m, "ExtractionSummary", "What was found in a bitext.")
        .def_ro("sentences", &Summary::sentences, "Sentence pairs.")
        .def_ro("phrase_pairs", &Summary::phrase_pairs, "Initial phrase pairs.")
        .def_ro("instances", &Summary::instances, "Places where a rule was found.")
        .def_ro("rules", &Summary::rules, "Different rules, written.")
        .def_ro("sources", &Summary::sources, "Different source sides of these.")
        .def_ro("bytes", &Summary::bytes, "The size of the file.");
}

void bind_bitext(nb::module_& m) {
    nb::class_<TextParser>(m, "TextParser", "Reads one side of a bitext in pieces.")
        .def(nb::init<std::string>(), nb::arg("file"))
        .def(
            "feed",
            [](TextParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may go on in the next piece.")
        .def("finish", &TextParser::finish, "Read what is left: the last line may lack its end.");
    nb::class_<Bitext>(m, "Bitext", "A word-aligned bitext.")
        .def(
            "__init__",
            [](Bitext* self, TextParser& source, TextParser& target, const Alignments& alignments,
               const std::string& alignment_file) {
                new (self) Bitext(std::move(source), std::move(target), alignments, alignment_file);
            },
            nb::arg("source"), nb::arg("target"), nb::arg("alignments"), nb::arg("alignment_file"),
            nb::call_guard<nb::gil_scoped_release>(),
            "Both texts, whose parsers are empty then, and their alignments.")
        .def("__len__", &Bitext::size);
    nb::class_<SourceFilter>(m, "SourceFilter", "Source sides that can match given sentences.")
        .def(
            "__init__",
            [](SourceFilter* self, const Bitext& bitext, std::size_t max_phrase,
               std::uint32_t max_span) {
                new (self) SourceFilter(bitext.source_words(), max_phrase, max_span);
            },
            nb::arg("bitext"), nb::arg("max_phrase"), nb::arg("max_span"), nb::keep_alive<1, 2>())
        .def(
            "add", [](SourceFilter& filter, TextParser& text) { filter.add(text.text()); },
            nb::arg("text"), nb::call_guard<nb::gil_scoped_release>(),
            "Add the sentences of a text.");
}

}  // namespace

void bind_extraction(nb::module_& m) {
    bind_options(m);
    bind_bitext(m);
    m.def(
        "extract_rules",
        [](const Bitext& bitext, const Options& options, Smoothing smoothing,
           const SourceFilter* filter, std::size_t memory, const std::string& directory,
           std::size_t threads, const std::string& path, const std::string& notes,
           const Progress& progress) {
            return extract(bitext, options, smoothing, filter, {memory, directory, threads}, path,
                           notes, progress);
        },
        nb::kw_only(), nb::arg("bitext"), nb::arg("options"), nb::arg("smoothing"),
        nb::arg("filter").none(), nb::arg("memory"), nb::arg("directory"), nb::arg("threads"),
        nb::arg("path"), nb::arg("notes"), nb::arg("progress"),
        nb::call_guard<nb::gil_scoped_release>(),
        "Extract and score rules and write them as a grammar.");
}

}  // namespace hopefear::bindings
