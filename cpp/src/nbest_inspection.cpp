#include "hopefear/nbest_inspection.hpp"

namespace hopefear {

FeatureCounts count_features(const NBest& nbest, std::size_t features) {
    nbest.check_weights(features);
    const std::vector<std::int64_t> zeros(features);
    FeatureCounts counts{zeros, zeros, zeros};
    std::vector<std::size_t> last_list(features, nbest.sentences());
    for (std::size_t sentence = 0; sentence < nbest.sentences(); ++sentence) {
        const NBest::Rows rows = nbest.rows(sentence);
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            for (const FeatureId id : nbest.features(row).ids) {
                ++counts.hypotheses[id];
                if (last_list[id] == sentence) continue;
                last_list[id] = sentence;
                ++counts.lists[id];
                counts.hypotheses_of_lists[id] += static_cast<std::int64_t>(rows.size());
            }
        }
        nbest.release(sentence, sentence + 1);
    }
    return counts;
}

std::vector<std::int64_t> rows_without_words(const NBest& nbest) {
    std::vector<std::int64_t> empty;
    WordLists words;
    for (std::size_t sentence = 0; sentence < nbest.sentences(); ++sentence) {
        nbest.sentence_words(sentence, words);
        const std::size_t first = nbest.rows(sentence).begin;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i].empty()) empty.push_back(static_cast<std::int64_t>(first + i));
        nbest.release(sentence, sentence + 1);
    }
    return empty;
}

}  // namespace hopefear
