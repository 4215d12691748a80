#include "hopefear/io/moses_hypergraph.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace hopefear::bindings {

void bind_moses_hypergraph(nb::module_& m) {
    m.def(
        "parse_moses_hypergraph",
        [](const nb::bytes& text, const std::string& file, const std::shared_ptr<Vocabulary>& words,
           const std::shared_ptr<Vocabulary>& feature_names) {
            return parse_moses_hypergraph({text.c_str(), text.size()}, file, words, feature_names);
        },
        nb::arg("text"), nb::arg("file"), nb::arg("words"), nb::arg("feature_names"),
        "The forest that a file in Moses' or cdec's form has; `file` is for messages.");
    m.def(
        "format_moses_hypergraph",
        [](const Forest& forest, bool covered) {
            const std::string text = format_moses_hypergraph(forest, covered);
            return nb::bytes(text.data(), text.size());
        },
        nb::arg("forest"), nb::arg("covered"),
        "The text of a forest in Moses' form, or without `covered` in cdec's.");
}

}  // namespace hopefear::bindings
