#include "hopefear/search/nbest_kernels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "hopefear/nbest/inspection.hpp"

namespace hopefear::bindings {

namespace {

using Gains = std::optional<ArrayIn<double>>;

ScaledGains scaled(const Gains& gains, double scale) {
    if (!gains) return {};
    return {as_span(*gains), scale};
}

}  // namespace

void bind_nbest_kernels(nb::module_& m) {
    m.def(
        "nbest_scores",
        [](const NBest& lists, const ArrayIn<double>& weights, std::size_t threads) {
            const auto w = as_span(weights);
            return to_array(without_gil([&] { return nbest_scores(lists, w, threads); }));
        },
        nb::arg("lists"), nb::arg("weights"), nb::arg("threads") = 0, "w . h of each row.");
    m.def(
        "sentence_scores",
        [](const NBest& lists, std::int64_t sentence, const ArrayIn<double>& weights) {
            return to_array(
                sentence_scores(lists, lists.checked_sentence(sentence), as_span(weights)));
        },
        nb::arg("lists"), nb::arg("sentence"), nb::arg("weights"),
        "w . h of the rows of one sentence.");
    m.def(
        "best_rows",
        [](const NBest& lists, const ArrayIn<double>& weights, const Gains& gains, double scale,
           std::size_t threads) {
            const auto w = as_span(weights);
            const ScaledGains g = scaled(gains, scale);
            return to_array(without_gil([&] { return best_rows(lists, w, g, threads); }));
        },
        nb::arg("lists"), nb::arg("weights"), nb::arg("gains") = nb::none(),
        nb::arg("gain_scale") = 1.0, nb::arg("threads") = 0,
        "Of each sentence the row with the greatest w . h + gain_scale * gain; -1: none.");
    m.def(
        "best_rows_of",
        [](const NBest& lists, const ArrayIn<double>& scores, const Gains& gains, double scale) {
            const auto s = as_span(scores);
            const ScaledGains g = scaled(gains, scale);
            return to_array(without_gil([&] { return best_rows_of(lists, s, g); }));
        },
        nb::arg("lists"), nb::arg("scores"), nb::arg("gains") = nb::none(),
        nb::arg("gain_scale") = 1.0, "The same with the scores w . h at hand.");
    m.def(
        "sum_statistics",
        [](const NBest& lists, const ArrayIn<std::int64_t>& rows) {
            return to_array(sum_statistics(lists, as_span(rows)));
        },
        nb::arg("lists"), nb::arg("rows"), "The sum of the statistics of some rows; -1: none.");
    m.def(
        "feature_column",
        [](const NBest& lists, FeatureId feature, std::size_t threads) {
            return to_array(without_gil([&] { return feature_column(lists, feature, threads); }));
        },
        nb::arg("lists"), nb::arg("feature"), nb::arg("threads") = 0,
        "The value of one feature in each row.");
    m.def(
        "count_features",
        [](const NBest& lists, std::size_t features) {
            FeatureCounts counts = without_gil([&] { return count_features(lists, features); });
            return std::tuple(to_array(std::move(counts.hypotheses)),
                              to_array(std::move(counts.lists)),
                              to_array(std::move(counts.hypotheses_of_lists)));
        },
        nb::arg("lists"), nb::arg("features"),
        "Of each feature: hypotheses that have it, lists that have it, hypotheses of these lists.");
    m.def(
        "find_value_above",
        [](const NBest& lists, double bound) {
            std::optional<std::tuple<std::int64_t, FeatureId, double>> found;
            if (const auto at = without_gil([&] { return find_value_above(lists, bound); }))
                found = {at->row, at->feature, at->value};
            return found;
        },
        nb::arg("lists"), nb::arg("bound"),
        "Row, feature and value of the first value that is larger than this in size.");
    m.def(
        "nbest_checksum",
        [](const NBest& lists) { return without_gil([&] { return checksum(lists); }); },
        nb::arg("lists"), "A number that tells lists, features and statistics from others.");
    m.def(
        "rows_without_words",
        [](const NBest& lists) {
            return to_array(without_gil([&] { return rows_without_words(lists); }));
        },
        nb::arg("lists"), "The hypotheses whose text is empty.");
}

}  // namespace hopefear::bindings
