#include "hopefear/forest/forest.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/forest/builder.hpp"

namespace hopefear::bindings {

namespace {

// A property that is one of the forest's arrays.
template <class T>
auto array(std::span<const T> (Forest::*get)() const) {
    return [get](nb::handle self) { return view((nb::cast<const Forest&>(self).*get)(), self); };
}

void bind_builder(nb::module_& m) {
    nb::class_<ForestBuilder>(m, "ForestBuilder",
                              "Builds a forest from nodes and edges that come in any order.")
        .def(nb::init<std::shared_ptr<Vocabulary>, std::shared_ptr<Vocabulary>>(), nb::arg("words"),
             nb::arg("feature_names"))
        .def(
            "add_node",
            [](ForestBuilder& builder, std::int32_t begin, std::int32_t covered) {
                return builder.add_node({begin, covered});
            },
            nb::arg("begin") = SourceSpan::unknown, nb::arg("covered") = 0,
            "Add a node that covers so many source words, from `begin` on (-1: not known).")
        .def(
            "add_edge",
            [](ForestBuilder& builder, NodeId head, const std::vector<NodeId>& tails,
               const std::vector<FeatureId>& ids, const std::vector<double>& values,
               const std::vector<Symbol>& target) {
                return builder.add_edge(head, tails, SparseView{ids, values}, target);
            },
            nb::arg("head"), nb::arg("tails"), nb::arg("feature_ids"), nb::arg("feature_values"),
            nb::arg("target"),
            "Add an edge; in its target side a number >= 0 is a word, ~slot stands for a tail.")
        .def("set_root", &ForestBuilder::set_root, nb::arg("node"), "Set the root.")
        .def(
            "build", [](const ForestBuilder& self) { return self.build(); },
            nb::call_guard<nb::gil_scoped_release>(),
            "Check everything and make the forest of what the root can reach and complete.")
        .def_prop_ro("words", &ForestBuilder::words, "What target sides number.")
        .def_prop_ro("feature_names", &ForestBuilder::feature_names, "What feature ids number.")
        .def_prop_ro("node_count", &ForestBuilder::node_count, "Nodes added.")
        .def_prop_ro("edge_count", &ForestBuilder::edge_count, "Edges added.");
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Forest>(m, "Forest",
                       "All derivations of a sentence: an acyclic hypergraph, in flat arrays.")
        .def_prop_ro("node_count", &Forest::node_count, "Nodes; the last one is the root.")
        .def_prop_ro("edge_count", &Forest::edge_count, "Edges, in the order of their heads.")
        .def_prop_ro("feature_count", &Forest::feature_count,
                     "One more than the largest feature id: how long weights have to be.")
        .def_prop_ro("words", &Forest::words, "What target sides number.")
        .def_prop_ro("feature_names", &Forest::feature_names, "What feature ids number.")
        .def_prop_ro("nbytes", &Forest::bytes, "Bytes of memory in use.")
        .def_prop_ro("edge_begin", array(&Forest::edge_begin), "First edge of each node, and end.")
        .def_prop_ro("heads", array(&Forest::heads), "Head of each edge.")
        .def_prop_ro("tails", array<NodeId>(&Forest::tails), "Tails, edge after edge.")
        .def_prop_ro("tail_begin", array(&Forest::tail_begin), "First tail of each edge, and end.")
        .def_prop_ro("targets", array(&Forest::targets), "Target sides, edge after edge.")
        .def_prop_ro("target_begin", array(&Forest::target_begin),
                     "First symbol of each edge's target side, and end.")
        .def_prop_ro("values", array(&Forest::values), "Feature values, edge after edge.")
        .def_prop_ro("value_begin", array(&Forest::value_begin),
                     "First feature value of each edge, and end.")
        .def(
            "feature_ids",
            [](nb::handle self, EdgeId edge) {
                const auto& forest = nb::cast<const Forest&>(self);
                return view(forest.features(forest.checked_edge(edge)).ids, self);
            },
            nb::arg("edge"), "Ids of an edge's features, increasing.")
        .def(
            "scaled",
            [](const Forest& forest, const ArrayIn<double>& factors) {
                return without_gil([&] { return forest.scaled(as_span(factors)); });
            },
            nb::arg("factors"), "The same forest with each feature times its factor.")
        .def(
            "without_words",
            [](const Forest& forest, const ArrayIn<Symbol>& words) {
                return without_gil([&] { return forest.without_words(as_span(words)); });
            },
            nb::arg("words"), "The same forest without these words in its target sides.")
        .def_prop_ro("source_begin", array(&Forest::source_begin),
                     "First source word of each node; -1: not known.")
        .def_prop_ro("covered", array<std::int32_t>(&Forest::covered),
                     "Number of source words that each node covers.");
    bind_builder(m);
}

}  // namespace hopefear::bindings
