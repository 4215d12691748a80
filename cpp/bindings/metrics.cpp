#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/bleu.hpp"
#include "hopefear/bleu_references.hpp"
#include "hopefear/reference_words.hpp"

namespace hopefear::bindings {

namespace {

std::vector<std::int64_t> to_vector(const ArrayIn<std::int64_t>& array) {
    return {array.data(), array.data() + array.size()};
}

void bind_references(nb::module_& m) {
    nb::class_<ReferenceWords>(m, "ReferenceWords",
                               "The references of each sentence as numbered words.")
        .def(nb::init<const std::vector<std::vector<std::string>>&>(), nb::arg("references"),
             "references[i] are those of sentence i, their words separated by white space.")
        .def("__len__", &ReferenceWords::size)
        .def("count", &ReferenceWords::count, nb::arg("sentence"),
             "How many references a sentence has.")
        .def("find", &ReferenceWords::find, nb::arg("word"),
             "The number of a word, or -1 if no reference has it.");

    nb::class_<Hypotheses>(m, "Hypotheses", "Hypotheses in the numbers of the references' words.")
        .def("__len__", &Hypotheses::size);

    m.def(
        "text_hypotheses",
        [](std::shared_ptr<const ReferenceWords> references, std::vector<std::string> texts,
           const ArrayIn<std::int64_t>& sentences) {
            return text_hypotheses(std::move(references), std::move(texts), to_vector(sentences));
        },
        nb::arg("references"), nb::arg("texts"), nb::arg("sentences"),
        "Texts as hypotheses; sentences[i] is the sentence that texts[i] translates.");
}

void bind_bleu_options(nb::module_& m) {
    nb::enum_<ReferenceLength>(m, "ReferenceLength", "Which reference length BLEU counts.")
        .value("closest", ReferenceLength::closest, "To the hypothesis; the shorter of two.")
        .value("shortest", ReferenceLength::shortest)
        .value("average", ReferenceLength::average);

    nb::enum_<Smoothing>(m, "Smoothing", "What BLEU does about orders without a match.")
        .value("none", Smoothing::none, "The score is 0.")
        .value("floor", Smoothing::floor, "The value counts as matches.")
        .value("add_k", Smoothing::add_k, "The value is added to all counts of orders above 1.")
        .value("exponential", Smoothing::exponential, "1/2, 1/4, ... count as matches.");

    nb::class_<BleuOptions>(m, "BleuOptions", "How BLEU is computed from statistics.")
        .def(
            "__init__",
            [](BleuOptions* self, Smoothing smoothing, double value, bool effective_order) {
                new (self) BleuOptions{smoothing, value, effective_order};
            },
            nb::kw_only(), nb::arg("smoothing") = Smoothing::none, nb::arg("value") = 0.0,
            nb::arg("effective_order") = false)
        .def_ro("smoothing", &BleuOptions::smoothing)
        .def_ro("value", &BleuOptions::value)
        .def_ro("effective_order", &BleuOptions::effective_order);
}

std::span<const double> values(const MatrixIn<double>& matrix) {
    return {matrix.data(), matrix.size()};
}

void bind_bleu_functions(nb::module_& m) {
    m.def(
        "bleu",
        [](const MatrixIn<double>& statistics, const BleuOptions& options) {
            return to_array(bleu_rows(values(statistics), statistics.shape(1), options));
        },
        nb::arg("statistics"), nb::arg("options") = BleuOptions{},
        "BLEU of each row of statistics, in [0, 1].");
    m.def(
        "bleu_plus_one",
        [](const MatrixIn<double>& statistics) {
            return to_array(bleu_rows(values(statistics), statistics.shape(1), bleu_plus_one));
        },
        nb::arg("statistics"), "Sentence BLEU+1 of each row of statistics, in [0, 1].");
    m.def(
        "perfect_sentence", [](std::size_t order) { return to_array(perfect_sentence(order)); },
        nb::arg("order"), "Statistics of one sentence of K words without a mistake.");
    m.def(
        "document_gains",
        [](const ArrayIn<double>& document, const MatrixIn<double>& statistics) {
            return to_array(
                document_gains(as_span(document), values(statistics), statistics.shape(1)));
        },
        nb::arg("document"), nb::arg("statistics"),
        "n_1 (BLEU(document + b) - BLEU(document)) for each row b of statistics.");
    m.def(
        "linear_bleu",
        [](const ArrayIn<double>& document) { return to_array(linear_bleu(as_span(document))); },
        nb::arg("document"), "The gradient of document_gains at b = 0.");
}

}  // namespace

void bind_metrics(nb::module_& m) {
    bind_references(m);
    bind_bleu_options(m);
    bind_bleu_functions(m);

    m.attr("MAX_NGRAM_ORDER") = ReferenceAutomaton::max_order;
    nb::class_<BleuReferences>(m, "BleuReferences", "References as BLEU sees them.")
        .def(nb::init<std::shared_ptr<const ReferenceWords>, int, ReferenceLength>(),
             nb::arg("references"), nb::kw_only(), nb::arg("order") = 4,
             nb::arg("length") = ReferenceLength::closest)
        .def_prop_ro("order", &BleuReferences::order)
        .def(
            "statistics",
            [](const BleuReferences& references, const Hypotheses& hypotheses,
               std::size_t threads) {
                std::vector<double> rows;
                {
                    const nb::gil_scoped_release release;
                    rows = references.statistics(hypotheses, threads);
                }
                return to_matrix(std::move(rows), references.dimension());
            },
            nb::arg("hypotheses"), nb::kw_only(), nb::arg("threads") = 0,
            "A row of m_1 .. m_K, n_1 .. n_K, rho for each hypothesis.");
}

}  // namespace hopefear::bindings
