#include "hopefear/nbest/nbest.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/nbest/builder.hpp"
#include "hopefear/nbest/derived.hpp"
#include "hopefear/nbest/inspection.hpp"
#include "hopefear/nbest/products.hpp"
#include "texts.hpp"

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

NBest subset(const NBest& nbest, std::vector<std::int64_t> sentences) {
    std::ranges::sort(sentences);
    const auto repeated = std::ranges::unique(sentences);
    sentences.erase(repeated.begin(), repeated.end());
    NBestBuilder builder(nbest.words(), nbest.feature_names(), {});
    builder.add(nbest, sentences);
    NBest part = builder.finish(nbest.sentences());
    if (const auto statistics = nbest.statistics()) {
        std::vector<double> values;
        for (const auto sentence : sentences) {
            const auto at = nbest.checked_sentence(sentence);
            const auto rows = statistics->read(nbest.offsets()[at], nbest.offsets()[at + 1]);
            values.insert(values.end(), rows.begin(), rows.end());
        }
        part.set_statistics(values, statistics->dimension());
    }
    return part;
}

using ColumnIn = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

auto add_table(NBestBuilder& builder, const ArrayIn<std::int64_t>& sentences, const nb::list& texts,
               const std::vector<FeatureId>& column_ids, const std::vector<ColumnIn>& columns,
               const ArrayIn<std::int64_t>& offsets, const ArrayIn<FeatureId>& ids,
               const ArrayIn<double>& values) {
    const auto sentence_of = as_span(sentences);
    const std::size_t count = sentence_of.size();
    FeatureTable table{{}, as_span(offsets), as_span(ids), as_span(values)};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].shape(0) != count || column_ids.size() != columns.size())
            fail<DataError>("expected ", columns.size(), " columns of ", count, " values, got ",
                            column_ids.size(), " ids and a column of ", columns[i].shape(0));
        table.columns.push_back({column_ids[i], columns[i].data(), columns[i].stride(0)});
    }
    if (texts.size() != count)
        fail<DataError>("found ", texts.size(), " texts, but ", count, " sentence numbers");
    table.check(count);
    return to_array(builder.add(sentence_of, views_of(texts), table));
}

void bind_builder(nb::module_& m) {
    nb::class_<NBestBuilder>(m, "NBestBuilder",
                             "Collects hypotheses in any order and drops duplicates.")
        .def(
            "__init__",
            [](NBestBuilder* self, std::shared_ptr<Vocabulary> words,
               std::shared_ptr<Vocabulary> feature_names, std::size_t memory_limit,
               std::string directory) {
                const auto given = [](std::shared_ptr<Vocabulary>& names) {
                    return names ? std::move(names) : std::make_shared<Vocabulary>();
                };
                new (self) NBestBuilder(given(words), given(feature_names),
                                        {memory_limit, std::move(directory)});
            },
            nb::arg("words").none() = nb::none(), nb::arg("feature_names").none() = nb::none(),
            nb::kw_only(), nb::arg("memory_limit") = 0, nb::arg("directory") = "")
        .def("__len__", &NBestBuilder::hypotheses)
        .def(
            "add_ids",
            [](NBestBuilder& builder, std::size_t sentence, std::string_view text,
               const std::vector<FeatureId>& ids, const std::vector<double>& values) {
                return builder.add(sentence, text, ids, values);
            },
            nb::arg("sentence"), nb::arg("text"), nb::arg("feature_ids"), nb::arg("feature_values"),
            "Add a hypothesis; returns False for a duplicate.")
        .def("add_table", &add_table, nb::arg("sentences"), nb::arg("texts"), nb::arg("column_ids"),
             nb::arg("columns"), nb::arg("offsets"), nb::arg("ids"), nb::arg("values"),
             nb::sig("def add_table(self, sentences: NDArray[numpy.int64], texts: list[str], "
                     "column_ids: Sequence[int], columns: Sequence[NDArray[numpy.float64]], "
                     "offsets: NDArray[numpy.int64], ids: NDArray[numpy.int32], values: "
                     "NDArray[numpy.float64]) -> NDArray[numpy.int64]"),
             "Add hypotheses that are held in arrays; return for each its place in order of "
             "arrival, which is that of the first for duplicates. Columns have NaN where a "
             "hypothesis does not have the feature; row i of the sparse features, if there are "
             "any, has entries offsets[i] to offsets[i + 1].")
        .def("merge", nb::overload_cast<const NBest&>(&NBestBuilder::add), nb::arg("lists"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Add all hypotheses of other lists; return the number of new ones.")
        .def("finish", &NBestBuilder::finish, nb::arg("sentences") = 0,
             nb::call_guard<nb::gil_scoped_release>(),
             "Make the lists of at least `sentences` sentences; the builder is empty afterwards.")
        .def_prop_ro("words", &NBestBuilder::words, "The words of texts by id.")
        .def_prop_ro("feature_names", &NBestBuilder::feature_names, "Names of features by id.")
        .def_prop_ro("duplicate_count", &NBestBuilder::duplicates, "Duplicates left out so far.");
}

void bind_rows(nb::class_<NBest>& lists) {
    lists
        .def(
            "merged",
            [](const NBest& nbest, const NBest& other) {
                return without_gil([&] { return merge(nbest, other); });
            },
            nb::arg("other"),
            "The hypotheses of these lists, followed by those that only the other lists have, with "
            "their statistics.")
        .def(
            "subset",
            [](const NBest& nbest, std::vector<std::int64_t> sentences) {
                const nb::gil_scoped_release released;
                return subset(nbest, std::move(sentences));
            },
            nb::arg("sentences"),
            "The lists of these sentences with their statistics; the other lists are empty.")
        .def(
            "rows",
            [](const NBest& nbest, std::int64_t sentence) {
                const auto offsets = nbest.offsets();
                const auto at = nbest.checked_sentence(sentence);
                return nb::handle(reinterpret_cast<PyObject*>(&PyRange_Type))(offsets[at],
                                                                              offsets[at + 1]);
            },
            nb::arg("sentence"), nb::sig("def rows(self, sentence: int) -> range"),
            "Rows of a sentence.")
        .def(
            "features_of",
            [](const NBest& nbest, std::int64_t row) {
                nb::dict features;
                const auto [ids, values] = nbest.features(nbest.checked_row(row));
                for (std::size_t i = 0; i < ids.size(); ++i)
                    features[nb::cast(nbest.feature_names()->text(ids[i]))] = values[i];
                return features;
            },
            nb::arg("row"), nb::sig("def features_of(self, row: int) -> dict[str, float]"),
            "Features of a hypothesis by name.")
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
            nb::arg("row"), "The text of a hypothesis.")
        .def(
            "texts",
            [](const NBest& nbest, std::int64_t sentence) {
                return nbest.texts(nbest.checked_sentence(sentence));
            },
            nb::arg("sentence"), "The texts of a sentence's hypotheses.")
        .def(
            "feature_rows",
            [](const NBest& nbest) {
                std::vector<std::int64_t> sizes;
                std::vector<FeatureId> ids;
                std::vector<double> values;
                {
                    const nb::gil_scoped_release released;
                    nbest.for_each({0, nbest.hypotheses()}, [&](std::size_t, SparseView row) {
                        sizes.push_back(static_cast<std::int64_t>(row.size()));
                        ids.insert(ids.end(), row.ids.begin(), row.ids.end());
                        values.insert(values.end(), row.values.begin(), row.values.end());
                    });
                }
                return std::tuple(to_array(std::move(sizes)), to_array(std::move(ids)),
                                  to_array(std::move(values)));
            },
            "The features of all rows: how many each row has, their ids and their values.");
}

void bind_kernels(nb::class_<NBest>& lists) {
    lists.def(
        "scores",
        [](const NBest& lists, const ArrayIn<double>& weights, std::size_t threads) {
            const auto w = as_span(weights);
            return to_array(without_gil([&] { return nbest_scores(lists, w, threads); }));
        },
        nb::arg("weights"), nb::arg("threads") = 0, "w · h of each row.");
    lists.def(
        "sentence_scores",
        [](const NBest& lists, std::int64_t sentence, const ArrayIn<double>& weights) {
            return to_array(
                sentence_scores(lists, lists.checked_sentence(sentence), as_span(weights)));
        },
        nb::arg("sentence"), nb::arg("weights"), "w · h of the rows of one sentence.");
    lists.def(
        "sum_statistics",
        [](const NBest& lists, const ArrayIn<std::int64_t>& rows) {
            return to_array(sum_statistics(lists, as_span(rows)));
        },
        nb::arg("rows"), "Sum of the statistics of some rows, ignoring -1.");
    lists.def(
        "column",
        [](const NBest& lists, FeatureId feature, std::size_t threads) {
            return to_array(without_gil([&] { return feature_column(lists, feature, threads); }));
        },
        nb::arg("feature"), nb::arg("threads") = 0, "Value of one feature in each row.");
    lists.def(
        "feature_sum",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& rows, const ArrayIn<double>& x) {
            return to_array(without_gil([&] {
                return feature_sum(nbest, as_span(rows), as_span(x), nbest.feature_names()->size());
            }));
        },
        nb::arg("rows"), nb::arg("x"),
        "Sum of the feature vectors of some rows, each multiplied by its `x`.");
    lists.def(
        "feature_spread",
        [](const NBest& nbest) {
            return to_array(
                without_gil([&] { return feature_spread(nbest, nbest.feature_names()->size()); }));
        },
        "How much each feature varies within a list: the root of its mean variance; 0 for a "
        "feature that cannot change any choice.");
    lists.def(
        "count_features",
        [](const NBest& lists) {
            return without_gil(
                [&] { return count_features(lists, lists.feature_names()->size()); });
        },
        "How often each feature occurs; values of zero count.");
    lists.def(
        "find_value_above",
        [](const NBest& lists, double bound) {
            std::optional<std::tuple<std::int64_t, FeatureId, double>> found;
            if (const auto at = without_gil([&] { return find_value_above(lists, bound); }))
                found = {at->row, at->feature, at->value};
            return found;
        },
        nb::arg("bound"),
        "Row, feature and value of the first value with a larger magnitude than `bound`.");
    lists.def(
        "checksum", [](const NBest& lists) { return without_gil([&] { return checksum(lists); }); },
        "A checksum of the features and the statistics.");
    lists.def(
        "rows_without_words",
        [](const NBest& lists) {
            return to_array(without_gil([&] { return rows_without_words(lists); }));
        },
        "The hypotheses whose text is empty.");
}

void bind_counts(nb::module_& m) {
    nb::class_<FeatureCounts>(m, "FeatureCounts", "How often each feature occurs.")
        .def_prop_ro(
            "hypotheses",
            [](nb::handle self) {
                return view(
                    std::span<const std::int64_t>(nb::cast<const FeatureCounts&>(self).hypotheses),
                    self);
            },
            "Hypotheses that have it.")
        .def_prop_ro(
            "lists",
            [](nb::handle self) {
                return view(
                    std::span<const std::int64_t>(nb::cast<const FeatureCounts&>(self).lists),
                    self);
            },
            "Lists that have it.")
        .def_prop_ro(
            "hypotheses_of_lists",
            [](nb::handle self) {
                return view(std::span<const std::int64_t>(
                                nb::cast<const FeatureCounts&>(self).hypotheses_of_lists),
                            self);
            },
            "All hypotheses of these lists.");
}

void bind_lists(nb::module_& m) {
    nb::class_<NBest> lists(
        m, "NBest",
        "The n-best lists of a data set.\n\n"
        "A hypothesis is a row. Rows are sorted by sentence and, within a sentence, in order of\n"
        "arrival. Sentences are numbered from 0; some may have no hypotheses. Weights are indexed\n"
        "by the ids of `feature_names`. `threads` is 0 for one per core; no result depends on it.");
    lists.def("__len__", &NBest::hypotheses)
        .def("__repr__",
             [](const NBest& nbest) {
                 return "NBest(" + std::to_string(nbest.sentences()) + " sentences, " +
                        std::to_string(nbest.hypotheses()) + " hypotheses)";
             })
        .def_prop_ro("sentence_count", &NBest::sentences,
                     "Number of sentences, including those without hypotheses.")
        .def_prop_ro("feature_count", &NBest::feature_count,
                     "One more than the largest feature id; the minimum number of weights.")
        .def_prop_ro("words", nb::overload_cast<>(&NBest::words, nb::const_),
                     "The words of texts by id.")
        .def_prop_ro("feature_names", &NBest::feature_names, "Names of features by id.")
        .def_prop_ro(
            "offsets",
            [](nb::handle self) { return view(nb::cast<const NBest&>(self).offsets(), self); },
            "First row of each sentence, and the end of the last.")
        .def_prop_ro(
            "empty_sentences", [](const NBest& nbest) { return to_array(nbest.empty_sentences()); },
            nb::rv_policy::automatic, "The sentences that have no hypotheses.")
        .def_prop_ro(
            "statistics",
            [](const NBest& nbest) { return statistics_of(nbest, 0, nbest.hypotheses()); },
            nb::rv_policy::automatic,
            "A metric's statistics of each row, as a new matrix; None until they are set.")
        .def("statistics_of", &statistics_of, nb::arg("begin"), nb::arg("end"),
             "Statistics of the rows from `begin` to `end`; None until they are set.")
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
            nb::arg("values"), "Set the statistics, a matrix with one row per hypothesis.")
        .def(
            "scaled",
            [](const NBest& nbest, const ArrayIn<double>& factors) {
                const auto f = as_span(factors);
                return without_gil([&] { return nbest.scaled(f); });
            },
            nb::arg("factors"),
            "The same lists with each feature multiplied by its factor; texts and statistics are "
            "shared.")
        .def(
            "with_features",
            [](const NBest& nbest, std::shared_ptr<Vocabulary> names,
               const ArrayIn<std::int64_t>& offsets, const ArrayIn<FeatureId>& ids,
               const ArrayIn<double>& values) {
                return without_gil([&] {
                    const std::size_t count = names->size();
                    return nbest.with_features(
                        std::move(names),
                        rows_of(as_span(offsets), as_span(ids), as_span(values), count));
                });
            },
            nb::arg("feature_names"), nb::arg("offsets"), nb::arg("ids"), nb::arg("values"),
            "The same lists with other features: row i has entries offsets[i] to offsets[i + 1], "
            "and values of repeated ids are summed. Texts and statistics are shared.")
        .def(
            "feature_arrays",
            [](const NBest& nbest) {
                RowArrays arrays;
                nbest.for_each({0, nbest.hypotheses()},
                               [&](std::size_t, const SparseView& row) { arrays.add(row); });
                return nb::make_tuple(to_array(std::move(arrays.offsets)),
                                      to_array(std::move(arrays.ids)),
                                      to_array(std::move(arrays.values)));
            },
            nb::sig("def feature_arrays(self) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int32], NDArray[numpy.float64]]"),
            "The features of all rows as offsets, ids and values; see `with_features`.")
        .def_prop_ro("nbytes", &NBest::bytes,
                     "Bytes in use for features, text and names, in memory or in files.")
        .def_prop_ro("spilled", &NBest::spilled, "Whether the data lie in temporary files.");
    bind_rows(lists);
    bind_kernels(lists);
    bind_builder(m);
}

void bind_derived(nb::module_& m) {
    nb::enum_<TextFeature>(m, "TextFeature", "A feature of the text of a hypothesis.")
        .value("words", TextFeature::words, "Words, separated by white space.")
        .value("characters", TextFeature::characters, "Characters, blanks included.")
        .value("length_ratio", TextFeature::length_ratio, "Characters per character of the source.")
        .value("copy", TextFeature::copy, "The share of the words that are the source's.")
        .value("repetition", TextFeature::repetition,
               "The share of the pairs of neighboring words that were there before.")
        .value("rank", TextFeature::rank, "The place in the list, from 0.");
    m.def(
        "text_feature",
        [](const NBest& lists, TextFeature feature, const std::vector<std::string>& sources,
           std::size_t threads) {
            return to_array(
                without_gil([&] { return text_feature(lists, feature, sources, threads); }));
        },
        nb::arg("lists"), nb::arg("feature"), nb::arg("sources") = nb::tuple(), nb::kw_only(),
        nb::arg("threads") = 0,
        "A feature of each hypothesis; sources[i] is the source of sentence i.");
}

}  // namespace

void bind_nbest(nb::module_& m) {
    bind_counts(m);
    bind_lists(m);
    bind_derived(m);
}

}  // namespace hopefear::bindings
