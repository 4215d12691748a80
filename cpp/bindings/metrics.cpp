// Statistics: references prepared for a metric, and hypotheses compared with them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/metrics/bleu_references.hpp"
#include "hopefear/metrics/chrf.hpp"
#include "hopefear/metrics/error_rate.hpp"
#include "hopefear/metrics/reference_words.hpp"
#include "hopefear/metrics/word_metric.hpp"

namespace hopefear::bindings {

namespace {

using References = std::shared_ptr<const ReferenceWords>;

void bind_hypotheses(nb::module_& m) {
    nb::class_<ReferenceWords>(m, "ReferenceWords",
                               "The references of each sentence as numbered words.")
        .def(nb::init<const std::vector<std::vector<std::string>>&>(), nb::arg("references"),
             "references[i] are those of sentence i, their words separated by white space.")
        .def("__len__", &ReferenceWords::size)
        .def(
            "find_all",
            [](const ReferenceWords& references, const Vocabulary& vocabulary,
               const std::optional<std::vector<std::string>>& spellings) {
                return to_array(references.find_all(vocabulary, spellings));
            },
            nb::arg("vocabulary"), nb::arg("spellings") = nb::none(),
            "The number of each word of a vocabulary, -1 for words that are in no reference; "
            "spellings, if given, are looked up in place of the words.");

    nb::class_<Hypotheses>(m, "Hypotheses", "Hypotheses in the numbers of the references' words.")
        .def("__len__", [](const Hypotheses& hypotheses) { return hypotheses.size; });

    m.def(
        "text_hypotheses",
        [](References references, std::vector<std::string> texts,
           const ArrayIn<std::int64_t>& sentences) {
            return text_hypotheses(std::move(references), std::move(texts),
                                   {sentences.data(), sentences.data() + sentences.size()});
        },
        nb::arg("references"), nb::arg("texts"), nb::arg("sentences"),
        "Texts as hypotheses; sentences[i] is the sentence that texts[i] translates.");
    m.def("nbest_hypotheses", &nbest_hypotheses, nb::arg("references"), nb::arg("lists"),
          nb::arg("spellings") = nb::none(), nb::keep_alive<0, 2>(),
          "The rows of n-best lists as hypotheses; spellings, if given, are looked up in place of "
          "the lists' words.");
}

void bind_word_metrics(nb::module_& m) {
    nb::class_<WordMetric>(m, "WordMetric", "References as a metric that compares words sees them.")
        .def_prop_ro("dimension", &WordMetric::dimension,
                     "How many numbers the statistics of a hypothesis are.")
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
             "Store the statistics with the n-best lists that the hypotheses were made of.");

    nb::enum_<ReferenceLength>(m, "ReferenceLength", "Which reference length BLEU counts.")
        .value("closest", ReferenceLength::closest, "To the hypothesis; the shorter of two.")
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
    nb::class_<TerReferences, WordMetric>(
        m, "TerReferences", "Edits with shifts, and the average number of reference words.")
        .def(nb::init<References>(), nb::arg("references"));
}

void bind_chrf(nb::module_& m) {
    nb::class_<ChrfOptions>(m, "ChrfOptions", "How chrF is counted and computed.")
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
                     "How many numbers the statistics of a hypothesis are.");
    nb::class_<ChrfReferences>(m, "ChrfReferences", "References as chrF sees them.")
        .def(nb::init<std::vector<std::vector<std::string>>, const ChrfOptions&>(),
             nb::arg("references"), nb::arg("options") = ChrfOptions{})
        .def(
            "statistics",
            [](const ChrfReferences& references, const std::vector<std::string>& texts,
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

}  // namespace

void bind_metrics(nb::module_& m) {
    bind_hypotheses(m);
    bind_word_metrics(m);
    bind_chrf(m);
}

}  // namespace hopefear::bindings
