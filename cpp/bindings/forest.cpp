#include "hopefear/forest/forest.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/forest/builder.hpp"
#include "hopefear/forest/forest_set.hpp"
#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/kbest.hpp"
#include "hopefear/forest/semiring.hpp"
#include "hopefear/search/forest_lines.hpp"

namespace hopefear::bindings {

namespace {

// A property that is one of the forest's arrays.
template <class T>
auto array(std::span<const T> (Forest::*get)() const) {
    return [get](nb::handle self) { return view((nb::cast<const Forest&>(self).*get)(), self); };
}

void bind_builder(nb::module_& m) {
    nb::class_<ForestBuilder>(m, "ForestBuilder",
                              "Builds a forest from nodes and edges in any order.")
        .def(nb::init<std::shared_ptr<Vocabulary>, std::shared_ptr<Vocabulary>>(), nb::arg("words"),
             nb::arg("feature_names"))
        .def(
            "add_node",
            [](ForestBuilder& builder, std::int32_t begin, std::int32_t covered) {
                return builder.add_node({begin, covered});
            },
            nb::arg("begin") = SourceSpan::unknown, nb::arg("covered") = 0,
            "Add a node that covers so many source words, from `begin` on (-1 if unknown).")
        .def(
            "add_edge",
            [](ForestBuilder& builder, NodeId head, const std::vector<NodeId>& tails,
               const std::vector<FeatureId>& ids, const std::vector<double>& values,
               const std::vector<Symbol>& target) {
                return builder.add_edge(head, tails, SparseView{ids, values}, target);
            },
            nb::arg("head"), nb::arg("tails"), nb::arg("feature_ids"), nb::arg("feature_values"),
            nb::arg("target"),
            "Add an edge; in its target side a number >= 0 is a word and ~slot stands for a tail.")
        .def("set_root", &ForestBuilder::set_root, nb::arg("node"), "Set the root.")
        .def(
            "build", [](const ForestBuilder& self) { return self.build(); },
            nb::call_guard<nb::gil_scoped_release>(),
            "Check everything and return the forest of all derivations of the root.")
        .def_prop_ro("words", &ForestBuilder::words, "The words of target sides.")
        .def_prop_ro("feature_names", &ForestBuilder::feature_names, "The names of features.")
        .def_prop_ro("node_count", &ForestBuilder::node_count, "Nodes added.")
        .def_prop_ro("edge_count", &ForestBuilder::edge_count, "Edges added.");
}

void bind_one_forest(nb::module_& m) {
    nb::class_<Forest>(m, "Forest",
                       "All derivations of a sentence: an acyclic hypergraph, in flat arrays.")
        .def_prop_ro("node_count", &Forest::node_count, "Nodes; the last one is the root.")
        .def_prop_ro("edge_count", &Forest::edge_count, "Edges, in the order of their heads.")
        .def_prop_ro("feature_count", &Forest::feature_count,
                     "One more than the largest feature id; the minimum number of weights.")
        .def_prop_ro("words", &Forest::words, "The words of target sides.")
        .def_prop_ro("feature_names", &Forest::feature_names, "The names of features.")
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
            nb::arg("factors"), "A copy with each feature multiplied by its factor.")
        .def(
            "with_features",
            [](const Forest& forest, std::shared_ptr<Vocabulary> names,
               const ArrayIn<std::int64_t>& offsets, const ArrayIn<FeatureId>& ids,
               const ArrayIn<double>& values) {
                return without_gil([&] {
                    const FeatureRows rows =
                        rows_of(as_span(offsets), as_span(ids), as_span(values), names->size());
                    return forest.with_features(std::move(names), rows);
                });
            },
            nb::arg("feature_names"), nb::arg("offsets"), nb::arg("ids"), nb::arg("values"),
            "A copy with other features: edge i has entries offsets[i] to offsets[i + 1], and "
            "values of repeated ids are summed.")
        .def(
            "feature_arrays",
            [](const Forest& forest) {
                RowArrays arrays;
                for (std::size_t edge = 0; edge < forest.edge_count(); ++edge)
                    arrays.add(forest.features(static_cast<EdgeId>(edge)));
                return nb::make_tuple(to_array(std::move(arrays.offsets)),
                                      to_array(std::move(arrays.ids)),
                                      to_array(std::move(arrays.values)));
            },
            nb::sig("def feature_arrays(self) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int32], NDArray[numpy.float64]]"),
            "The features of all edges as offsets, ids and values; see `with_features`.")
        .def(
            "without_words",
            [](const Forest& forest, const ArrayIn<Symbol>& words) {
                return without_gil([&] { return forest.without_words(as_span(words)); });
            },
            nb::arg("words"), "A copy without these words in its target sides.")
        .def_prop_ro("source_begin", array(&Forest::source_begin),
                     "First source word of each node; -1 if unknown.")
        .def_prop_ro("covered", array<std::int32_t>(&Forest::covered),
                     "Number of source words that each node covers.");
    bind_builder(m);
}

// Forests of a whole data set, as batch learners use them.
void bind_forest_set(nb::module_& m) {
    nb::class_<ForestSet>(m, "ForestSet", "The forests of a data set, one for each sentence.")
        .def(nb::init<std::vector<std::shared_ptr<const Forest>>>(), nb::arg("forests"),
             nb::sig("def __init__(self, forests: Sequence[Forest | None]) -> None"))
        .def("__len__", &ForestSet::size)
        .def_prop_ro("edge_count", &ForestSet::edge_count, "Edges of all forests.");
    nb::class_<FoundBefore>(m, "FoundBefore",
                            "The derivations that searches along lines have found.")
        .def(nb::init<>());
    nb::class_<StringTable>(m, "StringTable", "The distinct translations of each sentence.")
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
        "w · h of each edge, forest after forest.");
    m.def(
        "forest_feature_spread",
        [](const ForestSet& forests, std::size_t features, std::size_t threads) {
            FeatureSpread spread =
                without_gil([&] { return feature_spread(forests, features, threads); });
            return std::pair(to_array(std::move(spread.derivations)),
                             to_array(std::move(spread.edges)));
        },
        nb::arg("forests"), nb::arg("features"), nb::arg("threads"),
        "The standard deviation of each feature among derivations, and among the edges of a "
        "node.");
    m.def(
        "forest_feature_counts",
        [](const ForestSet& forests, std::size_t features) {
            return to_array(without_gil([&] { return count_features(forests, features); }));
        },
        nb::arg("forests"), nb::arg("features"), "The number of forests that have each feature.");
    m.def(
        "find_edge_value_above",
        [](const ForestSet& forests, double bound) {
            std::optional<std::tuple<std::size_t, EdgeId, FeatureId, double>> found;
            if (const auto at = without_gil([&] { return find_value_above(forests, bound); }))
                found = {at->sentence, at->edge, at->feature, at->value};
            return found;
        },
        nb::arg("forests"), nb::arg("bound"),
        "Sentence, edge, feature and value of the first value whose absolute value exceeds "
        "`bound`.");
    m.def(
        "forest_checksum",
        [](const ForestSet& forests) { return without_gil([&] { return checksum(forests); }); },
        nb::arg("forests"), "A checksum of forests; words count by their ids.");
    m.def(
        "forest_lines",
        [](const ForestSet& forests, const ArrayIn<double>& scores, const ArrayIn<double>& slopes,
           StringTable& table, FoundBefore& before, std::size_t threads) {
            ForestLines lines = without_gil([&] {
                return forest_lines(forests, as_span(scores), as_span(slopes), table, before,
                                    threads);
            });
            return std::tuple(to_array(std::move(lines.offsets)), to_array(std::move(lines.slopes)),
                              to_array(std::move(lines.intercepts)),
                              to_array(std::move(lines.strings)));
        },
        nb::arg("forests"), nb::arg("scores"), nb::arg("slopes"), nb::arg("table"),
        nb::arg("before"), nb::arg("threads"),
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
        "The string of each forest's best derivation; -1 if there is no forest.");
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
    nb::class_<KBestList>(m, "KBestList", "The best translations of a sentence.")
        .def("__len__", [](const KBestList& list) { return list.texts.size(); })
        .def(
            "add_to",
            [](const KBestList& list, NBestBuilder& builder, std::size_t sentence) {
                return add_list(sentence, list, builder);
            },
            nb::arg("builder"), nb::arg("sentence"),
            "Add the list of a sentence to n-best lists; returns how many hypotheses were new.");
}

// Semirings as values, and the inside and outside values of forests in them.

// Conversion of a semiring's values to and from Python.
template <class S>
struct Face {
    using Type = typename S::Value;
    static Type out(const Type& value) { return value; }
    static Type in(const Type& value) { return value; }
};
template <>
struct Face<CountSemiring> {
    using Type = std::string;
    static Type out(const Natural& value) { return value.hex(); }
    static Natural in(const Type& digits) { return Natural::from_hex(digits); }
};
template <>
struct Face<LogSemiring> {
    using Type = std::pair<double, double>;
    static Type out(LogSemiring::Value value) { return {value.best, value.more}; }
    static LogSemiring::Value in(Type value) { return {value.first, value.second}; }
};
template <>
struct Face<ExpectationSemiring> {
    using Type = std::pair<double, double>;
    static Type out(ExpectationSemiring::Value value) { return {value.p, value.r}; }
    static ExpectationSemiring::Value in(Type value) { return {value.first, value.second}; }
};

template <Semiring S>
void bind_semiring(nb::module_& m, const char* name, const char* doc) {
    using Type = typename Face<S>::Type;
    const auto in = [](const Type& value) { return Face<S>::in(value); };
    const auto out = [](const typename S::Value& value) { return Face<S>::out(value); };
    const auto all = [out](const std::vector<typename S::Value>& values) {
        std::vector<Type> faces;
        std::ranges::transform(values, std::back_inserter(faces), out);
        return faces;
    };
    nb::class_<S>(m, name, doc)
        .def(nb::init<>())
        .def(
            "zero", [out](const S& s) { return out(s.zero()); }, "The value of the impossible.")
        .def(
            "one", [out](const S& s) { return out(s.one()); }, "The value of the empty product.")
        .def(
            "plus",
            [in, out](const S& s, const Type& a, const Type& b) {
                return out(s.plus(in(a), in(b)));
            },
            nb::arg("a"), nb::arg("b"), "Alternatives.")
        .def(
            "times",
            [in, out](const S& s, const Type& a, const Type& b) {
                return out(s.times(in(a), in(b)));
            },
            nb::arg("a"), nb::arg("b"), "Combine parts of one derivation.")
        .def(
            "inside",
            [in, all](const S& s, const Forest& forest, const std::vector<Type>& values) {
                return all(inside(forest, s, [&](EdgeId edge) { return in(values.at(edge)); }));
            },
            nb::arg("forest"), nb::arg("edge_values"), "Inside values of all nodes.")
        .def(
            "outside",
            [in, all](const S& s, const Forest& forest, const std::vector<Type>& values) {
                const auto value = [&](EdgeId edge) { return in(values.at(edge)); };
                return all(outside(forest, s, value, inside(forest, s, value)));
            },
            nb::arg("forest"), nb::arg("edge_values"), "Outside values of all nodes.");
}

void bind_semirings(nb::module_& m) {
    bind_semiring<BooleanSemiring>(m, "BooleanSemiring", "(or, and): is there a derivation?");
    bind_semiring<CountSemiring>(m, "CountSemiring",
                                 "(+, ×) on natural numbers of any size, given in hexadecimal.");
    bind_semiring<ViterbiSemiring>(m, "ViterbiSemiring", "(max, +): the best score.");
    bind_semiring<LogSemiring>(
        m, "LogSemiring",
        "(log of the sum of exp, +), as the best score and the log of the sum relative to it.");
    bind_semiring<RealSemiring>(m, "RealSemiring", "(+, ×): probabilities.");
    bind_semiring<ExpectationSemiring>(m, "ExpectationSemiring",
                                       "Pairs of a probability and an expectation times it.");
}

}  // namespace

void bind_forest(nb::module_& m) {
    bind_one_forest(m);
    bind_forest_set(m);
    bind_semirings(m);
}

}  // namespace hopefear::bindings
