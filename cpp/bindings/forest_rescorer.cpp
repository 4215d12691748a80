#include "hopefear/decode/forest_rescorer.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_forest_rescorer(nb::module_& m) {
    nb::class_<PreparedForest>(m, "PreparedForest",
                               "A forest as rescoring needs it, whatever the weights are.")
        .def_prop_ro("bytes", &PreparedForest::bytes, "The memory that it takes.")
        .def_prop_ro("feature_names", &PreparedForest::feature_names, "The names of features.");
    nb::class_<ForestRescorer>(m, "ForestRescorer",
                               "Puts language models into forests; may be used by many threads.")
        .def(
            "__init__",
            [](ForestRescorer* self, const std::vector<NamedLanguageModel>& models,
               const WordFeatures& word_features, std::size_t pop_limit, double beam) {
                new (self) ForestRescorer(models, word_features, RescoreOptions{pop_limit, beam});
            },
            nb::arg("language_models"), nb::arg("word_features"), nb::arg("pop_limit"),
            nb::arg("beam"))
        .def(
            "prepare",
            [](ForestRescorer& self, const Forest& forest) {
                return without_gil([&] { return self.prepare(forest); });
            },
            nb::arg("forest"), "A forest as rescoring needs it, whatever the weights are.")
        .def(
            "rescore",
            [](ForestRescorer& self, const PreparedForest& forest, const ArrayIn<double>& weights,
               bool only_best) {
                return without_gil(
                    [&] { return self.rescore(forest, as_span(weights), only_best); });
            },
            nb::arg("forest"), nb::arg("weights"), nb::arg("only_best"),
            "The forest with language models, or the best derivation of it.");
}

}  // namespace hopefear::bindings
