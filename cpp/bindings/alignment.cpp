#include "hopefear/grammar/alignment.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "hopefear/extract/symmetrization.hpp"

namespace hopefear::bindings {

namespace {

void bind_symmetrization(nb::module_& m) {
    using Base = Symmetrization::Base;
    using Final = Symmetrization::Final;
    nb::enum_<Base>(m, "SymmetrizationBase", "Which points are chosen first.")
        .value("intersection", Base::intersection)
        .value("union", Base::union_of_both)
        .value("grow", Base::grow);
    nb::enum_<Final>(m, "SymmetrizationFinal", "Which words a last point must give a link to.")
        .value("none", Final::none)
        .value("either", Final::either)
        .value("both", Final::both);
    m.def(
        "symmetrize_alignments",
        [](const Alignments& forward, const Alignments& reverse, Base base, bool diagonal,
           Final final) {
            return symmetrize(forward, reverse, Symmetrization{base, diagonal, final});
        },
        nb::arg("forward"), nb::arg("reverse"), nb::arg("base"), nb::arg("diagonal"),
        nb::arg("final"), nb::call_guard<nb::gil_scoped_release>(),
        "One alignment of two directed ones.");
}

}  // namespace

void bind_alignment(nb::module_& m) {
    nb::class_<Alignments>(m, "Alignments", "The links between the words of many sentence pairs.")
        .def("__len__", &Alignments::size)
        .def("text", &Alignments::text, nb::arg("sentence"),
             "The links of a sentence, as in Pharaoh files.")
        .def_prop_ro("link_count", &Alignments::link_count, "All links together.");
    nb::class_<AlignmentParser>(m, "AlignmentParser", "Reads Pharaoh files in pieces.")
        .def(nb::init<std::string>(), nb::arg("file"))
        .def(
            "feed",
            [](AlignmentParser& parser, nb::bytes piece) {
                const std::string_view bytes(piece.c_str(), piece.size());
                const nb::gil_scoped_release released;
                parser.feed(bytes);
            },
            nb::arg("piece"), "Read the next bytes; lines may go on in the next piece.")
        .def("finish", &AlignmentParser::finish,
             "Read what is left, the last line may lack its end, and give all that was read.");
    bind_symmetrization(m);
}

}  // namespace hopefear::bindings
