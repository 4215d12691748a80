#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "hopefear/base/mapped_file.hpp"
#include "hopefear/lm/estimator.hpp"
#include "hopefear/lm/language_model.hpp"

namespace hopefear::bindings {

namespace {

void bind_language_model(nb::module_& m) {
    m.def(
        "checksum", [](const std::string& path) { return OpenFile(path).checksum(); },
        nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
        "The checksum of a file; it detects damage, not tampering.");
    nb::class_<TextScore>(m, "TextScore",
                          "Sums over the words of a text, including the ends of sentences.")
        .def(nb::init<>())
        .def_ro("log10_probability", &TextScore::log10_probability, "log10 p of all tokens.")
        .def_ro("log10_unknown", &TextScore::log10_unknown, "The part due to unknown words.")
        .def_ro("tokens", &TextScore::tokens, "Words and ends of sentences.")
        .def_ro("unknown", &TextScore::unknown, "Words unknown to the model.");
    nb::class_<LanguageModel>(m, "LanguageModel", "An n-gram model in ARPA or KenLM binary form.")
        .def(nb::init<const std::string&, std::optional<std::uint64_t>>(), nb::arg("path"),
             nb::arg("checksum") = nb::none(), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("order", &LanguageModel::order)
        .def("__contains__", &LanguageModel::contains, nb::arg("word"))
        .def(
            "score",
            [](const LanguageModel& model, const std::vector<std::string>& words, bool begin,
               bool end) { return model.score(words, begin, end); },
            nb::arg("words"), nb::kw_only(), nb::arg("begin") = true, nb::arg("end") = true,
            nb::call_guard<nb::gil_scoped_release>(),
            "log10 p(words), from <s> and up to </s> unless told otherwise.")
        .def("score_line", &LanguageModel::score_line, nb::arg("line"), nb::arg("sum"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Add a sentence, words separated by blanks, to a sum.");
}

using kneser_ney::Estimator;
using kneser_ney::OrderSummary;
using kneser_ney::Progress;
using kneser_ney::Summary;

void bind_language_model_estimation(nb::module_& m) {
    nb::class_<OrderSummary>(m, "OrderSummary", "The n-grams of one order, and their discounts.")
        .def_ro("ngrams", &OrderSummary::ngrams, "How many n-grams the model has.")
        .def_ro("pruned", &OrderSummary::pruned, "How many were pruned.")
        .def_ro("discounts", &OrderSummary::discounts, "D1, D2, D3+.");
    nb::class_<Summary>(m, "EstimationSummary", "What a language model was estimated from.")
        .def_ro("sentences", &Summary::sentences, "Lines of text, empty ones included.")
        .def_ro("tokens", &Summary::tokens, "Words of text, without the ends of sentences.")
        .def_ro("orders", &Summary::orders, "A summary of each order, from 1.");
    nb::class_<Estimator>(m, "LanguageModelEstimator",
                          "Interpolated modified Kneser-Ney estimation from a text in pieces.")
        .def(
            "__init__",
            [](Estimator* self, std::size_t order, const std::vector<std::uint64_t>& prune,
               const std::optional<std::array<double, 3>>& discount_fallback,
               bool skip_special_words, std::size_t memory, const std::string& directory) {
                new (self) Estimator({.order = order,
                                      .prune = prune,
                                      .discount_fallback = discount_fallback,
                                      .skip_special_words = skip_special_words,
                                      .memory = memory,
                                      .directory = directory});
            },
            nb::kw_only(), nb::arg("order"), nb::arg("prune"), nb::arg("discount_fallback").none(),
            nb::arg("skip_special_words"), nb::arg("memory"), nb::arg("directory"))
        .def(
            "count_only",
            [](Estimator& self, std::uint64_t begin, std::uint64_t end, std::uint64_t of) {
                self.count_only({begin, end, of});
            },
            nb::arg("begin"), nb::arg("end"), nb::kw_only(), nb::arg("of"),
            "Of the text that follows, count only sentences whose number, from 0, has a remainder "
            "from `begin` up to `end` when it is divided by `of`.")
        .def("begin_file", &Estimator::begin_file, nb::arg("name"),
             "Begin a file; the name is used in messages.")
        .def(
            "add",
            [](Estimator& self, const nb::bytes& text) {
                const std::string_view bytes(text.c_str(), text.size());
                const nb::gil_scoped_release unlocked;
                self.add(bytes);
            },
            nb::arg("text"), "Add the next piece of the file.")
        .def("end_file", &Estimator::end_file, nb::call_guard<nb::gil_scoped_release>(),
             "End the file.")
        .def("write_counts", &Estimator::write_counts, nb::arg("path"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Write what was counted, instead of a model, for `add_counts`.")
        .def("add_counts", &Estimator::add_counts, nb::arg("path"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Add what another process counted that was given the same text.")
        .def("write_arpa", &Estimator::write_arpa, nb::arg("path"), nb::arg("progress"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Estimate the model, write it, and return a summary.");
    m.def("write_kenlm_binary", &write_kenlm_binary, nb::arg("arpa"), nb::arg("path"),
          nb::kw_only(), nb::arg("structure"), nb::arg("memory"), nb::arg("directory"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Write an ARPA file as KenLM's binary, of the structure 'probing' or 'trie'.");
}

}  // namespace

void bind_lm(nb::module_& m) {
    bind_language_model(m);
    bind_language_model_estimation(m);
}

}  // namespace hopefear::bindings
