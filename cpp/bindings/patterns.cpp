#include "hopefear/extract/patterns.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace hopefear::bindings {

namespace {

using namespace extraction;

using TextsAndCount = std::pair<std::vector<std::string>, std::uint64_t>;

std::vector<std::string> first_texts(const Vocabulary& words, std::size_t count) {
    const auto all = words.texts();
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Words as they are; the first one is a source word if `of_pair`.
std::vector<TextsAndCount> texts_of(const Bitext& bitext, const std::vector<CountedWords>& found,
                                    bool of_pair) {
    std::vector<TextsAndCount> result;
    for (const CountedWords& one : found) {
        std::vector<std::string> texts;
        for (const WordId word : one.words) {
            const bool source = of_pair && texts.empty();
            texts.emplace_back((source ? bitext.source_words() : bitext.target_words()).text(word));
        }
        result.emplace_back(std::move(texts), one.count);
    }
    return result;
}

void bind_lexical(nb::module_& m) {
    nb::class_<LexicalCounts>(m, "LexicalCounts", "Frequent words and what they are linked to.")
        .def_prop_ro(
            "source",
            [](nb::handle self) {
                return view(std::span(nb::cast<const LexicalCounts&>(self).source), self);
            },
            "The number of a source word, or LexicalTemplate.ANY or NULL.")
        .def_prop_ro(
            "target",
            [](nb::handle self) {
                return view(std::span(nb::cast<const LexicalCounts&>(self).target), self);
            },
            "The number of a target word.")
        .def_prop_ro(
            "count",
            [](nb::handle self) {
                return view(std::span(nb::cast<const LexicalCounts&>(self).count), self);
            },
            "How often that was seen.");
    m.def(
        "count_lexical",
        [](const Bitext& bitext, std::uint64_t min_count, std::uint64_t min_feature_count,
           const Progress& progress) {
            LexicalCounts counts = without_gil(
                [&] { return count_lexical(bitext, min_count, min_feature_count, progress); });
            auto source = first_texts(bitext.source_words(), counts.source_words);
            auto target = first_texts(bitext.target_words(), counts.target_words);
            return std::tuple(std::move(source), std::move(target), std::move(counts));
        },
        nb::arg("bitext"), nb::arg("min_count"), nb::arg("min_feature_count"), nb::arg("progress"),
        "The frequent words of both sides, and what was seen of them; the number behind them is "
        "that of all other words.");
}

}  // namespace

void bind_patterns(nb::module_& m) {
    bind_lexical(m);
    m.def(
        "frequent_links",
        [](const Bitext& bitext, std::size_t limit, const Progress& progress) {
            return texts_of(
                bitext, without_gil([&] { return frequent_links(bitext, limit, progress); }), true);
        },
        nb::arg("bitext"), nb::arg("limit"), nb::arg("progress"),
        "The most frequent links, a source word and a target word, and their counts.");
    m.def(
        "frequent_ngrams",
        [](const Bitext& bitext, std::size_t order, std::size_t limit, const Progress& progress) {
            return texts_of(bitext, without_gil([&] {
                                return frequent_ngrams(bitext, order, limit, progress);
                            }),
                            false);
        },
        nb::arg("bitext"), nb::arg("order"), nb::arg("limit"), nb::arg("progress"),
        "The most frequent n-grams of the target side, and their counts.");
    m.def(
        "best_triggers",
        [](const Bitext& bitext, std::size_t limit, const Progress& progress) {
            std::vector<std::tuple<std::string, std::string, double>> result;
            for (const TriggerPair& pair :
                 without_gil([&] { return best_triggers(bitext, limit, progress); }))
                result.emplace_back(bitext.source_words().text(pair.source),
                                    bitext.target_words().text(pair.target), pair.information);
            return result;
        },
        nb::arg("bitext"), nb::arg("limit"), nb::arg("progress"),
        "The pairs of a source word and a target word with the highest mutual information.");
}

}  // namespace hopefear::bindings
