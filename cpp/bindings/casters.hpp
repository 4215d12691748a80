// Strings and lists from Python. nanobind's own conversions are noexcept: where they find no
// memory, the process ends. These throw, as all other code does, and Python gets a MemoryError.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/detail/nb_list.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>
#include <vector>

namespace nanobind::detail {

// After a call of Python that failed: whether the argument is of another kind.
inline bool refused() {
    if (PyErr_ExceptionMatches(PyExc_MemoryError) != 0) throw python_error();
    PyErr_Clear();
    return false;
}

template <>
struct type_caster<std::string> {
    NB_TYPE_CASTER(std::string, const_name("str"))

    bool from_python(handle source, uint32_t, cleanup_list*) {
        if (PyUnicode_Check(source.ptr()) == 0) return false;
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
        if (text == nullptr) return refused();
        value.assign(text, static_cast<std::size_t>(size));
        return true;
    }

    static handle from_cpp(const std::string& value, rv_policy, cleanup_list*) noexcept {
        return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
    }
};

template <class T>
struct type_caster<std::vector<T>> : list_caster<std::vector<T>, T> {
    bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) {
        PyObject* const given = source.ptr();
        if (PySequence_Check(given) == 0 || PyUnicode_Check(given) != 0 ||
            PyBytes_Check(given) != 0)
            return false;
        const object items = steal(PySequence_Fast(given, "expected a sequence"));
        if (!items.is_valid()) return refused();
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.ptr());
        this->value.clear();
        this->value.reserve(static_cast<std::size_t>(size));
        make_caster<T> caster;
        flags = flags_for_local_caster<T>(flags);
        for (Py_ssize_t i = 0; i < size; ++i) {
            const handle item = PySequence_Fast_GET_ITEM(items.ptr(), i);
            if (!caster.from_python(item, flags, cleanup) || !caster.template can_cast<T>())
                return false;
            this->value.push_back(caster.operator cast_t<T>());
        }
        return true;
    }
};

template <class T>
struct type_caster<std::optional<std::vector<T>>> : optional_caster<std::optional<std::vector<T>>> {
    bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) {
        this->value.reset();
        if (source.is_none()) return true;
        make_caster<std::vector<T>> caster;
        if (!caster.from_python(source, flags, cleanup)) return false;
        this->value = std::move(caster.value);
        return true;
    }
};

}  // namespace nanobind::detail
