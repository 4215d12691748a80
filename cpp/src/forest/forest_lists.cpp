#include "hopefear/forest/forest_lists.hpp"

#include <string>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/base/sparse_rows.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/forest/kbest.hpp"

namespace hopefear {

namespace {

// The list of one sentence.
struct List {
    std::vector<std::string> texts;
    SparseRows features;
};

List kbest_list(const Forest& forest, std::span<const double> scores, const ListOptions& options) {
    const DerivationList found = kbest(forest, {scores.begin(), scores.end()}, options.size,
                                       options.distinct, options.limit);
    List list;
    for (std::size_t i = 0; i + 1 < found.begin.size(); ++i) {
        const auto begin = static_cast<std::size_t>(found.begin[i]);
        const auto edges =
            std::span(found.edges)
                .subspan(begin, static_cast<std::size_t>(found.begin[i + 1]) - begin);
        std::string& text = list.texts.emplace_back();
        for (const Symbol word : derivation_words(forest, edges)) {
            if (!text.empty()) text += ' ';
            text += forest.words()->text(word);
        }
        const auto [ids, values] = derivation_features(forest, edges);
        list.features.add({ids, values});
    }
    return list;
}

}  // namespace

std::size_t add_kbest(const ForestSet& forests, std::span<const double> scores,
                      std::span<const std::int64_t> sentences, const ListOptions& options,
                      std::size_t threads, NBestBuilder& builder) {
    forests.check_edges(scores, "scores");
    if (forests.feature_names() && builder.feature_names() != forests.feature_names())
        fail<DataError>("the n-best lists have other feature names than the forests");
    for (const std::int64_t sentence : sentences) (void)forests.checked_sentence(sentence);
    std::vector<List> lists(sentences.size());
    parallel_blocks(sentences.size(), 1, threads, [&](std::size_t i, std::size_t) {
        const auto sentence = static_cast<std::size_t>(sentences[i]);
        if (const Forest* forest = forests[sentence])
            lists[i] = kbest_list(*forest, forests.edges(scores, sentence), options);
    });
    std::size_t added = 0;
    for (std::size_t i = 0; i < lists.size(); ++i)
        for (std::size_t j = 0; j < lists[i].texts.size(); ++j) {
            const SparseView row = lists[i].features[j];
            added += builder.add(static_cast<std::size_t>(sentences[i]), lists[i].texts[j], row.ids,
                                 row.values);
        }
    return added;
}

}  // namespace hopefear
