// Forests of a whole data set, as batch learners use them.
#include "hopefear/forest/forest_set.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/base/string_table.hpp"
#include "hopefear/forest/forest_lists.hpp"
#include "hopefear/search/forest_lines.hpp"

namespace hopefear::bindings {

void bind_forest_set(nb::module_& m) {
    nb::class_<ForestSet>(m, "ForestSet", "The forests of a data set, one for each sentence.")
        .def(nb::init<std::vector<std::shared_ptr<const Forest>>>(), nb::arg("forests"),
             nb::sig("def __init__(self, forests: Sequence[Forest | None]) -> None"))
        .def("__len__", &ForestSet::size)
        .def_prop_ro("edge_count", &ForestSet::edge_count, "Edges of all forests.");
    nb::class_<StringTable>(m, "StringTable", "Translations, each kept once for each sentence.")
        .def(nb::init<>())
        .def("__len__", &StringTable::size)
        .def(
            "texts",
            [](const StringTable& table, std::size_t begin, const Vocabulary& words) {
                auto found = without_gil([&] { return table.texts(begin, words); });
                return std::pair(std::move(found.texts), to_array(std::move(found.sentences)));
            },
            nb::arg("begin"), nb::arg("words"),
            "The texts from number `begin` on, and the sentence of each.");
    m.def(
        "score_forests",
        [](const ForestSet& forests, const ArrayIn<double>& weights, std::size_t threads) {
            return to_array(
                without_gil([&] { return score_edges(forests, as_span(weights), threads); }));
        },
        nb::arg("forests"), nb::arg("weights"), nb::arg("threads"),
        "w . h of each edge, forest after forest.");
    m.def(
        "forest_feature_spread",
        [](const ForestSet& forests, std::size_t features, std::size_t threads) {
            FeatureSpread spread =
                without_gil([&] { return feature_spread(forests, features, threads); });
            return std::pair(to_array(std::move(spread.derivations)),
                             to_array(std::move(spread.edges)));
        },
        nb::arg("forests"), nb::arg("features"), nb::arg("threads"),
        "The deviation of each feature among derivations, and among the edges of a node.");
    m.def(
        "forest_feature_counts",
        [](const ForestSet& forests, std::size_t features) {
            return to_array(without_gil([&] { return count_features(forests, features); }));
        },
        nb::arg("forests"), nb::arg("features"), "In how many forests each feature is.");
    m.def(
        "find_edge_value_above",
        [](const ForestSet& forests, double bound) {
            std::optional<std::tuple<std::size_t, EdgeId, FeatureId, double>> found;
            if (const auto at = without_gil([&] { return find_value_above(forests, bound); }))
                found = {at->sentence, at->edge, at->feature, at->value};
            return found;
        },
        nb::arg("forests"), nb::arg("bound"),
        "Sentence, edge, feature and value of the first value that is larger than this in size.");
    m.def(
        "forest_checksum",
        [](const ForestSet& forests) { return without_gil([&] { return checksum(forests); }); },
        nb::arg("forests"), "A number that tells forests from others; words count by their ids.");
    m.def(
        "forest_lines",
        [](const ForestSet& forests, const ArrayIn<double>& scores, const ArrayIn<double>& slopes,
           StringTable& table, std::size_t threads) {
            ForestLines lines = without_gil([&] {
                return forest_lines(forests, as_span(scores), as_span(slopes), table, threads);
            });
            return std::tuple(to_array(std::move(lines.offsets)), to_array(std::move(lines.slopes)),
                              to_array(std::move(lines.intercepts)),
                              to_array(std::move(lines.strings)));
        },
        nb::arg("forests"), nb::arg("scores"), nb::arg("slopes"), nb::arg("table"),
        nb::arg("threads"),
        "The upper envelope of each forest: where its lines begin; slope, intercept and string of "
        "each.");
    m.def(
        "best_strings",
        [](const ForestSet& forests, const ArrayIn<double>& scores, StringTable& table,
           std::size_t threads) {
            return to_array(without_gil(
                [&] { return best_strings(forests, as_span(scores), table, threads); }));
        },
        nb::arg("forests"), nb::arg("scores"), nb::arg("table"), nb::arg("threads"),
        "The string of each forest's best derivation; -1 where there is no forest.");
    m.def(
        "add_kbest",
        [](const ForestSet& forests, const ArrayIn<double>& scores, NBestBuilder& builder,
           const ArrayIn<std::int64_t>& sentences, std::size_t size, bool distinct,
           std::size_t limit, std::size_t threads) {
            return without_gil([&] {
                return add_kbest(forests, as_span(scores), as_span(sentences),
                                 {size, distinct, limit}, threads, builder);
            });
        },
        nb::arg("forests"), nb::arg("scores"), nb::arg("builder"), nb::arg("sentences"),
        nb::kw_only(), nb::arg("size"), nb::arg("distinct"), nb::arg("limit"), nb::arg("threads"),
        "Add the k best derivations of some forests to n-best lists; returns how many were new.");
}

}  // namespace hopefear::bindings
