// Included by every binding file: nanobind, and the conversion of arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "casters.hpp"

namespace nb = nanobind;

namespace hopefear::bindings {

// A contiguous array argument. Nothing is converted: a wrong type is a TypeError.
template <class T>
using ArrayIn = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using MatrixIn = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using ArrayOut = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using MatrixOut = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <class T>
std::span<const T> as_span(const ArrayIn<T>& array) {
    return {array.data(), array.size()};
}

// Move a vector into an array that owns it.
template <class T>
ArrayOut<T> to_array(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return ArrayOut<T>(owned->data(), {owned->size()}, owner);
}
template <class T>
MatrixOut<T> to_matrix(std::vector<T>&& values, std::size_t columns) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return MatrixOut<T>(owned->data(), {columns ? owned->size() / columns : 0, columns}, owner);
}

// A read-only view of memory that lives as long as the Python object `owner`.
template <class T>
ArrayOut<const T> view(std::span<const T> values, nb::handle owner) {
    return ArrayOut<const T>(values.data(), {values.size()}, owner);
}

// Run `work` without the interpreter lock and return its result.
template <class Work>
auto without_gil(const Work& work) {
    const nb::gil_scoped_release released;
    return work();
}

// The same for work of so many steps, of about 10 ns each. Brief work keeps the lock: waiting until
// another thread gives it back takes longer, and online learners do much that is brief.
template <class Work>
auto without_gil_if_long(std::size_t steps, const Work& work) {
    constexpr std::size_t brief = 10'000;
    std::optional<nb::gil_scoped_release> released;
    if (steps > brief) released.emplace();
    return work();
}

// Add a method to a class that another file here binds.
template <class T, class Function, class... Extra>
void def_method(const char* name, Function&& function, const Extra&... extra) {
    nb::cpp_function_def<T>(std::forward<Function>(function), nb::scope(nb::type<T>()),
                            nb::name(name), nb::is_method(), extra...);
}

// One function for each binding file.
void bind_nbest(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_search(nb::module_& m);
void bind_learn(nb::module_& m);
void bind_online(nb::module_& m);
void bind_grammar(nb::module_& m);
void bind_lm(nb::module_& m);
void bind_decode(nb::module_& m);
void bind_extract(nb::module_& m);
void bind_io(nb::module_& m);

}  // namespace hopefear::bindings
