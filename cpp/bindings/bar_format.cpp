#include "hopefear/io/bar_format.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/io/nbest_parser.hpp"

namespace hopefear::bindings {

namespace {

BarHypothesis parse(std::string_view line, const BarLayout& layout, std::string_view where) {
    try {
        return parse_hypothesis(line, layout);
    } catch (const FormatError& error) {
        fail<FormatError>(where, where.empty() ? "" : ": ", error.what());
    }
}

void bind_layout(nb::module_& m) {
    nb::class_<BarLayout>(m, "BarLayout",
                          "Which field of a line is what: counted from 0, or negative, from the "
                          "end; field 0 is the sentence.")
        .def(
            "__init__",
            [](BarLayout* self, int text, std::optional<int> features, std::optional<int> total,
               bool semicolons, std::vector<std::string> ignored) {
                new (self) BarLayout{text, features, total, semicolons, std::move(ignored)};
            },
            nb::kw_only(), nb::arg("text") = 1, nb::arg("features").none() = 2,
            nb::arg("total").none() = 3, nb::arg("semicolons") = false,
            nb::arg("ignored") = std::vector<std::string>())
        .def_ro("text", &BarLayout::text, "The field of the text.")
        .def_ro("features", &BarLayout::features, "The field of the features, or None.")
        .def_ro("total", &BarLayout::total, "The field of the model score, or None.")
        .def_ro("semicolons", &BarLayout::semicolons, "Whether ';' separates features, too.")
        .def_ro("ignored", &BarLayout::ignored, "Labels that are no features.");
    nb::class_<BarHypothesis>(m, "BarHypothesis", "A hypothesis that was read from a line.")
        .def_ro("sentence", &BarHypothesis::sentence, "Its sentence, counted from 0.")
        .def_ro("text", &BarHypothesis::text, "Its text, without blanks around it.")
        .def_ro("names", &BarHypothesis::names, "The names of its features, as written.")
        .def_ro("values", &BarHypothesis::values, "Their values.")
        .def_ro("total", &BarHypothesis::total, "The model score, or None.")
        .def_ro("others", &BarHypothesis::others, "All other fields.");
}

}  // namespace

void bind_bar_format(nb::module_& m) {
    bind_layout(m);
    m.def("parse_hypothesis", &parse, nb::arg("line"), nb::arg("layout"), nb::arg("where") = "",
          "Parse a line; messages begin with `where`.");
    m.def(
        "format_number",
        [](double value) {
            std::string text;
            append_number(text, value);
            return text;
        },
        nb::arg("value"), "The shortest decimal number that reads back as the same.");
    nb::class_<NBestParser>(m, "NBestParser",
                            "Reads n-best lists from pieces of a file into a builder.")
        .def(nb::init<NBestBuilder&, BarLayout, std::string>(), nb::arg("builder"),
             nb::arg("layout"), nb::arg("file"), nb::keep_alive<1, 2>())
        .def(
            "feed",
            [](NBestParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may go on in the next piece.")
        .def("finish", &NBestParser::finish, "Read what is left: the last line may lack its end.")
        .def_prop_ro("line_count", &NBestParser::lines, "Lines so far.")
        .def_prop_ro("labels", &NBestParser::labels,
                     "The labels that had several values, and how many.");
}

}  // namespace hopefear::bindings
