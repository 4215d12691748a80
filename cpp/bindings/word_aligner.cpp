#include "hopefear/extract/word_aligner.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_word_aligner(nb::module_& m) {
    using extraction::TextParser;
    nb::class_<DirectedAlignments>(m, "DirectedAlignments", "Alignments in both directions.")
        .def_ro("forward", &DirectedAlignments::forward, "In which each target word has chosen.")
        .def_ro("reverse", &DirectedAlignments::reverse, "In which each source word has chosen.");
    nb::class_<WordAligner>(m, "WordAligner", "Aligns the words of a bitext, in both directions.")
        .def(
            "__init__",
            [](WordAligner* self, TextParser& source, TextParser& target, double null_probability,
               double tension, double concentration, std::size_t max_length, std::size_t memory,
               std::size_t threads) {
                new (self) WordAligner(
                    source.text(), target.text(),
                    {null_probability, tension, concentration, max_length, memory, threads});
            },
            nb::arg("source"), nb::arg("target"), nb::kw_only(), nb::arg("null_probability"),
            nb::arg("tension"), nb::arg("concentration"), nb::arg("max_length"), nb::arg("memory"),
            nb::arg("threads"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::call_guard<nb::gil_scoped_release>(), "Both texts, which must stay as they are.")
        .def("iterate", &WordAligner::iterate, nb::call_guard<nb::gil_scoped_release>(),
             "An iteration of expectation maximization.")
        .def("align", &WordAligner::align, nb::call_guard<nb::gil_scoped_release>(),
             "The most probable links.")
        .def_prop_ro("used", &WordAligner::used,
                     "How many sentence pairs the model is estimated from.");
}

}  // namespace hopefear::bindings
