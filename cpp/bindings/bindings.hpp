// What every binding file needs: nanobind, and how arrays cross the border.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace hopefear::bindings {

// A one-dimensional contiguous array coming in. Nothing is converted: a wrong type is a TypeError.
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

// The result of `work`, done while other Python threads run.
template <class Work>
auto without_gil(const Work& work) {
    const nb::gil_scoped_release released;
    return work();
}

void bind_errors(nb::module_& m);
void bind_corpus_score(nb::module_& m);
void bind_decoder(nb::module_& m);
void bind_decoder_model(nb::module_& m);
void bind_vocabulary(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_word_aligner(nb::module_& m);
void bind_bar_format(nb::module_& m);
void bind_error_surface(nb::module_& m);
void bind_features(nb::module_& m);
void bind_extraction(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_rule_text(nb::module_& m);
void bind_grammar(nb::module_& m);
void bind_forest_set(nb::module_& m);
void bind_forest_mira(nb::module_& m);
void bind_forest_codec(nb::module_& m);
void bind_forest_rescorer(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_language_model(nb::module_& m);
void bind_learning(nb::module_& m);
void bind_language_model_estimation(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_forest_statistics(nb::module_& m);
void bind_metric_scores(nb::module_& m);
void bind_moses_hypergraph(nb::module_& m);
void bind_nbest(nb::module_& m);
void bind_nbest_kernels(nb::module_& m);
void bind_search(nb::module_& m);
void bind_patterns(nb::module_& m);
void bind_semirings(nb::module_& m);
void bind_solvers(nb::module_& m);

}  // namespace hopefear::bindings
