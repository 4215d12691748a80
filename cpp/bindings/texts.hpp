// Texts as an argument that are not copied: any sequence of strings.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "bindings.hpp"

namespace hopefear::bindings {

using TextsIn = nb::typed<nb::sequence, nb::str>;

// The items of a sequence; the result keeps them. A text is no sequence of texts.
inline nb::object items_of(nb::handle sequence) {
    if (PyUnicode_Check(sequence.ptr())) throw nb::type_error("expected a sequence of texts");
    nb::object items = nb::steal(PySequence_Fast(sequence.ptr(), "expected a sequence of texts"));
    if (!items.is_valid()) throw nb::python_error();
    return items;
}

// Views of the texts, which the items keep.
inline std::vector<std::string_view> views_of(const nb::object& items) {
    std::vector<std::string_view> views;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
    views.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_ssize_t size = 0;
        const char* const text =
            PyUnicode_AsUTF8AndSize(PySequence_Fast_GET_ITEM(items.ptr(), i), &size);
        if (text == nullptr) throw nb::python_error();
        views.emplace_back(text, static_cast<std::size_t>(size));
    }
    return views;
}

}  // namespace hopefear::bindings
