#include "hopefear/learn/forest_mira.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"

namespace hopefear::bindings {

namespace {

std::vector<WordId> copy(const ArrayIn<WordId>& numbers) {
    return {numbers.data(), numbers.data() + numbers.size()};
}

// Edges, exact statistics and score.
auto to_arrays(const HopeFear::Found& found) {
    return std::tuple(to_array(std::vector(found.edges)), to_array(std::vector(found.statistics)),
                      found.score);
}

}  // namespace

void bind_forest_mira(nb::module_& m) {
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
        nb::arg("document"), "What each statistic adds to the gain, near this document.");
    m.def(
        "hope_fear",
        [](const ForestSet& forests, const BleuForests& split, std::int64_t sentence,
           const ArrayIn<double>& weights, const ArrayIn<double>& gain,
           const ArrayIn<double>& document) {
            HopeFear search(forests, split);
            search.find(forests.checked_forest(sentence), OnlineWeights(as_span(weights), {}),
                        as_span(gain), as_span(document));
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
        "The summed statistics of the best derivations for the metric that can be found.");
    m.def(
        "forest_mira_epoch",
        [](const ForestSet& forests, const BleuForests& split, const CorpusScore& score,
           const ArrayIn<std::int64_t>& order, double max_step, double decay, bool hope_context,
           const KBestMiraState& state) {
            const nb::gil_scoped_release released;
            return forest_mira_epoch(forests, split, score, as_span(order),
                                     {max_step, decay, hope_context}, state);
        },
        nb::arg("forests"), nb::arg("split"), nb::arg("score"), nb::arg("order"), nb::kw_only(),
        nb::arg("max_step"), nb::arg("decay"), nb::arg("hope_context"), nb::arg("state"),
        "One epoch of forest MIRA; returns the next state.");
}

}  // namespace hopefear::bindings
