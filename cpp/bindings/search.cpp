// Searching forests for hope and fear, and weights that are learned online.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "hopefear/learn/online_weights.hpp"
#include "hopefear/learn/working_set.hpp"
#include "hopefear/metrics/derivation_statistics.hpp"
#include "hopefear/search/forest_reranking.hpp"
#include "hopefear/search/reference_derivation.hpp"

namespace hopefear::bindings {

namespace {

SparseView row(const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values) {
    return {as_span(ids), as_span(values)};
}

void bind_online_weights(nb::module_& m) {
    nb::class_<OnlineWeights>(m, "OnlineWeights",
                              "Weights that change a few features at a time, and their mean.")
        .def(
            "__init__",
            [](OnlineWeights* self, const ArrayIn<double>& start) {
                new (self) OnlineWeights(as_span(start), {});
            },
            nb::arg("start"))
        .def("__len__", &OnlineWeights::size)
        .def_prop_ro(
            "current",
            [](nb::handle self) {
                return view(nb::cast<const OnlineWeights&>(self).unscaled(), self);
            },
            "The weights as they are now: a view, which changes with them.")
        .def(
            "add",
            [](OnlineWeights& weights, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double step) { weights.checked_add(row(ids, values), step); },
            nb::arg("ids"), nb::arg("values"), nb::arg("step"), "w += step * values.")
        .def("count", &OnlineWeights::count, nb::arg("times") = 1.0,
             "End a step: w counts so many times in the mean.")
        .def(
            "average", [](const OnlineWeights& weights) { return to_array(weights.average()); },
            "The mean over the steps.")
        .def("grown", &OnlineWeights::grown, nb::arg("features"),
             "The same with at least so many features; new ones have weight 0.")
        .def("copy", [](const OnlineWeights& weights) { return OnlineWeights(weights); })
        .def(
            "save", [](const OnlineWeights& weights) { return to_array(weights.save()); },
            "Everything in one array, for `load`.")
        .def_static(
            "load",
            [](const ArrayIn<double>& saved) { return OnlineWeights::load(as_span(saved)); },
            nb::arg("saved"), "What was saved, bit for bit.");
}

void bind_working_set(nb::module_& m) {
    nb::class_<WorkingSet>(m, "WorkingSet",
                           "The hope and some fears: rows h(hope) - h(d), and losses.")
        .def(
            "__init__",
            [](WorkingSet* self, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double gain) { new (self) WorkingSet(row(ids, values), gain); },
            nb::arg("ids"), nb::arg("values"), nb::arg("gain"))
        .def("__len__", &WorkingSet::size)
        .def_prop_ro(
            "ids",
            [](const WorkingSet& set) {
                return to_array(std::vector(set.ids().begin(), set.ids().end()));
            },
            nb::rv_policy::move, "All features of its derivations.")
        .def_prop_ro(
            "rows",
            [](const WorkingSet& set) {
                return to_matrix(std::vector(set.rows().begin(), set.rows().end()),
                                 set.ids().size());
            },
            nb::rv_policy::move, "h(hope) - h(d) of each derivation.")
        .def_prop_ro(
            "losses",
            [](const WorkingSet& set) {
                return to_array(std::vector(set.losses().begin(), set.losses().end()));
            },
            nb::rv_policy::move, "B(hope) - B(d) of each derivation.")
        .def(
            "add",
            [](WorkingSet& set, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double gain) { set.add(row(ids, values), gain); },
            nb::arg("ids"), nb::arg("values"), nb::arg("gain"), "Add a derivation.")
        .def(
            "violations",
            [](const WorkingSet& set, const ArrayIn<double>& weights) {
                return to_array(set.violations(as_span(weights)));
            },
            nb::arg("weights"), "v(d) of each derivation.")
        .def(
            "violation",
            [](const WorkingSet& set, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double gain, const ArrayIn<double>& weights) {
                return set.violation(row(ids, values), gain, as_span(weights));
            },
            nb::arg("ids"), nb::arg("values"), nb::arg("gain"), nb::arg("weights"),
            "v(d) of a derivation that need not be in the set.")
        .def(
            "solve",
            [](const WorkingSet& set, const ArrayIn<double>& weights, const ArrayIn<double>& rates,
               double tolerance, std::size_t max_iterations) {
                return to_array(
                    set.solve(as_span(weights), as_span(rates), tolerance, max_iterations));
            },
            nb::arg("weights"), nb::arg("rates"), nb::kw_only(), nb::arg("tolerance"),
            nb::arg("max_iterations"), "The direction of the step.");
}

void bind_reranker(nb::module_& m) {
    nb::class_<ForestReranker>(m, "ForestReranker",
                               "Searches a forest for hopes and fears, under several weights.")
        .def(
            "__init__",
            [](ForestReranker* self, const Forest& forest, const BleuReferences& references,
               std::size_t sentence, const ArrayIn<WordId>& numbers,
               const ArrayIn<double>& document) {
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
            "Derivations with a large w · h + gain_weight B: edges, where those of each begin, "
            "w · h and statistics.");
}

}  // namespace

void bind_search(nb::module_& m) {
    bind_reranker(m);
    m.def(
        "derivation_statistics",
        [](const WordMetric& metric, const Forest& forest, std::size_t sentence,
           const ArrayIn<WordId>& numbers, const ArrayIn<EdgeId>& edges,
           const ArrayIn<std::int64_t>& begin) {
            return to_matrix(without_gil([&] {
                                 return derivation_statistics(metric, forest, sentence,
                                                              as_span(numbers), as_span(edges),
                                                              as_span(begin));
                             }),
                             metric.dimension());
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
    bind_online_weights(m);
    bind_working_set(m);
}

}  // namespace hopefear::bindings
