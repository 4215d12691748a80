// Collects hypotheses in any order, drops duplicates, and makes n-best lists.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct NBestOptions {
    std::size_t memory_limit = 0;  // bytes; beyond it the arrays move to a file; 0 means no limit
    std::string directory;         // of that file; empty means the system's temporary directory
};

// Features of many hypotheses in arrays that somebody else holds: columns of values, NaN where a
// hypothesis does not have the feature, and sparse rows beside them.
struct FeatureTable {
    struct Column {
        FeatureId id;
        const double* first;
        std::ptrdiff_t stride;
    };

    std::vector<Column> columns;
    // Row i has the entries offsets[i] to offsets[i + 1]; no offsets if there are no such rows.
    std::span<const std::int64_t> offsets;
    std::span<const FeatureId> ids;
    std::span<const double> values;

    // Throws DataError unless the arrays belong together and describe this many rows.
    void check(std::size_t rows) const;
    void read(std::size_t row, std::vector<FeatureId>& ids, std::vector<double>& values) const;
};

class NBestBuilder {
  public:
    NBestBuilder(std::shared_ptr<Vocabulary> word_names, std::shared_ptr<Vocabulary> feature_names,
                 NBestOptions options = {});

    // Add a hypothesis; returns false if it is a duplicate: same sentence, same text, same features
    // with the same values. Leading and trailing blanks of the text do not count. Ids may come in
    // any order; the values of repeated ids are summed.
    bool add(std::size_t sentence, std::string_view text, std::span<const FeatureId> ids,
             std::span<const double> values);
    // Add hypotheses that are held in arrays; returns for each its place in order of arrival, which
    // is that of the first for duplicates.
    std::vector<std::int64_t> add(std::span<const std::int64_t> sentences,
                                  std::span<const std::string_view> texts,
                                  const FeatureTable& table);
    // The place, in order of arrival, of the hypothesis that was added or found to be a duplicate.
    [[nodiscard]] std::size_t last_added() const { return last_added_; }
    // Add all hypotheses of other lists; returns how many were new.
    std::size_t add(const NBest& other);
    // The same for the lists of these sentences alone.
    std::size_t add(const NBest& other, std::span<const std::int64_t> sentences);

    [[nodiscard]] std::size_t hypotheses() const { return sentence_.size(); }
    [[nodiscard]] std::size_t duplicates() const { return duplicates_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const { return word_names_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }
    [[nodiscard]] std::size_t resident_bytes() const;

    // Return the lists, at least `sentences` of them, and empty the builder.
    [[nodiscard]] NBest finish(std::size_t sentences = 0);

  private:
    class Import;

    // A word of at most sixteen bytes that was looked up before, as its first and last bytes.
    // Candidates of a sentence have most words in common, and this is quicker than the vocabulary,
    // which other threads may use.
    struct RecentWord {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::uint32_t length = 0;
        WordId id = 0;
    };
    static constexpr int recent_bits = 12;

    bool add_new(std::size_t sentence, std::string_view text);
    [[nodiscard]] WordId word_id(std::string_view word);
    [[nodiscard]] std::uint8_t* begin_text(std::size_t most);
    void end_text(const std::uint8_t* end) { new_text_ = {new_bytes_.data(), end}; }
    void encode_text(std::string_view text);
    [[nodiscard]] WordId separator_id(std::string_view white_space);
    void keep_separator(WordId id);
    bool add_row(std::size_t sentence);
    [[nodiscard]] std::uint32_t hash_of_new(std::uint32_t sentence) const;
    [[nodiscard]] bool equals_new(std::size_t row, std::uint32_t sentence) const;
    [[nodiscard]] std::span<const std::uint8_t> text_of(std::size_t row) const;
    void grow_table();
    void keep_within_limit();
    void write_text(NBest& lists, std::span<const std::uint32_t> order) const;

    std::shared_ptr<Vocabulary> word_names_;
    std::shared_ptr<Vocabulary> feature_names_;
    NBestOptions options_;

    // In order of arrival.
    GrowingArray<std::uint32_t> sentence_;
    FeatureRows features_;
    GrowingArray<std::uint8_t> text_;  // word ids as write_number writes them
    RunOffsets text_begin_;

    // Finds duplicates: open addressing, a power of two, half empty. While sentences come in order,
    // the table has the rows of the last one alone; rows before listed_ are of earlier ones.
    GrowingArray<std::uint32_t> hashes_;
    GrowingArray<std::uint32_t> slots_;  // row + 1; 0 means free
    std::size_t listed_ = 0;
    bool in_order_ = true;
    std::size_t duplicates_ = 0;
    std::uint32_t last_sentence_ = 0;
    std::size_t last_added_ = 0;
    std::vector<WordId> separators_;
    std::vector<RecentWord> recent_;
    std::size_t touched_ = 0;  // bytes since memory was last released

    // The hypothesis being added.
    std::vector<std::uint8_t> new_bytes_;
    std::span<const std::uint8_t> new_text_;  // the bytes in use
    std::vector<FeatureId> new_ids_;
    std::vector<double> new_values_;

    friend NBest merge(const NBest& first, const NBest& second);
};

// The hypotheses of both lists of each sentence, without repetition: those of `first` come first.
// They keep their statistics if both have them.
[[nodiscard]] NBest merge(const NBest& first, const NBest& second);

}  // namespace hopefear
