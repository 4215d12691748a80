#include "hopefear/lm/language_model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_language_model(nb::module_& m) {
    nb::class_<TextScore>(m, "TextScore", "Sums over the words of a text, ends included.")
        .def(nb::init<>())
        .def_ro("log10_probability", &TextScore::log10_probability, "log10 p of all tokens.")
        .def_ro("log10_unknown", &TextScore::log10_unknown, "The part that unknown words have.")
        .def_ro("tokens", &TextScore::tokens, "Words and ends of sentences.")
        .def_ro("unknown", &TextScore::unknown, "Words that the model does not know.");
    nb::class_<LanguageModel>(m, "LanguageModel", "An n-gram model in ARPA or KenLM binary form.")
        .def(nb::init<const std::string&>(), nb::arg("path"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("order", &LanguageModel::order)
        .def("__contains__", &LanguageModel::contains, nb::arg("word"))
        .def(
            "score",
            [](const LanguageModel& model, const std::vector<std::string>& words, bool begin,
               bool end) { return model.score(words, begin, end); },
            nb::arg("words"), nb::kw_only(), nb::arg("begin") = true, nb::arg("end") = true,
            nb::call_guard<nb::gil_scoped_release>(),
            "log10 p(words), from <s> and up to </s> unless told otherwise.")
        .def("score_line", &LanguageModel::score_line, nb::arg("line"), nb::arg("sum"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Add a sentence, words separated by blanks, to a sum.");
}

}  // namespace hopefear::bindings
