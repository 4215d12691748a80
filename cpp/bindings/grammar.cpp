#include "hopefear/grammar/grammar.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "hopefear/extract/symmetrization.hpp"
#include "hopefear/grammar/alignment.hpp"
#include "hopefear/grammar/builder.hpp"

namespace hopefear::bindings {

namespace {

void bind_symmetrization(nb::module_& m) {
    using Base = Symmetrization::Base;
    using Final = Symmetrization::Final;
    nb::enum_<Base>(m, "SymmetrizationBase", "The points to start from.")
        .value("intersection", Base::intersection)
        .value("union", Base::union_of_both)
        .value("grow", Base::grow);
    nb::enum_<Final>(m, "SymmetrizationFinal", "Which words of a final point must have no link.")
        .value("none", Final::none)
        .value("either", Final::either)
        .value("both", Final::both);
    m.def(
        "symmetrize_alignments",
        [](const Alignments& forward, const Alignments& reverse, Base base, bool diagonal,
           Final final) {
            return symmetrize(forward, reverse, Symmetrization{base, diagonal, final});
        },
        nb::arg("forward"), nb::arg("reverse"), nb::arg("base"), nb::arg("diagonal"),
        nb::arg("final"), nb::call_guard<nb::gil_scoped_release>(),
        "Combine two directed alignments into one.");
}

void bind_alignment(nb::module_& m) {
    nb::class_<Alignments>(m, "Alignments", "The links between the words of many sentence pairs.")
        .def("__len__", &Alignments::size)
        .def("text", &Alignments::text, nb::arg("sentence"),
             "The links of a sentence, as in Pharaoh files.")
        .def_prop_ro("link_count", &Alignments::link_count, "All links together.");
    nb::class_<AlignmentParser>(m, "AlignmentParser", "Reads Pharaoh files in pieces.")
        .def(nb::init<std::string>(), nb::arg("file"))
        .def(
            "feed",
            [](AlignmentParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may continue in the next piece.")
        .def("finish", &AlignmentParser::finish,
             "End the file, whose last line may lack its newline, and return all links.");
    bind_symmetrization(m);
}

void bind_rule(nb::module_& m) {
    nb::enum_<FeatureKind>(m, "FeatureKind", "What the values of a feature are.")
        .value("score", FeatureKind::score)
        .value("probability", FeatureKind::probability)
        .value("count", FeatureKind::count);
    m.def("score_of", &score_of, nb::arg("kind"), nb::arg("value"),
          "The value that the model uses: for a probability its logarithm, at least -100.");
    nb::class_<Link>(m, "Link", "A link between two words, by their positions.")
        .def(
            "__init__",
            [](Link* self, std::uint16_t source, std::uint16_t target) {
                new (self) Link{source, target};
            },
            nb::arg("source"), nb::arg("target"))
        .def_ro("source", &Link::source, "The position of the source word.")
        .def_ro("target", &Link::target, "The position of the target word.");
    nb::class_<Rule>(m, "Rule", "A rule of a grammar without its source side.")
        .def_ro("id", &Rule::id, "The position of the rule in its table.")
        .def_ro("lhs", &Rule::lhs, "The label of the left-hand side.")
        .def_ro("source_length", &Rule::source_length, "The length of the source side.")
        .def_ro("arity", &Rule::arity, "Nonterminals on each side.")
        .def_ro("target", &Rule::target, "A number >= 0 is a word, ~slot a nonterminal.")
        .def_ro("alignment", &Rule::alignment, "Links between words, sorted.")
        .def_ro("features", &Rule::features, "The dense features.")
        .def_ro("sparse_ids", &Rule::sparse_ids, "The ids of other features.")
        .def_ro("sparse_values", &Rule::sparse_values, "Their values.");
}

void bind_builder(nb::module_& m) {
    nb::class_<GrammarBuilder>(m, "GrammarBuilder", "Makes a grammar from rules in any order.")
        .def(nb::init<>())
        .def_prop_ro("source_words", &GrammarBuilder::source_words, "Words of source sides.")
        .def_prop_ro("target_words", &GrammarBuilder::target_words, "Words of target sides.")
        .def_prop_ro("labels", &GrammarBuilder::labels, "Names of nonterminals.")
        .def_prop_ro("feature_names", &GrammarBuilder::feature_names, "Names of features.")
        .def("feature", &GrammarBuilder::feature, nb::arg("name"), nb::arg("kind"),
             "The id of a feature, which is added if it is new.")
        .def(
            "add",
            [](GrammarBuilder& builder, Label lhs, const std::vector<Symbol>& source,
               const std::vector<Symbol>& target, const std::vector<Link>& alignment,
               const std::vector<FeatureId>& ids, const std::vector<float>& values) {
                builder.add(lhs, source, target, alignment, ids, values);
            },
            nb::arg("lhs"), nb::arg("source"), nb::arg("target"), nb::arg("alignment"),
            nb::arg("feature_ids"), nb::arg("feature_values"), "Add a rule.")
        .def_prop_ro("rule_count", &GrammarBuilder::rule_count, "Rules added.")
        .def("build", &GrammarBuilder::build, nb::arg("name"),
             nb::call_guard<nb::gil_scoped_release>(), "The grammar in memory.")
        .def("write",
             nb::overload_cast<const std::string&, std::string>(&GrammarBuilder::write, nb::const_),
             nb::arg("path"), nb::arg("notes"), nb::call_guard<nb::gil_scoped_release>(),
             "Write the grammar to a file.");
}

void bind_grammars(nb::module_& m) {
    bind_rule(m);
    nb::class_<Grammar>(m, "Grammar", "Rules in a memory-mapped table behind a trie.")
        .def(nb::init<const std::string&, bool>(), nb::arg("path"), nb::arg("verify"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("root", &Grammar::root, "The state before any symbol.")
        .def("child", &Grammar::child, nb::arg("state"), nb::arg("symbol"),
             "The child of a state under a symbol, or None.")
        .def(
            "symbols",
            [](nb::handle self, Grammar::State state) {
                return view(nb::cast<const Grammar&>(self).symbols(state), self);
            },
            nb::arg("state"), "The symbols of the children of a state, increasing.")
        .def("first_child", &Grammar::first_child, nb::arg("state"),
             "The state that the first of these symbols leads to; the others follow.")
        .def("rules", &read_rules, nb::arg("state"), "The rules whose source side ends at a state.")
        .def("read", &read_rule, nb::arg("id"), "A rule by its id.")
        .def_prop_ro("rule_count", &Grammar::rule_count, "All rules.")
        .def_prop_ro("source_count", &Grammar::source_count, "Distinct source sides.")
        .def_prop_ro("state_count", &Grammar::state_count, "States of the trie.")
        .def_prop_ro("nbytes", &Grammar::bytes, "The size of the file in bytes.")
        .def_prop_ro("dense_count", &Grammar::dense_count, "Features that every rule has.")
        .def_prop_ro(
            "kinds",
            [](const Grammar& grammar) {
                return std::vector<FeatureKind>(grammar.kinds().begin(), grammar.kinds().end());
            },
            "What the values of each feature are.")
        .def_prop_ro("source_words", &Grammar::source_words, "Words of source sides.")
        .def_prop_ro("target_words", &Grammar::target_words, "Words of target sides.")
        .def_prop_ro("labels", &Grammar::labels, "Names of nonterminals.")
        .def_prop_ro("feature_names", &Grammar::feature_names, "Names of features.")
        .def_prop_ro("notes", &Grammar::notes, "How the grammar was made.")
        .def_prop_ro("name", &Grammar::name, "The file.");
    bind_builder(m);
}

}  // namespace

void bind_grammar(nb::module_& m) {
    bind_alignment(m);
    bind_grammars(m);
}

}  // namespace hopefear::bindings
