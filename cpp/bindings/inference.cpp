// Inference over forests: derivations, distributions over them, envelopes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/distribution.hpp"
#include "hopefear/forest/envelope.hpp"
#include "hopefear/forest/kbest.hpp"
#include "hopefear/forest/viterbi.hpp"

namespace hopefear::bindings {

namespace {

using Scores = ArrayIn<double>;
using Edges = ArrayIn<EdgeId>;

std::pair<ArrayOut<FeatureId>, ArrayOut<double>> to_arrays(FeatureVector&& row) {
    return {to_array(std::move(row.first)), to_array(std::move(row.second))};
}

std::tuple<ArrayOut<EdgeId>, ArrayOut<std::int64_t>, ArrayOut<double>> to_arrays(
    DerivationList&& list) {
    return {to_array(std::move(list.edges)), to_array(std::move(list.begin)),
            to_array(std::move(list.scores))};
}

std::pair<ArrayOut<EdgeId>, double> to_arrays(ScoredDerivation&& derivation) {
    return {to_array(std::move(derivation.edges)), derivation.score};
}

template <class T>
std::vector<T> copy(const ArrayIn<T>& array) {
    return {array.data(), array.data() + array.size()};
}

void bind_derivations(nb::module_& m) {
    m.def(
        "derivation_words",
        [](const Forest& forest, const Edges& edges) {
            return to_array(derivation_words(forest, as_span(edges)));
        },
        nb::arg("forest"), nb::arg("edges"), "The word ids of a derivation, from left to right.");
    m.def(
        "derivation_features",
        [](const Forest& forest, const Edges& edges) {
            return to_arrays(derivation_features(forest, as_span(edges)));
        },
        nb::arg("forest"), nb::arg("edges"), "Ids and values of a derivation's features.");
    m.def(
        "derivation_score",
        [](const Forest& forest, const Edges& edges, const Scores& scores) {
            check_edge_scores(forest, as_span(scores));
            return derivation_score(forest, as_span(edges), as_span(scores));
        },
        nb::arg("forest"), nb::arg("edges"), nb::arg("scores"),
        "The sum of the scores of a derivation's edges.");
    m.def(
        "derivation_depths",
        [](const Forest& forest, const Edges& edges) {
            return to_array(derivation_depths(forest, as_span(edges)));
        },
        nb::arg("forest"), nb::arg("edges"),
        "The depth below the root of each edge of a derivation.");
}

void bind_best(nb::module_& m) {
    m.def(
        "score_edges",
        [](const Forest& forest, const Scores& weights) {
            return to_array(without_gil_if_long(
                forest.edge_count(), [&] { return score_edges(forest, as_span(weights)); }));
        },
        nb::arg("forest"), nb::arg("weights"),
        "w · h of each edge; features without a weight have weight 0.");
    m.def(
        "viterbi",
        [](const Forest& forest, const Scores& scores) {
            return to_arrays(without_gil_if_long(forest.edge_count(),
                                                 [&] { return viterbi(forest, as_span(scores)); }));
        },
        nb::arg("forest"), nb::arg("scores"), "The best derivation and its score.");
    m.def(
        "max_marginals",
        [](const Forest& forest, const Scores& scores) {
            return to_array(without_gil([&] { return max_marginals(forest, as_span(scores)); }));
        },
        nb::arg("forest"), nb::arg("scores"),
        "For each edge the score of the best derivation that uses it.");
    m.def(
        "count_derivations", [](const Forest& forest) { return count_derivations(forest).hex(); },
        nb::arg("forest"), nb::call_guard<nb::gil_scoped_release>(),
        "The number of derivations, in hexadecimal.");
    m.def(
        "kbest",
        [](const Forest& forest, const Scores& scores, std::size_t k, bool distinct,
           std::size_t limit) {
            return to_arrays(
                without_gil([&] { return kbest(forest, copy(scores), k, distinct, limit); }));
        },
        nb::arg("forest"), nb::arg("scores"), nb::arg("k"), nb::arg("distinct"), nb::arg("limit"),
        "The k best derivations: edges, the first edge of each, and scores.");
    // Iterators are not thread-safe: `next` keeps the interpreter lock.
    nb::class_<KBest>(m, "KBest", "The best derivations, one after the other.")
        .def(
            "__init__",
            [](KBest* self, const Forest& forest, const Scores& scores, bool distinct,
               std::size_t limit) { new (self) KBest(forest, copy(scores), distinct, limit); },
            nb::arg("forest"), nb::arg("scores"), nb::arg("distinct"), nb::arg("limit"),
            nb::keep_alive<1, 2>())
        .def(
            "next",
            [](KBest& search) {
                auto found = search.next();
                return found ? std::optional(to_arrays(std::move(*found))) : std::nullopt;
            },
            "The next derivation and its score, or None.");
}

void bind_distribution(nb::module_& m) {
    nb::class_<Distribution>(m, "Distribution",
                             "P(d) ∝ exp(score(d) / T) over the derivations of a forest.")
        .def(
            "__init__",
            [](Distribution* self, const Forest& forest, const Scores& scores, double temperature) {
                without_gil(
                    [&] { return new (self) Distribution(forest, as_span(scores), temperature); });
            },
            nb::arg("forest"), nb::arg("scores"), nb::arg("temperature"), nb::keep_alive<1, 2>())
        .def_prop_ro("log_partition", &Distribution::log_partition,
                     "log of the sum of exp(score / T).")
        .def_prop_ro(
            "conditional",
            [](nb::handle self) {
                return view(nb::cast<const Distribution&>(self).conditional(), self);
            },
            "Probability of each edge given its head.")
        .def(
            "posteriors",
            [](const Distribution& p) {
                Posteriors expected = without_gil([&] { return p.posteriors(); });
                return std::pair(to_array(std::move(expected.edges)),
                                 to_array(std::move(expected.nodes)));
            },
            "Expected number of uses of each edge and of each node.")
        .def(
            "expectation",
            [](const Distribution& p, const Scores& values) {
                return without_gil([&] { return p.expectation(as_span(values)); });
            },
            nb::arg("values"), "Expectation of the sum of edge values over a derivation.")
        .def(
            "expected_features",
            [](const Distribution& p) {
                return to_arrays(without_gil([&] { return p.expected_features(); }));
            },
            "Ids and values of the expected features.")
        .def(
            "covariance",
            [](const Distribution& p, const Scores& values) {
                return to_arrays(without_gil([&] { return p.covariance(as_span(values)); }));
            },
            nb::arg("values"), "Ids and values of the covariance of edge values with features.")
        .def(
            "edge_covariance",
            [](const Distribution& p, const Scores& values) {
                return to_array(without_gil([&] { return p.edge_covariance(as_span(values)); }));
            },
            nb::arg("values"), "Covariance of edge values with the number of uses of each edge.")
        .def(
            "sample",
            [](const Distribution& p, std::size_t count, std::uint64_t seed) {
                return to_arrays(without_gil([&] { return p.sample(count, seed); }));
            },
            nb::arg("count"), nb::arg("seed"),
            "Sampled derivations: edges, the first edge of each, and scores.");
}

}  // namespace

void bind_inference(nb::module_& m) {
    bind_derivations(m);
    bind_best(m);
    bind_distribution(m);
    nb::class_<Envelope>(m, "Envelope", "The upper envelope of a forest along a direction.")
        .def(
            "__init__",
            [](Envelope* self, const Forest& forest, const Scores& intercepts,
               const Scores& slopes) {
                without_gil([&] {
                    return new (self) Envelope(forest, as_span(intercepts), as_span(slopes));
                });
            },
            nb::arg("forest"), nb::arg("intercepts"), nb::arg("slopes"))
        .def("__len__", [](const Envelope& envelope) { return envelope.lines().size(); })
        .def_prop_ro(
            "slopes", [](const Envelope& envelope) { return to_array(envelope.slopes()); },
            nb::rv_policy::move, "Slope of each line, increasing.")
        .def_prop_ro(
            "intercepts", [](const Envelope& envelope) { return to_array(envelope.intercepts()); },
            nb::rv_policy::move, "Score of each line's derivation at step 0.")
        .def_prop_ro(
            "breakpoints",
            [](const Envelope& envelope) { return to_array(envelope.breakpoints()); },
            nb::rv_policy::move,
            "Step from which each line is the highest; the first is minus infinity.")
        .def(
            "derivation",
            [](const Envelope& envelope, std::size_t line) {
                return to_array(envelope.derivation(line));
            },
            nb::arg("line"), "The edges of a line's derivation.");
}

}  // namespace hopefear::bindings
