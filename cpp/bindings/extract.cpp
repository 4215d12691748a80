#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "hopefear/extract/extractor.hpp"
#include "hopefear/extract/patterns.hpp"
#include "hopefear/extract/word_aligner.hpp"

namespace hopefear::bindings {

namespace {

using namespace extraction;

void bind_options(nb::module_& m) {
    nb::enum_<Smoothing>(m, "RuleSmoothing", "How relative frequencies are smoothed.")
        .value("none", Smoothing::none)
        .value("good_turing", Smoothing::good_turing);
    nb::class_<Options>(m, "ExtractionOptions", "Limits on the rules that are extracted.")
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
    nb::class_<Summary>(m, "ExtractionSummary", "Summary of an extraction.")
        .def_ro("sentences", &Summary::sentences, "Sentence pairs.")
        .def_ro("phrase_pairs", &Summary::phrase_pairs, "Initial phrase pairs.")
        .def_ro("instances", &Summary::instances, "Occurrences of rules.")
        .def_ro("rules", &Summary::rules, "Distinct rules written.")
        .def_ro("sources", &Summary::sources, "Distinct source sides of these rules.")
        .def_ro("bytes", &Summary::bytes, "The size of the file in bytes.");
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
            nb::arg("piece"), "Read the next bytes; lines may continue in the next piece.")
        .def("finish", &TextParser::finish, "End the file; the last line may lack its newline.");
    nb::class_<Bitext>(m, "Bitext", "A word-aligned bitext.")
        .def(
            "__init__",
            [](Bitext* self, TextParser& source, TextParser& target, const Alignments& alignments,
               const std::string& alignment_file) {
                new (self) Bitext(std::move(source), std::move(target), alignments, alignment_file);
            },
            nb::arg("source"), nb::arg("target"), nb::arg("alignments"), nb::arg("alignment_file"),
            nb::call_guard<nb::gil_scoped_release>(),
            "Both texts, whose parsers are empty afterwards, and their alignments.")
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

// What processes tell each other, in a form that Python can send.
using Collected = std::tuple<std::string, std::vector<std::uint64_t>, std::uint64_t, std::uint64_t>;
using Scored = std::pair<std::string, std::vector<std::uint64_t>>;
using Counted = std::tuple<ArrayIn<std::uint64_t>, std::string, std::vector<std::uint64_t>>;

std::vector<CollectedRules> collected_of(const std::vector<Collected>& all) {
    std::vector<CollectedRules> result;
    for (const auto& [path, sizes, phrase_pairs, found] : all)
        result.push_back({{path, sizes}, phrase_pairs, found});
    return result;
}

std::vector<ScoredRules> scored_of(const std::vector<Scored>& all) {
    std::vector<ScoredRules> result;
    for (const auto& [path, counts] : all) result.push_back({path, counts});
    return result;
}

void bind_shared_extraction(nb::module_& m) {
    nb::class_<SharedExtraction>(m, "SharedExtraction",
                                 "An extraction by several processes, which share a folder.")
        .def(
            "__init__",
            [](SharedExtraction* self, const Bitext& bitext, const Options& options,
               Smoothing smoothing, const SourceFilter* filter, std::size_t memory,
               const std::string& directory, std::size_t threads) {
                new (self) SharedExtraction(bitext, options, smoothing, filter,
                                            {memory, directory, threads});
            },
            nb::kw_only(), nb::arg("bitext"), nb::arg("options"), nb::arg("smoothing"),
            nb::arg("filter").none(), nb::arg("memory"), nb::arg("directory"), nb::arg("threads"),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>())
        .def_prop_ro("partitions", &SharedExtraction::partitions,
                     "How many ranges of source sides there are to score.")
        .def(
            "collect",
            [](const SharedExtraction& self, std::size_t begin, std::size_t end,
               const std::string& path) {
                CollectedRules found = self.collect({begin, end}, path);
                return Collected(found.instances.path, found.instances.sizes, found.phrase_pairs,
                                 found.found);
            },
            nb::arg("begin"), nb::arg("end"), nb::arg("path"),
            nb::call_guard<nb::gil_scoped_release>(),
            "Write the occurrences of rules in some sentences, sorted, to a file.")
        .def(
            "score",
            [](const SharedExtraction& self, const std::vector<Collected>& collected,
               std::size_t begin, std::size_t end, const std::string& directory) {
                std::vector<Scored> result;
                for (const ScoredRules& some :
                     self.score(collected_of(collected), begin, end, directory))
                    result.emplace_back(some.path, some.counts_of_counts);
                return result;
            },
            nb::arg("collected"), nb::arg("begin"), nb::arg("end"), nb::arg("directory"),
            nb::call_guard<nb::gil_scoped_release>(),
            "Write the scored rules of some ranges of source sides to files.")
        .def(
            "targets",
            [](const SharedExtraction& self, const std::vector<Scored>& scored) {
                return to_array(without_gil([&] { return self.targets(scored_of(scored)); }));
            },
            nb::arg("scored"), "With a filter: the target sides whose counts are needed.")
        .def(
            "count",
            [](const SharedExtraction& self, const ArrayIn<std::uint64_t>& targets,
               std::size_t begin, std::size_t end, const std::string& path) {
                CountedRules found =
                    without_gil([&] { return self.count(as_span(targets), {begin, end}, path); });
                return std::tuple(to_array(std::move(found.targets)), found.rules.path,
                                  found.rules.sizes);
            },
            nb::arg("targets"), nb::arg("begin"), nb::arg("end"), nb::arg("path"),
            "With a filter: count target sides and rules in some sentences.")
        .def(
            "write",
            [](const SharedExtraction& self, const std::vector<Collected>& collected,
               const std::vector<Scored>& scored, const ArrayIn<std::uint64_t>& targets,
               const std::vector<Counted>& counted, const std::string& path,
               const std::string& notes, const Progress& progress) {
                std::vector<CountedRules> counts;
                for (const auto& [some, file, sizes] : counted)
                    counts.push_back({{some.data(), some.data() + some.size()}, {file, sizes}});
                return without_gil([&] {
                    return self.write(collected_of(collected), scored_of(scored), as_span(targets),
                                      counts, path, notes, progress);
                });
            },
            nb::kw_only(), nb::arg("collected"), nb::arg("scored"), nb::arg("targets"),
            nb::arg("counted"), nb::arg("path"), nb::arg("notes"), nb::arg("progress"),
            "Write what all processes have found as a grammar.");
}

using TextsAndCount = std::pair<std::vector<std::string>, std::uint64_t>;

std::vector<std::string> first_texts(const Vocabulary& words, std::size_t count) {
    const auto all = words.texts();
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

// The words as text; the first one is a source word if `of_pair`.
std::vector<TextsAndCount> texts_of(const Bitext& bitext, const std::vector<CountedWords>& found,
                                    bool of_pair) {
    std::vector<TextsAndCount> result;
    for (const CountedWords& one : found) {
        std::vector<std::string> texts;
        for (const WordId word : one.words) {
            const bool source = of_pair && texts.empty();
            texts.emplace_back((source ? bitext.source_words() : bitext.target_words()).text(word));
        }
        result.emplace_back(std::move(texts), one.count);
    }
    return result;
}

void bind_lexical(nb::module_& m) {
    nb::class_<LexicalCounts>(m, "LexicalCounts",
                              "Frequent words and the words they are linked to.")
        .def_prop_ro(
            "source",
            [](nb::handle self) {
                return view(std::span(nb::cast<const LexicalCounts&>(self).source), self);
            },
            "The number of a source word, or LexicalTemplate.ANY or NULL.")
        .def_prop_ro(
            "target",
            [](nb::handle self) {
                return view(std::span(nb::cast<const LexicalCounts&>(self).target), self);
            },
            "The number of a target word.")
        .def_prop_ro(
            "count",
            [](nb::handle self) {
                return view(std::span(nb::cast<const LexicalCounts&>(self).count), self);
            },
            "The count of each pair.");
    m.def(
        "count_lexical",
        [](const Bitext& bitext, std::uint64_t min_count, std::uint64_t min_feature_count,
           const Progress& progress) {
            LexicalCounts counts = without_gil(
                [&] { return count_lexical(bitext, min_count, min_feature_count, progress); });
            auto source = first_texts(bitext.source_words(), counts.source_words);
            auto target = first_texts(bitext.target_words(), counts.target_words);
            return std::tuple(std::move(source), std::move(target), std::move(counts));
        },
        nb::arg("bitext"), nb::arg("min_count"), nb::arg("min_feature_count"), nb::arg("progress"),
        "The frequent words of both sides and the counts of their links; the number after the "
        "last word stands for all other words.");
}

void bind_patterns(nb::module_& m) {
    bind_lexical(m);
    m.def(
        "frequent_links",
        [](const Bitext& bitext, std::size_t limit, const Progress& progress) {
            return texts_of(
                bitext, without_gil([&] { return frequent_links(bitext, limit, progress); }), true);
        },
        nb::arg("bitext"), nb::arg("limit"), nb::arg("progress"),
        "The most frequent links, a source word and a target word, and their counts.");
    m.def(
        "frequent_ngrams",
        [](const Bitext& bitext, std::size_t order, std::size_t limit, const Progress& progress) {
            return texts_of(bitext, without_gil([&] {
                                return frequent_ngrams(bitext, order, limit, progress);
                            }),
                            false);
        },
        nb::arg("bitext"), nb::arg("order"), nb::arg("limit"), nb::arg("progress"),
        "The most frequent n-grams of the target side, and their counts.");
    m.def(
        "best_triggers",
        [](const Bitext& bitext, std::size_t limit, const Progress& progress) {
            std::vector<std::tuple<std::string, std::string, double>> result;
            for (const TriggerPair& pair :
                 without_gil([&] { return best_triggers(bitext, limit, progress); }))
                result.emplace_back(bitext.source_words().text(pair.source),
                                    bitext.target_words().text(pair.target), pair.information);
            return result;
        },
        nb::arg("bitext"), nb::arg("limit"), nb::arg("progress"),
        "The pairs of a source word and a target word with the highest mutual information.");
}

void bind_word_aligner(nb::module_& m) {
    using extraction::TextParser;
    nb::class_<DirectedAlignments>(m, "DirectedAlignments", "Alignments in both directions.")
        .def_ro("forward", &DirectedAlignments::forward,
                "Each target word has chosen its source word.")
        .def_ro("reverse", &DirectedAlignments::reverse,
                "Each source word has chosen its target word.");
    nb::class_<WordAligner>(m, "WordAligner", "Aligns the words of a bitext, in both directions.")
        .def(
            "__init__",
            [](WordAligner* self, TextParser& source, TextParser& target, double null_probability,
               double tension, double concentration, std::size_t max_length, std::size_t memory,
               std::size_t threads) {
                new (self) WordAligner(
                    source.text(), target.text(),
                    {null_probability, tension, concentration, max_length, memory, threads});
            },
            nb::arg("source"), nb::arg("target"), nb::kw_only(), nb::arg("null_probability"),
            nb::arg("tension"), nb::arg("concentration"), nb::arg("max_length"), nb::arg("memory"),
            nb::arg("threads"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::call_guard<nb::gil_scoped_release>(), "Both texts, which must not change.")
        .def("__len__", &WordAligner::size)
        .def(
            "expect",
            [](WordAligner& self, std::size_t begin, std::size_t end) {
                self.expect({begin, end});
            },
            nb::arg("begin"), nb::arg("end"), nb::call_guard<nb::gil_scoped_release>(),
            "Add the expected counts of some sentences.")
        .def("maximize", &WordAligner::maximize, nb::call_guard<nb::gil_scoped_release>(),
             "Learn from the expected counts of all sentences.")
        .def(
            "align",
            [](WordAligner& self, std::size_t begin, std::size_t end) {
                return self.align({begin, end});
            },
            nb::arg("begin"), nb::arg("end"), nb::call_guard<nb::gil_scoped_release>(),
            "The most probable links of some sentences.")
        .def(
            "take_counts",
            [](WordAligner& self) {
                return to_array(without_gil([&] { return self.take_counts(); }));
            },
            "Remove and return the expected counts since the last maximization.")
        .def(
            "add_counts",
            [](WordAligner& self, const ArrayIn<std::uint64_t>& counts) {
                without_gil([&] { self.add_counts(as_span(counts)); });
            },
            nb::arg("counts"), "Add the expected counts of another process.")
        .def(
            "parameters",
            [](WordAligner& self) {
                AlignmentParameters found = without_gil([&] { return self.parameters(); });
                return std::tuple(found.forward_tension, found.reverse_tension,
                                  to_array(std::move(found.probabilities)));
            },
            "The tensions of both directions, and all probabilities.")
        .def(
            "set_parameters",
            [](WordAligner& self, double forward_tension, double reverse_tension,
               const ArrayIn<float>& probabilities) {
                without_gil([&] {
                    self.set_parameters(forward_tension, reverse_tension, as_span(probabilities));
                });
            },
            nb::arg("forward_tension"), nb::arg("reverse_tension"), nb::arg("probabilities"),
            "Go on with the parameters of another process.")
        .def_prop_ro("used", &WordAligner::used,
                     "How many sentence pairs the model is estimated from.");
}

}  // namespace

void bind_extract(nb::module_& m) {
    bind_extraction(m);
    bind_shared_extraction(m);
    bind_patterns(m);
    bind_word_aligner(m);
}

}  // namespace hopefear::bindings
