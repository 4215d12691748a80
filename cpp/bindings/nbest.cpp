#include "hopefear/nbest/nbest.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/nbest/builder.hpp"
#include "hopefear/nbest/inspection.hpp"
#include "hopefear/nbest/products.hpp"

namespace hopefear::bindings {

namespace {

std::optional<MatrixOut<double>> statistics_of(const NBest& lists, std::int64_t begin,
                                               std::int64_t end) {
    const auto statistics = lists.statistics();
    if (!statistics) return std::nullopt;
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > lists.hypotheses())
        fail<DataError>("rows ", begin, " to ", end, " do not exist: there are ",
                        lists.hypotheses());
    return to_matrix(without_gil([&] { return statistics->read(begin, end); }),
                     statistics->dimension());
}

void bind_builder(nb::module_& m) {
    nb::class_<NBestBuilder>(m, "NBestBuilder",
                             "Collects hypotheses in any order and drops duplicates.")
        .def(
            "__init__",
            [](NBestBuilder* self, std::shared_ptr<Vocabulary> words,
               std::shared_ptr<Vocabulary> feature_names, std::size_t memory_limit,
               std::string directory) {
                new (self) NBestBuilder(std::move(words), std::move(feature_names),
                                        {memory_limit, std::move(directory)});
            },
            nb::arg("words"), nb::arg("feature_names"), nb::kw_only(), nb::arg("memory_limit") = 0,
            nb::arg("directory") = "")
        .def(
            "add",
            [](NBestBuilder& builder, std::size_t sentence, std::string_view text,
               const std::vector<FeatureId>& ids, const std::vector<double>& values) {
                return builder.add(sentence, text, ids, values);
            },
            nb::arg("sentence"), nb::arg("text"), nb::arg("feature_ids"), nb::arg("feature_values"),
            "Add a hypothesis; returns False for a duplicate.")
        .def("add_all", nb::overload_cast<const NBest&>(&NBestBuilder::add), nb::arg("lists"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Add all hypotheses of other lists; returns how many were new.")
        .def(
            "add_some",
            [](NBestBuilder& builder, const NBest& lists, const ArrayIn<std::int64_t>& sentences) {
                const auto numbers = as_span(sentences);
                return without_gil([&] { return builder.add(lists, numbers); });
            },
            nb::arg("lists"), nb::arg("sentences"),
            "Add the hypotheses of these sentences; returns how many were new.")
        .def("finish", &NBestBuilder::finish, nb::arg("sentences") = 0,
             nb::call_guard<nb::gil_scoped_release>(),
             "Make the lists, at least `sentences` of them; the builder is empty afterwards.")
        .def_prop_ro("words", &NBestBuilder::words, "The words of hypotheses.")
        .def_prop_ro("feature_names", &NBestBuilder::feature_names, "The names of features.")
        .def_prop_ro("hypothesis_count", &NBestBuilder::hypotheses, "Hypotheses so far.")
        .def_prop_ro("duplicate_count", &NBestBuilder::duplicates, "Duplicates dropped so far.");
}

void bind_rows(nb::class_<NBest>& lists) {
    lists
        .def(
            "feature_ids",
            [](nb::handle self, std::int64_t row) {
                const auto& nbest = nb::cast<const NBest&>(self);
                return view(nbest.features(nbest.checked_row(row)).ids, self);
            },
            nb::arg("row"), "Ids of a hypothesis' features, increasing.")
        .def(
            "feature_values",
            [](nb::handle self, std::int64_t row) {
                const auto& nbest = nb::cast<const NBest&>(self);
                return view(nbest.features(nbest.checked_row(row)).values, self);
            },
            nb::arg("row"), "Values of a hypothesis' features, in the order of their ids.")
        .def(
            "word_ids",
            [](const NBest& nbest, std::int64_t row) {
                std::vector<WordId> words;
                nbest.words(nbest.checked_row(row), words);
                return to_array(std::move(words));
            },
            nb::arg("row"), "Ids of a hypothesis' words.")
        .def(
            "text",
            [](const NBest& nbest, std::int64_t row) { return nbest.text(nbest.checked_row(row)); },
            nb::arg("row"), "The text of a hypothesis.");
}

void bind_lists(nb::module_& m) {
    nb::class_<NBest> lists(m, "NBest", "All hypotheses of a data set, sorted by sentence.");
    lists
        .def_prop_ro("sentence_count", &NBest::sentences,
                     "Sentences, including those without hypotheses.")
        .def_prop_ro("hypothesis_count", &NBest::hypotheses, "Hypotheses: rows.")
        .def_prop_ro("feature_count", &NBest::feature_count,
                     "One more than the largest feature id; the minimum number of weights.")
        .def_prop_ro("words", nb::overload_cast<>(&NBest::words, nb::const_),
                     "The words of hypotheses.")
        .def_prop_ro("feature_names", &NBest::feature_names, "The names of features.")
        .def_prop_ro(
            "offsets",
            [](nb::handle self) { return view(nb::cast<const NBest&>(self).offsets(), self); },
            "First row of each sentence, and end.")
        .def_prop_ro(
            "empty_sentences", [](const NBest& nbest) { return to_array(nbest.empty_sentences()); },
            nb::rv_policy::automatic, "The sentences without hypotheses.")
        .def("statistics", &statistics_of, nb::arg("begin"), nb::arg("end"),
             "The statistics of these rows, as a matrix; None until they are set.")
        .def_prop_ro(
            "statistics_nbytes",
            [](const NBest& nbest) {
                return nbest.statistics() ? nbest.statistics()->bytes() : std::size_t{0};
            },
            "Bytes in use for the statistics, in memory or in files.")
        .def(
            "set_statistics",
            [](NBest& nbest, const MatrixIn<double>& values) {
                nbest.set_statistics(std::span(values.data(), values.size()), values.shape(1));
            },
            nb::arg("values"), "Set the statistics, a matrix with one row for each hypothesis.")
        .def(
            "scaled",
            [](const NBest& nbest, const ArrayIn<double>& factors) {
                const auto f = as_span(factors);
                return without_gil([&] { return nbest.scaled(f); });
            },
            nb::arg("factors"),
            "The same lists with the values of each feature multiplied by its factor.")
        .def_prop_ro("nbytes", &NBest::bytes,
                     "Bytes in use for features, text and names, in memory or in files.")
        .def_prop_ro("spilled", &NBest::spilled, "Whether the data lie in temporary files.");
    bind_rows(lists);
    bind_builder(m);
}

void bind_kernels(nb::module_& m) {
    m.def(
        "nbest_scores",
        [](const NBest& lists, const ArrayIn<double>& weights, std::size_t threads) {
            const auto w = as_span(weights);
            return to_array(without_gil([&] { return nbest_scores(lists, w, threads); }));
        },
        nb::arg("lists"), nb::arg("weights"), nb::arg("threads") = 0, "w · h of each row.");
    m.def(
        "sentence_scores",
        [](const NBest& lists, std::int64_t sentence, const ArrayIn<double>& weights) {
            return to_array(
                sentence_scores(lists, lists.checked_sentence(sentence), as_span(weights)));
        },
        nb::arg("lists"), nb::arg("sentence"), nb::arg("weights"),
        "w · h of the rows of one sentence.");
    m.def(
        "sum_statistics",
        [](const NBest& lists, const ArrayIn<std::int64_t>& rows) {
            return to_array(sum_statistics(lists, as_span(rows)));
        },
        nb::arg("lists"), nb::arg("rows"),
        "The sum of the statistics of some rows; rows of -1 are skipped.");
    m.def(
        "feature_column",
        [](const NBest& lists, FeatureId feature, std::size_t threads) {
            return to_array(without_gil([&] { return feature_column(lists, feature, threads); }));
        },
        nb::arg("lists"), nb::arg("feature"), nb::arg("threads") = 0,
        "The value of one feature in each row.");
    m.def(
        "feature_sum",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& rows, const ArrayIn<double>& x,
           std::size_t features) {
            std::vector<double> sum = without_gil(
                [&] { return feature_sum(nbest, as_span(rows), as_span(x), features); });
            return to_array(std::move(sum));
        },
        nb::arg("nbest"), nb::arg("rows"), nb::arg("x"), nb::arg("features"),
        "The sum of the feature vectors of some rows, each multiplied by its x.");
    m.def(
        "feature_spread",
        [](const NBest& nbest, std::size_t features) {
            std::vector<double> spread =
                without_gil([&] { return feature_spread(nbest, features); });
            return to_array(std::move(spread));
        },
        nb::arg("nbest"), nb::arg("features"), "How much each feature varies within a list.");
    m.def(
        "count_features",
        [](const NBest& lists, std::size_t features) {
            FeatureCounts counts = without_gil([&] { return count_features(lists, features); });
            return std::tuple(to_array(std::move(counts.hypotheses)),
                              to_array(std::move(counts.lists)),
                              to_array(std::move(counts.hypotheses_of_lists)));
        },
        nb::arg("lists"), nb::arg("features"),
        "For each feature: the hypotheses and the lists that have it, and the hypotheses of "
        "these lists.");
    m.def(
        "find_value_above",
        [](const NBest& lists, double bound) {
            std::optional<std::tuple<std::int64_t, FeatureId, double>> found;
            if (const auto at = without_gil([&] { return find_value_above(lists, bound); }))
                found = {at->row, at->feature, at->value};
            return found;
        },
        nb::arg("lists"), nb::arg("bound"),
        "Row, feature and value of the first value whose absolute value exceeds `bound`.");
    m.def(
        "nbest_checksum",
        [](const NBest& lists) { return without_gil([&] { return checksum(lists); }); },
        nb::arg("lists"), "A checksum of lists, features and statistics.");
    m.def(
        "rows_without_words",
        [](const NBest& lists) {
            return to_array(without_gil([&] { return rows_without_words(lists); }));
        },
        nb::arg("lists"), "The hypotheses whose text is empty.");
}

}  // namespace

void bind_nbest(nb::module_& m) {
    bind_lists(m);
    bind_kernels(m);
}

}  // namespace hopefear::bindings
