// Scores: from statistics to numbers.
#include "hopefear/metrics/metric_scores.hpp"

#include "bindings.hpp"

namespace hopefear::bindings {

namespace {

std::span<const double> values(const MatrixIn<double>& matrix) {
    return {matrix.data(), matrix.size()};
}

void bind_bleu_options(nb::module_& m) {
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
            nb::arg("effective_order") = false);
    m.attr("BLEU_PLUS_ONE") = nb::cast(bleu_plus_one);
}

void bind_document(nb::module_& m) {
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

void bind_metric_scores(nb::module_& m) {
    bind_bleu_options(m);
    nb::class_<BleuScore, CorpusScore>(m, "BleuScore", "BLEU, from 0 to 1.")
        .def(nb::init<std::size_t, const BleuOptions&>(), nb::arg("order") = 4,
             nb::arg("options") = BleuOptions{});
    nb::class_<ChrfScore, CorpusScore>(m, "ChrfScore", "chrF, from 0 to 1.")
        .def(nb::init<const ChrfOptions&>(), nb::arg("options") = ChrfOptions{});
    nb::class_<ErrorRateScore, CorpusScore>(m, "ErrorRateScore",
                                            "Minus the edits for each reference word.")
        .def(nb::init<>());
    nb::class_<MeanScore, CorpusScore>(m, "MeanScore",
                                       "The mean of a sum and a count, or minus the mean.")
        .def(nb::init<bool>(), nb::kw_only(), nb::arg("higher_is_better") = true);
    bind_document(m);
}

}  // namespace hopefear::bindings
