#include "hopefear/search/error_surface.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"

namespace hopefear::bindings {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void bind_search(nb::class_<ErrorSurface>& surface) {
    surface
        .def(
            "search",
            [](const ErrorSurface& self, const CorpusScore& score, double lower, double upper) {
                return without_gil([&] { return line_search(self, score, lower, upper); });
            },
            nb::arg("score"), nb::arg("lower") = -infinity, nb::arg("upper") = infinity,
            "Find the step with the best score between two bounds.")
        .def(
            "search_scores",
            [](const ErrorSurface& self, const ArrayIn<double>& scores, double score_at_zero,
               double lower, double upper) {
                return line_search(self, as_span(scores), score_at_zero, lower, upper);
            },
            nb::arg("scores"), nb::arg("score_at_zero"), nb::arg("lower") = -infinity,
            nb::arg("upper") = infinity,
            "The same with a score for each row of the table, and that at step 0.");
}

}  // namespace

void bind_error_surface(nb::module_& m) {
    nb::class_<LineSearchResult>(m, "LineSearchResult", "Where a line search ended.")
        .def_ro("step", &LineSearchResult::step, "The best step; 0 if none is better.")
        .def_ro("score", &LineSearchResult::score, "The score there.")
        .def_ro("score_at_zero", &LineSearchResult::score_at_zero, "The score where it began.");
    nb::class_<ErrorSurface> surface(
        m, "ErrorSurface", "The summed statistics of the best hypotheses along a line of weights.");
    surface
        .def_prop_ro(
            "at_zero", [](const ErrorSurface& self) { return to_array(self.at_zero()); },
            nb::rv_policy::automatic, "The statistics at step 0.")
        .def(
            "table",
            [](const ErrorSurface& self) {
                ErrorSurface::Table table = without_gil([&] { return self.table(); });
                return std::tuple(to_array(std::move(table.breakpoints)),
                                  to_matrix(std::move(table.statistics), self.dimension()));
            },
            "The breakpoints, and the statistics before, between and after them.");
    bind_search(surface);
    m.def(
        "error_surface",
        [](const ArrayIn<std::int64_t>& offsets, const ArrayIn<double>& slopes,
           const ArrayIn<double>& intercepts, const MatrixIn<double>& statistics,
           std::size_t threads) {
            const LineArrays lines{as_span(offsets), as_span(slopes), as_span(intercepts),
                                   std::span(statistics.data(), statistics.size()),
                                   statistics.shape(1)};
            return without_gil([&] { return error_surface(lines, threads); });
        },
        nb::arg("offsets"), nb::arg("slopes"), nb::arg("intercepts"), nb::arg("statistics"),
        nb::arg("threads") = 0,
        "The surface of lines intercept + step * slope; those of sentence i are the ones from "
        "offsets[i] to offsets[i + 1].");
    m.def(
        "nbest_surface",
        [](const NBest& lists, const ArrayIn<double>& origins, const ArrayIn<double>& slopes,
           std::size_t threads) {
            const auto o = as_span(origins);
            const auto s = as_span(slopes);
            return without_gil([&] { return nbest_surface(lists, o, s, threads); });
        },
        nb::arg("lists"), nb::arg("origins"), nb::arg("slopes"), nb::arg("threads") = 0,
        "The surface along w + step * d, given w . h and d . h of each row.");
}

}  // namespace hopefear::bindings
