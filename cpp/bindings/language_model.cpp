#include "hopefear/language_model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_language_model(nb::module_& m) {
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
            "log10 p(words), from <s> and up to </s> unless told otherwise.");
}

}  // namespace hopefear::bindings
