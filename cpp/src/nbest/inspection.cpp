#include "hopefear/nbest/inspection.hpp"

#include <cmath>

#include "hopefear/base/checksum.hpp"

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

std::optional<FeatureValue> find_value_above(const NBest& nbest, double bound) {
    std::optional<FeatureValue> found;
    for (std::size_t sentence = 0; sentence < nbest.sentences() && !found; ++sentence) {
        nbest.for_each(nbest.rows(sentence), [&](std::size_t row, const SparseView& h) {
            for (std::size_t i = 0; i < h.size() && !found; ++i)
                if (std::abs(h.values[i]) > bound)
                    found = {static_cast<std::int64_t>(row), h.ids[i], h.values[i]};
        });
        nbest.release(sentence, sentence + 1);
    }
    return found;
}

std::uint64_t checksum(const NBest& nbest) {
    Checksum sum;
    sum.add_numbers(nbest.offsets());
    const RowStatistics* statistics = nbest.statistics().get();
    std::vector<double> read;
    for (std::size_t sentence = 0; sentence < nbest.sentences(); ++sentence) {
        const NBest::Rows rows = nbest.rows(sentence);
        nbest.for_each(rows, [&](std::size_t, const SparseView& h) {
            sum.add_numbers(h.ids);
            sum.add_numbers(h.values);
        });
        if (statistics) {
            read.resize(rows.size() * statistics->dimension());
            statistics->read(rows.begin, rows.end, read);
            sum.add_numbers(std::span<const double>(read));
        }
        nbest.release(sentence, sentence + 1);
    }
    return sum.value();
}

std::vector<std::int64_t> rows_without_words(const NBest& nbest) {
    std::vector<std::int64_t> empty;
    if (!nbest.any_empty_text()) return empty;
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
