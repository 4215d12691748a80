// The n-best lists of a data set: every hypothesis with its text, its features and, once a metric
// has computed them, its statistics.
//
// A structure of arrays, sorted by sentence: a hypothesis is a row, and a sentence's list is a
// range of rows in the order in which the hypotheses arrived. Everything but the feature values
// takes a few bytes a hypothesis (see feature_rows.hpp and text.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/base/growing_array.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "hopefear/nbest/row_statistics.hpp"
#include "hopefear/nbest/text.hpp"

namespace hopefear {

class NBest {
  public:
    struct Rows {
        std::size_t begin;
        std::size_t end;
        [[nodiscard]] std::size_t size() const { return end - begin; }
    };

    [[nodiscard]] std::size_t sentences() const { return offsets_.size() - 1; }
    [[nodiscard]] std::size_t hypotheses() const { return features_.size(); }
    // One more than the largest feature id; the minimum number of weights.
    [[nodiscard]] std::size_t feature_count() const { return features_.patterns().features(); }
    [[nodiscard]] Rows rows(std::size_t sentence) const {
        return {static_cast<std::size_t>(offsets_[sentence]),
                static_cast<std::size_t>(offsets_[sentence + 1])};
    }
    // sentences() + 1 numbers: the first row of each sentence.
    [[nodiscard]] std::span<const std::int64_t> offsets() const { return offsets_; }
    [[nodiscard]] std::size_t sentence_of(std::size_t row) const;
    // Returns the argument; throws DataError if there is no such row or sentence.
    [[nodiscard]] std::size_t checked_row(std::int64_t row) const;
    [[nodiscard]] std::size_t checked_sentence(std::int64_t sentence) const;
    // Throw DataError unless there is a weight for each feature, or a number for each row.
    void check_weights(std::size_t length) const;
    void check_per_row(std::size_t length, const char* what) const;
    // The statistics; throws DataError unless they have been computed with this dimension.
    [[nodiscard]] const RowStatistics& checked_statistics(std::size_t dimension) const;
    // The sentences without hypotheses.
    [[nodiscard]] std::vector<std::int64_t> empty_sentences() const;

    [[nodiscard]] SparseView features(std::size_t row) const { return features_[row]; }
    // Call visit(row, features) for these rows in order; faster than row by row.
    template <class Visit>
    void for_each(const Rows& rows, const Visit& visit) const {
        features_.for_each(rows.begin, rows.end, visit);
    }
    // The words of a hypothesis, or (faster) of all hypotheses of a sentence. Words are separated
    // by white space (characters.hpp); the text keeps the white space as it was.
    void words(std::size_t row, std::vector<WordId>& out) const;
    void sentence_words(std::size_t sentence, WordLists& out) const;
    // Whether some text has no words.
    [[nodiscard]] bool any_empty_text() const { return text_->any_empty(); }
    [[nodiscard]] std::string text(std::size_t row) const;
    [[nodiscard]] std::vector<std::string> texts(std::size_t sentence) const;
    // The strings of word ids and feature ids.
    [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const { return word_names_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }

    // The same lists with the values of each feature multiplied by its factor. Everything else is
    // shared, not copied.
    [[nodiscard]] NBest scaled(std::span<const double> factors) const;

    // The same lists with other features; everything else is shared. The rows stay in memory.
    [[nodiscard]] NBest with_features(std::shared_ptr<Vocabulary> names, FeatureRows rows) const;

    // Empty statistics that a metric fills and passes to set_statistics; stored where the lists
    // are.
    [[nodiscard]] RowStatistics new_statistics(std::size_t dimension) const;
    void set_statistics(RowStatistics statistics);
    void set_statistics(std::span<const double> values, std::size_t dimension);
    // nullptr until they are set.
    [[nodiscard]] const std::shared_ptr<const RowStatistics>& statistics() const {
        return statistics_;
    }

    // Whether the lists lie in temporary files; loops over them should then release memory.
    [[nodiscard]] bool spilled() const { return features_.spilled(); }
    void release(std::size_t first_sentence, std::size_t last_sentence) const;
    // Bytes of features, text and names, not of statistics.
    [[nodiscard]] std::size_t bytes() const;

  private:
    friend class NBestBuilder;
    NBest() = default;
    [[nodiscard]] NBest with_rows(FeatureRows rows) const;

    [[nodiscard]] std::string joined(std::span<const WordId> ids) const;

    std::vector<std::int64_t> offsets_;
    FeatureRows features_;
    std::shared_ptr<NBestText> text_ = std::make_shared<NBestText>();
    std::shared_ptr<Vocabulary> word_names_;
    std::shared_ptr<Vocabulary> feature_names_;
    std::shared_ptr<const RowStatistics> statistics_;
    // Ids of white space other than a single blank; such an id stands between the words around it.
    std::vector<WordId> separators_;
    std::string directory_;
};

}  // namespace hopefear
