#include "hopefear/io/forest_codec.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace hopefear::bindings {

namespace {

nb::bytes to_bytes(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

std::span<const char> as_span(const nb::bytes& bytes) {
    return {bytes.c_str(), bytes.size()};
}

}  // namespace

void bind_forest_codec(nb::module_& m) {
    m.def(
        "encode_forest",
        [](const Forest& forest, Vocabulary& words, Vocabulary& feature_names) {
            return to_bytes(encode_forest(forest, words, feature_names));
        },
        nb::arg("forest"), nb::arg("words"), nb::arg("feature_names"),
        "The bytes of a forest; its words and features are added to the vocabularies.");
    m.def(
        "decode_forest",
        [](const nb::bytes& bytes, const std::shared_ptr<Vocabulary>& words,
           const std::shared_ptr<Vocabulary>& feature_names,
           const ArrayIn<Vocabulary::Id>& word_ids, const ArrayIn<Vocabulary::Id>& feature_ids) {
            const CodecVocabularies vocabularies{words, feature_names, bindings::as_span(word_ids),
                                                 bindings::as_span(feature_ids)};
            const auto stored = as_span(bytes);
            return without_gil([&] { return decode_forest(stored, vocabularies); });
        },
        nb::arg("bytes"), nb::arg("words"), nb::arg("feature_names"), nb::arg("word_ids"),
        nb::arg("feature_ids"),
        "The forest of these bytes; the ids are those that stored numbers stand for.");
    m.def(
        "encode_vocabulary",
        [](const Vocabulary& vocabulary) { return to_bytes(encode_vocabulary(vocabulary)); },
        nb::arg("vocabulary"), "The bytes of a vocabulary.");
    m.def(
        "decode_vocabulary",
        [](const nb::bytes& bytes, Vocabulary& vocabulary) {
            return to_array(decode_vocabulary(as_span(bytes), vocabulary));
        },
        nb::arg("bytes"), nb::arg("vocabulary"), "Add the strings to a vocabulary; their ids.");
}

}  // namespace hopefear::bindings
