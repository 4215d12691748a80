#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include <optional>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/metrics/agreement.hpp"
#include "hopefear/metrics/bleu_references.hpp"
#include "hopefear/metrics/chrf.hpp"
#include "hopefear/metrics/error_rate.hpp"
#include "hopefear/metrics/forest_statistics.hpp"
#include "hopefear/metrics/metric_scores.hpp"
#include "hopefear/metrics/reference_words.hpp"
#include "hopefear/metrics/word_metric.hpp"

namespace hopefear::bindings {

namespace {

std::span<const double> checked(const CorpusScore& score, const ArrayIn<double>& statistics) {
    if (statistics.size() != score.dimension())
        fail<DataError>(statistics.size(), " statistics, but the metric needs ", score.dimension());
    return as_span(statistics);
}

void bind_corpus_score(nb::module_& m) {
    nb::class_<CorpusScore>(
        m, "CorpusScore", "From the summed statistics of a corpus to its score; higher is better.")
        .def_prop_ro("dimension", &CorpusScore::dimension, "The number of statistics.")
        .def(
            "__call__",
            [](const CorpusScore& score, const ArrayIn<double>& statistics) {
                return score(checked(score, statistics));
            },
            nb::arg("statistics"))
        .def(
            "rows",
            [](const CorpusScore& score, const MatrixIn<double>& statistics) {
                return to_array(
                    score_rows(score, {statistics.data(), statistics.size()}, statistics.shape(1)));
            },
            nb::arg("statistics"), "The score of each row of statistics.")
        .def(
            "size",
            [](const CorpusScore& score, const ArrayIn<double>& statistics) {
                return score.size(checked(score, statistics));
            },
            nb::arg("statistics"),
            "The amount of text that the statistics describe, in the metric's unit.")
        .def(
            "first_document",
            [](const CorpusScore& score) { return to_array(score.first_document()); },
            "A small, perfect document, the context in which the first sentence is judged.");
}

// Statistics: references prepared for a metric, and hypotheses compared with them.
using References = std::shared_ptr<const ReferenceWords>;

using Texts = std::vector<std::string>;

void bind_hypotheses(nb::module_& m) {
    nb::class_<ReferenceWords>(m, "ReferenceWords",
                               "The references of each sentence as numbered words.")
        .def(
            "__init__",
            [](ReferenceWords* self, const std::vector<Texts>& references) {
                new (self) ReferenceWords(references);
            },
            nb::arg("references"),
            "references[i] are those of sentence i, their words separated by white space.")
        .def("__len__", &ReferenceWords::size)
        .def(
            "find_all",
            [](const ReferenceWords& references, const Vocabulary& vocabulary,
               const std::optional<Texts>& spellings) {
                return to_array(references.find_all(vocabulary, spellings));
            },
            nb::arg("vocabulary"), nb::arg("spellings") = nb::none(),
            "The number of each word of a vocabulary, -1 for words that are in no reference; if "
            "spellings are given, they are looked up instead of the words.");

    nb::class_<Hypotheses>(m, "Hypotheses", "Hypotheses with the references' word numbers.")
        .def("__len__", [](const Hypotheses& hypotheses) { return hypotheses.size; });

    m.def(
        "text_hypotheses",
        [](References references, const Texts& texts, const ArrayIn<std::int64_t>& sentences) {
            return text_hypotheses(std::move(references), texts,
                                   {sentences.data(), sentences.data() + sentences.size()});
        },
        nb::arg("references"), nb::arg("texts"), nb::arg("sentences"),
        "Texts as hypotheses; sentences[i] is the sentence that texts[i] translates.");
    m.def(
        "nbest_hypotheses",
        [](References references, const NBest& lists, const std::optional<Texts>& spellings) {
            return nbest_hypotheses(std::move(references), lists, spellings);
        },
        nb::arg("references"), nb::arg("lists"), nb::arg("spellings") = nb::none(),
        nb::keep_alive<0, 2>(),
        "The rows of n-best lists as hypotheses; if spellings are given, they are looked up "
        "instead of the lists' words.");
}

void bind_word_metrics(nb::module_& m) {
    nb::class_<WordMetric>(m, "WordMetric", "References prepared for a metric that compares words.")
        .def_prop_ro("dimension", &WordMetric::dimension,
                     "The number of statistics of a hypothesis.")
        .def(
            "statistics",
            [](const WordMetric& metric, const Hypotheses& hypotheses, std::size_t threads) {
                std::vector<double> rows;
                {
                    const nb::gil_scoped_release release;
                    rows = metric.statistics(hypotheses, threads);
                }
                return to_matrix(std::move(rows), metric.dimension());
            },
            nb::arg("hypotheses"), nb::kw_only(), nb::arg("threads") = 0,
            "A row of statistics for each hypothesis.")
        .def("set_statistics", &WordMetric::set_statistics, nb::arg("lists"), nb::arg("hypotheses"),
             nb::kw_only(), nb::arg("threads") = 0, nb::call_guard<nb::gil_scoped_release>(),
             "Store the statistics with the n-best lists from which the hypotheses were made.");

    nb::enum_<ReferenceLength>(m, "ReferenceLength", "Which reference length BLEU uses.")
        .value("closest", ReferenceLength::closest,
               "Closest to the hypothesis; the shorter of two.")
        .value("shortest", ReferenceLength::shortest)
        .value("average", ReferenceLength::average);
    m.attr("MAX_NGRAM_ORDER") = ReferenceAutomaton::max_order;
    nb::class_<BleuReferences, WordMetric>(m, "BleuReferences",
                                           "Statistics m_1 .. m_K, n_1 .. n_K, rho of BLEU.")
        .def(nb::init<References, int, ReferenceLength>(), nb::arg("references"), nb::kw_only(),
             nb::arg("order") = 4, nb::arg("length") = ReferenceLength::closest);
    nb::class_<WerReferences, WordMetric>(m, "WerReferences",
                                          "Edits and reference words of the closest reference.")
        .def(nb::init<References>(), nb::arg("references"));
    nb::class_<WerParts, WordMetric>(m, "WerParts",
                                     "Insertions, deletions and substitutions of WER's edits.")
        .def(nb::init<References>(), nb::arg("references"));
    nb::class_<TerReferences, WordMetric>(
        m, "TerReferences", "Edits with shifts, and the average number of reference words.")
        .def(nb::init<References>(), nb::arg("references"));
}

void bind_chrf(nb::module_& m) {
    nb::class_<ChrfOptions>(m, "ChrfOptions", "Options of chrF.")
        .def(
            "__init__",
            [](ChrfOptions* self, int character_order, int word_order, int beta, bool whitespace,
               bool epsilon_smoothing) {
                new (self)
                    ChrfOptions{character_order, word_order, beta, whitespace, epsilon_smoothing};
            },
            nb::kw_only(), nb::arg("character_order") = 6, nb::arg("word_order") = 0,
            nb::arg("beta") = 2, nb::arg("whitespace") = false,
            nb::arg("epsilon_smoothing") = false)
        .def_prop_ro("dimension", &ChrfOptions::dimension,
                     "The number of statistics of a hypothesis.");
    nb::class_<ChrfReferences>(m, "ChrfReferences", "References prepared for chrF.")
        .def(
            "__init__",
            [](ChrfReferences* self, std::vector<Texts> references, const ChrfOptions& options) {
                new (self) ChrfReferences(std::move(references), options);
            },
            nb::arg("references"), nb::arg("options") = ChrfOptions{})
        .def(
            "statistics",
            [](const ChrfReferences& references, const Texts& texts,
               const ArrayIn<std::int64_t>& sentences, std::size_t threads) {
                std::vector<double> rows;
                {
                    const nb::gil_scoped_release release;
                    rows = references.statistics(texts, as_span(sentences), threads);
                }
                return to_matrix(std::move(rows), references.options().dimension());
            },
            nb::arg("texts"), nb::arg("sentences"), nb::kw_only(), nb::arg("threads") = 0,
            "A row of n-grams in the hypothesis, in the reference and in both for each order.");
}

void bind_agreement(nb::module_& m) {
    m.def(
        "chrf_agreement",
        [](const NBest& lists, const ChrfOptions& options, std::size_t threads) {
            return to_array(without_gil([&] { return chrf_agreement(lists, options, threads); }));
        },
        nb::arg("lists"), nb::arg("options"), nb::kw_only(), nb::arg("threads") = 0,
        "The mean chrF of each hypothesis against the others of its list, from 0 to 1.");
    m.def(
        "bleu_agreement",
        [](const NBest& lists, std::size_t order, std::size_t threads) {
            return to_array(without_gil([&] { return bleu_agreement(lists, order, threads); }));
        },
        nb::arg("lists"), nb::arg("order") = 4, nb::kw_only(), nb::arg("threads") = 0,
        "The mean sentence BLEU+1 of each hypothesis against the others of its list.");
}

void bind_sentence_metrics(nb::module_& m) {
    bind_hypotheses(m);
    bind_word_metrics(m);
    bind_chrf(m);
    bind_agreement(m);
}

// Scores: from statistics to numbers.

std::span<const double> values(const MatrixIn<double>& matrix) {
    return {matrix.data(), matrix.size()};
}

void bind_bleu_options(nb::module_& m) {
    nb::enum_<Smoothing>(m, "Smoothing", "How BLEU treats orders without a match.")
        .value("none", Smoothing::none, "The score is 0.")
        .value("floor", Smoothing::floor, "The value counts as matches.")
        .value("add_k", Smoothing::add_k, "The value is added to all counts of orders above 1.")
        .value("exponential", Smoothing::exponential, "1/2, 1/4, ... count as matches.");
    nb::class_<BleuOptions>(m, "BleuOptions", "Options of BLEU.")
        .def(
            "__init__",
            [](BleuOptions* self, Smoothing smoothing, double value, bool effective_order) {
                new (self) BleuOptions{smoothing, value, effective_order};
            },
            nb::kw_only(), nb::arg("smoothing") = Smoothing::none, nb::arg("value") = 0.0,
            nb::arg("effective_order") = false);
    m.attr("BLEU_PLUS_ONE") = nb::cast(bleu_plus_one);
}

void bind_document(nb::module_& m) {
    m.def(
        "perfect_sentence", [](std::size_t order) { return to_array(perfect_sentence(order)); },
        nb::arg("order"), "Statistics of one perfect sentence of K words.");
    m.def(
        "document_gains",
        [](const ArrayIn<double>& document, const MatrixIn<double>& statistics) {
            return to_array(
                document_gains(as_span(document), values(statistics), statistics.shape(1)));
        },
        nb::arg("document"), nb::arg("statistics"),
        "n_1 (BLEU(document + b) - BLEU(document)) for each row b of statistics.");
    m.def(
        "document_gain",
        [](const ArrayIn<double>& document, const ArrayIn<double>& statistics) {
            return document_gain(as_span(document), as_span(statistics));
        },
        nb::arg("document"), nb::arg("statistics"), "The same for one row.");
    m.def(
        "next_document",
        [](const ArrayIn<double>& document, const ArrayIn<double>& statistics, double decay,
           double least) {
            return to_array(next_document(as_span(document), as_span(statistics), decay, least));
        },
        nb::arg("document"), nb::arg("statistics"), nb::kw_only(), nb::arg("decay"),
        nb::arg("least"), "decay * (document + statistics), but no component below `least`.");
    m.def(
        "are_counts",
        [](const ArrayIn<double>& statistics) { return are_counts(as_span(statistics)); },
        nb::arg("statistics"), "Whether all statistics are finite and not negative.");
    m.def(
        "linear_bleu",
        [](const ArrayIn<double>& document) { return to_array(linear_bleu(as_span(document))); },
        nb::arg("document"), "The gradient of document_gains at b = 0.");
}

void bind_metric_scores(nb::module_& m) {
    bind_bleu_options(m);
    nb::class_<BleuScore, CorpusScore>(m, "BleuScore", "BLEU, from 0 to 1.")
        .def(nb::init<std::size_t, const BleuOptions&>(), nb::arg("order") = 4,
             nb::arg("options") = BleuOptions{});
    nb::class_<ChrfScore, CorpusScore>(m, "ChrfScore", "chrF, from 0 to 1.")
        .def(nb::init<const ChrfOptions&>(), nb::arg("options") = ChrfOptions{});
    nb::class_<ErrorRateScore, CorpusScore>(m, "ErrorRateScore",
                                            "Minus the edits per reference word.")
        .def(nb::init<>());
    nb::class_<MeanScore, CorpusScore>(m, "MeanScore",
                                       "The mean of a sum and a count, negated if lower is better.")
        .def(nb::init<bool>(), nb::kw_only(), nb::arg("higher_is_better") = true);
    bind_document(m);
}

void bind_forest_statistics(nb::module_& m) {
    m.def(
        "forest_statistics",
        [](const BleuReferences& references, const Forest& forest, std::size_t sentence,
           const ArrayIn<WordId>& numbers, std::size_t max_edges) {
            std::optional<ForestStatistics> found;
            {
                const nb::gil_scoped_release release;
                found = references.forest_statistics(forest, sentence, as_span(numbers), max_edges);
            }
            return nb::make_tuple(std::move(found->forest), to_array(std::move(found->edges)),
                                  to_matrix(std::move(found->statistics), references.dimension()));
        },
        nb::arg("references"), nb::arg("forest"), nb::arg("sentence"), nb::arg("numbers"),
        nb::kw_only(), nb::arg("max_edges"),
        nb::sig("def forest_statistics(references: BleuReferences, forest: Forest, sentence: int, "
                "numbers: NDArray[numpy.int32], *, max_edges: int) -> tuple[Forest, "
                "NDArray[numpy.int32], NDArray[numpy.float64]]"),
        "The forest split by reference k-grams, the original edge of each of its edges, and a "
        "row of BLEU statistics for each; numbers[w] is the number of word w in the "
        "references.");
}

}  // namespace

void bind_metrics(nb::module_& m) {
    bind_corpus_score(m);
    bind_sentence_metrics(m);
    bind_metric_scores(m);
    bind_forest_statistics(m);
}

}  // namespace hopefear::bindings
