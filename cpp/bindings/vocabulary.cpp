#include "hopefear/vocabulary.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_vocabulary(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary", "Strings numbered from 0 in order of first appearance.")
        .def(nb::init<>())
        .def("add", &Vocabulary::add, nb::arg("text"),
             "The id of a string, which is added if it is new.")
        .def("find", &Vocabulary::find, nb::arg("text"), "The id of a string, or None.")
        .def("__getitem__", &Vocabulary::text, nb::arg("id"))
        .def("__len__", &Vocabulary::size)
        .def_prop_ro("nbytes", &Vocabulary::bytes, "Bytes of memory in use.");
}

}  // namespace hopefear::bindings
