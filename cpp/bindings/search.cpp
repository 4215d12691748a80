#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/metrics/forest_statistics.hpp"
#include "hopefear/search/corpus_oracles.hpp"
#include "hopefear/search/error_surface.hpp"
#include "hopefear/search/forest_reranking.hpp"
#include "hopefear/search/hope_fear.hpp"
#include "hopefear/search/reference_derivation.hpp"

namespace hopefear::bindings {

namespace {

using Gains = std::optional<ArrayIn<double>>;

ScaledGains scaled(const Gains& gains, double scale) {
    if (!gains) return {};
    return {as_span(*gains), scale};
}

void bind_best_rows(nb::module_& m) {
    def_method<NBest>(
        "best",
        [](const NBest& lists, const ArrayIn<double>& weights, const Gains& gains, double scale,
           std::size_t threads) {
            const auto w = as_span(weights);
            const ScaledGains g = scaled(gains, scale);
            return to_array(without_gil([&] { return best_rows(lists, w, g, threads); }));
        },
        nb::arg("weights"), nb::arg("gains") = nb::none(), nb::arg("gain_scale") = 1.0,
        nb::arg("threads") = 0,
        "The row of each sentence with the greatest w · h + gain_scale · gain: the 1-best without "
        "gains, the hope with a scale of 1, the fear with -1. Ties go to the first row; a sentence "
        "without hypotheses has -1.");
    def_method<NBest>(
        "best_of",
        [](const NBest& lists, const ArrayIn<double>& scores, const Gains& gains, double scale) {
            const auto s = as_span(scores);
            const ScaledGains g = scaled(gains, scale);
            return to_array(without_gil([&] { return best_rows_of(lists, s, g); }));
        },
        nb::arg("scores"), nb::arg("gains") = nb::none(), nb::arg("gain_scale") = 1.0,
        "The same rows as `best`, from the scores w · h.");
    m.def(
        "corpus_oracles",
        [](const NBest& nbest, const CorpusScore& score, const ArrayIn<std::int64_t>& sentences,
           std::size_t max_passes, const std::optional<ArrayIn<std::int64_t>>& order,
           std::size_t size, bool worst) {
            OracleSearch search{.max_passes = max_passes, .size = size, .worst = worst};
            if (order) search.order = as_span(*order);
            const nb::gil_scoped_release released;
            return corpus_oracles(nbest, score, as_span(sentences), search);
        },
        nb::arg("nbest"), nb::arg("score"), nb::arg("sentences"), nb::kw_only(),
        nb::arg("max_passes") = 10, nb::arg("order") = nb::none(), nb::arg("size") = 0,
        nb::arg("worst") = false,
        "For each sentence the rows of a greedy search for the best corpus score, or for the "
        "worst; among the first `size` rows of each list in the given order.");
}

std::vector<WordId> copy(const ArrayIn<WordId>& numbers) {
    return {numbers.data(), numbers.data() + numbers.size()};
}

// Edges, exact statistics and score.
auto to_arrays(const ForestHopeFear::Found& found) {
    return std::tuple(to_array(std::vector(found.edges)), to_array(std::vector(found.statistics)),
                      found.score);
}

void bind_hope_fear(nb::module_& m) {
    nb::class_<BleuForests>(m, "BleuForests", "Forests with statistics of BLEU on their edges.")
        .def(
            "__init__",
            [](BleuForests* self, const ForestSet& forests,
               std::shared_ptr<const BleuReferences> references, const ArrayIn<WordId>& numbers,
               std::size_t growth, std::size_t threads) {
                without_gil([&] {
                    return new (self)
                        BleuForests(forests, std::move(references), copy(numbers), growth, threads);
                });
            },
            nb::arg("forests"), nb::arg("references"), nb::arg("numbers"), nb::kw_only(),
            nb::arg("growth"), nb::arg("threads"))
        .def_prop_ro("edge_count", &BleuForests::edge_count, "Edges of all split forests.")
        .def_prop_ro("nbytes", &BleuForests::bytes, "Bytes of memory in use.");
    m.def(
        "linear_gain",
        [](const ArrayIn<double>& document) { return to_array(linear_gain(as_span(document))); },
        nb::arg("document"),
        "The derivative of the gain with respect to each statistic, near this document.");
    m.def(
        "hope_fear",
        [](const ForestSet& forests, const BleuForests& split, std::int64_t sentence,
           const ArrayIn<double>& weights, const ArrayIn<double>& gain,
           const ArrayIn<double>& document) {
            ForestHopeFear search(forests, split);
            search.find(forests.checked_forest(sentence), as_span(weights), as_span(gain),
                        as_span(document));
            return std::tuple(to_arrays(search.hope()), to_arrays(search.fear()),
                              to_arrays(search.model()));
        },
        nb::arg("forests"), nb::arg("split"), nb::arg("sentence"), nb::arg("weights"),
        nb::arg("gain"), nb::arg("document"),
        "Hope, fear and 1-best of a sentence: edges, exact statistics and score of each.");
    m.def(
        "oracle_statistics",
        [](const ForestSet& forests, const BleuForests& split, const CorpusScore& score) {
            return to_array(without_gil([&] { return oracle_statistics(forests, split, score); }));
        },
        nb::arg("forests"), nb::arg("split"), nb::arg("score"),
        "The summed statistics of derivations that together score well, found by greedy "
        "search.");
}

void bind_reranker(nb::module_& m) {
    nb::class_<ForestReranker>(m, "ForestReranker",
                               "Searches a forest for hopes and fears, under several weights.")
        .def(
            "__init__",
            [](ForestReranker* self, const Forest& forest, const BleuReferences& references,
               std::size_t sentence, const ArrayIn<WordId>& numbers,
               const ArrayIn<double>& document) {
                const nb::gil_scoped_release released;
                new (self) ForestReranker(forest, references, sentence, as_span(numbers),
                                          as_span(document));
            },
            nb::arg("forest"), nb::arg("references"), nb::arg("sentence"), nb::arg("numbers"),
            nb::arg("document"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "find",
            [](ForestReranker& reranker, const ArrayIn<double>& scores, double gain_weight,
               std::size_t kept) {
                Reranked found =
                    without_gil([&] { return reranker.find(as_span(scores), gain_weight, kept); });
                const std::size_t dimension = found.statistics.size() / found.scores.size();
                return std::tuple(to_array(std::move(found.derivations.edges)),
                                  to_array(std::move(found.derivations.begin)),
                                  to_array(std::move(found.scores)),
                                  to_matrix(std::move(found.statistics), dimension));
            },
            nb::arg("scores"), nb::kw_only(), nb::arg("gain_weight"), nb::arg("kept"),
            "Derivations with a large w · h + gain_weight B: edges, the first edge of each, w · h "
            "and statistics.");
}

void bind_derivation_searches(nb::module_& m) {
    bind_reranker(m);
    m.def(
        "derivation_statistics",
        [](const WordMetric& metric, const Forest& forest, std::size_t sentence,
           const ArrayIn<WordId>& numbers, const ArrayIn<EdgeId>& edges,
           const ArrayIn<std::int64_t>& begin) {
            auto rows = without_gil_if_long(10 * edges.size(), [&] {
                return derivation_statistics(metric, forest, sentence, as_span(numbers),
                                             as_span(edges), as_span(begin));
            });
            return to_matrix(std::move(rows), metric.dimension());
        },
        nb::arg("metric"), nb::arg("forest"), nb::arg("sentence"), nb::arg("numbers"),
        nb::arg("edges"), nb::arg("begin"), "A row of statistics for each derivation.");
    m.def(
        "reference_derivation",
        [](const Forest& forest, const ReferenceWords& references, std::size_t sentence,
           const ArrayIn<WordId>& numbers, const ArrayIn<double>& scores) {
            auto found = without_gil([&] {
                return reference_derivation(forest, references, sentence, as_span(numbers),
                                            as_span(scores));
            });
            return found ? std::optional(to_array(std::move(found->edges))) : std::nullopt;
        },
        nb::arg("forest"), nb::arg("references"), nb::arg("sentence"), nb::arg("numbers"),
        nb::arg("scores"), "The best derivation whose string is a reference, or None.");
}

constexpr double infinity = std::numeric_limits<double>::infinity();

void bind_line_search(nb::class_<ErrorSurface>& surface) {
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
            "The same, given a score for each row of the table and the score at step 0.");
}

void bind_error_surface(nb::module_& m) {
    nb::class_<LineSearchResult>(m, "LineSearchResult", "The result of a line search.")
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
    bind_line_search(surface);
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
    def_method<NBest>(
        "error_surface",
        [](const NBest& lists, const ArrayIn<double>& origins, const ArrayIn<double>& slopes,
           std::size_t threads) {
            const auto o = as_span(origins);
            const auto s = as_span(slopes);
            return without_gil([&] { return nbest_surface(lists, o, s, threads); });
        },
        nb::arg("origins"), nb::arg("slopes"), nb::arg("threads") = 0,
        "Summed statistics of the best rows along the line w + γ d, from w · h and d · h of each "
        "row. Och (2003), Minimum error rate training, section 5.");
}

}  // namespace

void bind_search(nb::module_& m) {
    bind_best_rows(m);
    bind_hope_fear(m);
    bind_derivation_searches(m);
    bind_error_surface(m);
}

}  // namespace hopefear::bindings
