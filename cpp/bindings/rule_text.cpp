#include "hopefear/io/rule_text.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_rule_text(nb::module_& m) {
    using Table = RuleTextForm::Table;
    nb::enum_<Table>(m, "RuleTable", "How rules are written as text.")
        .value("moses", Table::moses)
        .value("hiero", Table::hiero);
    nb::class_<RuleParser>(m, "RuleParser", "Reads rules from pieces of a file into a builder.")
        .def(
            "__init__",
            [](RuleParser* self, GrammarBuilder& builder, Table table, const std::string& label,
               bool negate, const std::string& file) {
                new (self) RuleParser(builder, {table, label, negate}, file);
            },
            nb::arg("builder"), nb::arg("table"), nb::arg("label"), nb::arg("negate"),
            nb::arg("file"), nb::keep_alive<1, 2>(),
            "Numbers without names are named after the label.")
        .def(
            "feed",
            [](RuleParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may go on in the next piece.")
        .def("finish", &RuleParser::finish, "Read what is left: the last line may lack its end.")
        .def_prop_ro("line_count", &RuleParser::lines, "Lines so far.");
    m.def(
        "write_rules",
        [](const Grammar& grammar, Table table, const std::function<void(nb::bytes)>& sink) {
            write_rules(grammar, table, [&](std::string_view piece) {
                sink(nb::bytes(piece.data(), piece.size()));
            });
        },
        nb::arg("grammar"), nb::arg("table"), nb::arg("sink"),
        "Write all rules as text, which is handed to `sink` in pieces.");
}

}  // namespace hopefear::bindings
