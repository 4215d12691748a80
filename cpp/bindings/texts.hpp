// Texts as an argument: any sequence of strings.
//
// nanobind converts to std::vector<std::string> in a function that is noexcept, so that a failed
// allocation ends the process. Here it is an exception like any other.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"

namespace hopefear::bindings {

using TextsIn = nb::typed<nb::sequence, nb::str>;
using TextListsIn = nb::typed<nb::sequence, TextsIn>;

// The items of a sequence; the result keeps them. A text is no sequence of texts.
inline nb::object items_of(nb::handle sequence) {
    if (PyUnicode_Check(sequence.ptr())) throw nb::type_error("expected a sequence of texts");
    nb::object items = nb::steal(PySequence_Fast(sequence.ptr(), "expected a sequence of texts"));
    if (!items.is_valid()) throw nb::python_error();
    return items;
}

template <class Visit>
void for_each_item(const nb::object& items, const Visit& visit) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.ptr());
    for (Py_ssize_t i = 0; i < size; ++i) visit(PySequence_Fast_GET_ITEM(items.ptr(), i));
}

// Views of the texts, which the items keep.
inline std::vector<std::string_view> views_of(const nb::object& items) {
    std::vector<std::string_view> views;
    views.reserve(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr())));
    for_each_item(items, [&](PyObject* one) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(one, &size);
        if (text == nullptr) throw nb::python_error();
        views.emplace_back(text, static_cast<std::size_t>(size));
    });
    return views;
}

inline std::vector<std::string> texts_of(nb::handle sequence) {
    const nb::object items = items_of(sequence);
    const auto views = views_of(items);
    return {views.begin(), views.end()};
}

inline std::vector<std::vector<std::string>> text_lists_of(nb::handle sequence) {
    std::vector<std::vector<std::string>> lists;
    for_each_item(items_of(sequence), [&](PyObject* one) { lists.push_back(texts_of(one)); });
    return lists;
}

}  // namespace hopefear::bindings
