#include "hopefear/nbest/nbest.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"

namespace hopefear {

std::size_t NBest::sentence_of(std::size_t row) const {
    const auto after = std::ranges::upper_bound(offsets_, static_cast<std::int64_t>(row));
    return static_cast<std::size_t>(after - offsets_.begin()) - 1;
}

std::size_t NBest::checked_row(std::int64_t row) const {
    if (row < 0 || static_cast<std::size_t>(row) >= hypotheses())
        fail<DataError>("row ", row, " does not exist: there are ", hypotheses(), " hypotheses");
    return static_cast<std::size_t>(row);
}

void NBest::check_weights(std::size_t length) const {
    if (length < feature_count())
        fail<DataError>("weights for ", length, " features, but the lists have ", feature_count());
}

void NBest::check_per_row(std::size_t length, const char* what) const {
    if (length != hypotheses())
        fail<DataError>(length, " ", what, " for ", hypotheses(), " hypotheses");
}

const RowStatistics& NBest::checked_statistics(std::size_t dimension) const {
    if (!statistics_)
        fail<DataError>("the n-best lists have no statistics; compute them with a metric first");
    if (statistics_->dimension() != dimension)
        fail<DataError>("the n-best lists have ", statistics_->dimension(),
                        " statistics a hypothesis, but the metric needs ", dimension);
    return *statistics_;
}

std::size_t NBest::checked_sentence(std::int64_t sentence) const {
    if (sentence < 0 || static_cast<std::size_t>(sentence) >= sentences())
        fail<DataError>("sentence ", sentence, " does not exist: there are ", sentences());
    return static_cast<std::size_t>(sentence);
}

std::vector<std::int64_t> NBest::empty_sentences() const {
    std::vector<std::int64_t> empty;
    for (std::size_t sentence = 0; sentence < sentences(); ++sentence)
        if (rows(sentence).size() == 0) empty.push_back(static_cast<std::int64_t>(sentence));
    return empty;
}

void NBest::words(std::size_t row, std::vector<WordId>& out) const {
    const std::size_t sentence = sentence_of(row);
    text_->read(sentence, row - rows(sentence).begin, out);
    if (!separators_.empty())
        std::erase_if(out, [&](WordId id) { return std::ranges::binary_search(separators_, id); });
}

void NBest::sentence_words(std::size_t sentence, WordLists& out) const {
    text_->read_all(sentence, rows(sentence).size(), out);
    if (separators_.empty()) return;
    WordLists words;
    std::vector<WordId> one;
    for (std::size_t i = 0; i < out.size(); ++i) {
        one.assign(out[i].begin(), out[i].end());
        std::erase_if(one, [&](WordId id) { return std::ranges::binary_search(separators_, id); });
        words.push_back(one);
    }
    out = std::move(words);
}

std::string NBest::text(std::size_t row) const {
    const std::size_t sentence = sentence_of(row);
    std::vector<WordId> ids;
    text_->read(sentence, row - rows(sentence).begin, ids);
    return joined(ids);
}

std::vector<std::string> NBest::texts(std::size_t sentence) const {
    WordLists words;
    text_->read_all(sentence, rows(sentence).size(), words);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < words.size(); ++i) texts.push_back(joined(words[i]));
    return texts;
}

std::string NBest::joined(std::span<const WordId> ids) const {
    std::string text;
    bool separated = true;
    for (const WordId id : ids) {
        const bool separator = std::ranges::binary_search(separators_, id);
        if (!separated && !separator) text += ' ';
        text += word_names_->text(id);
        separated = separator;
    }
    return text;
}

NBest NBest::with_rows(FeatureRows rows) const {
    NBest lists;
    lists.offsets_ = offsets_;
    lists.features_ = std::move(rows);
    lists.text_ = text_;
    lists.word_names_ = word_names_;
    lists.feature_names_ = feature_names_;
    lists.statistics_ = statistics_;
    lists.separators_ = separators_;
    lists.directory_ = directory_;
    return lists;
}

NBest NBest::scaled(std::span<const double> factors) const {
    check_weights(factors.size());
    return with_rows(features_.scaled(factors));
}

NBest NBest::with_features(std::shared_ptr<Vocabulary> names, FeatureRows rows) const {
    check_per_row(rows.size(), "feature vectors");
    NBest lists = with_rows(std::move(rows));
    lists.feature_names_ = std::move(names);
    return lists;
}

RowStatistics NBest::new_statistics(std::size_t dimension) const {
    return RowStatistics(dimension, spilled() ? directory_ : "");
}

void NBest::set_statistics(RowStatistics statistics) {
    if (statistics.dimension() > 0 && statistics.size() != hypotheses())
        fail<DataError>("statistics of ", hypotheses(), " hypotheses, got ", statistics.size(),
                        " rows");
    statistics.finish();
    statistics_ = std::make_shared<RowStatistics>(std::move(statistics));
}

void NBest::set_statistics(std::span<const double> values, std::size_t dimension) {
    if (values.size() != hypotheses() * dimension)
        fail<DataError>("statistics of ", hypotheses(), " hypotheses, ", dimension, " each, are ",
                        hypotheses() * dimension, " numbers, got ", values.size());
    RowStatistics statistics = new_statistics(dimension);
    if (dimension > 0) statistics.append(values);
    set_statistics(std::move(statistics));
}

void NBest::release(std::size_t first_sentence, std::size_t last_sentence) const {
    if (!spilled()) return;
    const std::size_t begin = offsets_[first_sentence];
    const std::size_t end = offsets_[last_sentence];
    features_.release(begin, end);
    text_->release(first_sentence, last_sentence);
    if (statistics_) statistics_->release(begin, end);
}

std::size_t NBest::bytes() const {
    return offsets_.capacity() * sizeof(offsets_[0]) + features_.bytes() + text_->bytes() +
           word_names_->bytes() + feature_names_->bytes();
}

}  // namespace hopefear
