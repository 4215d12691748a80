// Collects hypotheses in any order, without duplicates, and makes n-best lists of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

struct NBestOptions {
    std::size_t memory_limit = 0;  // bytes; beyond it the arrays move to a file; 0: no limit
    std::string directory;         // of that file; empty: the system's directory for such files
};

class NBestBuilder {
  public:
    NBestBuilder(std::shared_ptr<Vocabulary> word_names, std::shared_ptr<Vocabulary> feature_names,
                 NBestOptions options = {});

    // Add a hypothesis; false if there is an equal one already: same sentence, same text, same
    // features with the same values. Blanks around the text do not count. Ids in any order;
    // repeated ids are added up.
    bool add(std::size_t sentence, std::string_view text, std::span<const FeatureId> ids,
             std::span<const double> values);
    // Add all hypotheses of other lists; the number of those that were new.
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

    // The lists; at least `sentences` of them. The builder is empty afterwards.
    [[nodiscard]] NBest finish(std::size_t sentences = 0);

  private:
    void encode_text(std::string_view text);
    void write_separator(std::string_view white_space);
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
    GrowingArray<std::uint8_t> text_;  // word ids as variable_bytes.hpp writes them
    RunOffsets text_begin_;

    // Finds duplicates: open addressing, a power of two, half empty.
    GrowingArray<std::uint32_t> hashes_;
    GrowingArray<std::uint32_t> slots_;  // one more than the row; 0: free
    std::size_t duplicates_ = 0;
    std::uint32_t last_sentence_ = 0;
    std::vector<WordId> separators_;
    std::size_t touched_ = 0;  // bytes since memory was given back

    // The hypothesis being added.
    std::vector<std::uint8_t> new_text_;
    std::vector<FeatureId> new_ids_;
    std::vector<double> new_values_;
};

}  // namespace hopefear
