#include "hopefear/base/vocabulary.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_vocabulary(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary", "Strings numbered from 0 in order of first appearance.")
        .def(nb::init<>())
        .def("add", &Vocabulary::add, nb::arg("text"),
             "The id of a string, which is added if it is new.")
        .def("find", &Vocabulary::find, nb::arg("text"), "The id of a string, or None.")
        .def(
            "find_all",
            [](const Vocabulary& vocabulary, const std::vector<std::string_view>& texts) {
                return to_array(vocabulary.find_all(texts));
            },
            nb::arg("texts"), "The ids of many strings; -1 for those that are not here.")
        .def("texts", &Vocabulary::texts, "All strings in the order of their ids.")
        .def("__getitem__", &Vocabulary::text, nb::arg("id"))
        .def("__len__", &Vocabulary::size)
        .def_prop_ro("nbytes", &Vocabulary::bytes, "Bytes of memory in use.");
}

}  // namespace hopefear::bindings
