#include "hopefear/metrics/corpus_score.hpp"

#include "bindings.hpp"
#include "hopefear/base/error.hpp"

namespace hopefear::bindings {

namespace {

std::span<const double> checked(const CorpusScore& score, const ArrayIn<double>& statistics) {
    if (statistics.size() != score.dimension())
        fail<DataError>(statistics.size(), " statistics, but the metric works with ",
                        score.dimension());
    return as_span(statistics);
}

}  // namespace

void bind_corpus_score(nb::module_& m) {
    nb::class_<CorpusScore>(
        m, "CorpusScore", "From the summed statistics of a corpus to its score; higher is better.")
        .def_prop_ro("dimension", &CorpusScore::dimension, "How many statistics there are.")
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
            nb::arg("statistics"), "How much text the statistics stand for, in the metric's unit.")
        .def(
            "first_document",
            [](const CorpusScore& score) { return to_array(score.first_document()); },
            "A small document without a mistake, in whose context a first sentence can be judged.");
}

}  // namespace hopefear::bindings
