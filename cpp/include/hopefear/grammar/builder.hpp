// Makes a grammar from rules in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/base/growing_array.hpp"
#include "hopefear/grammar/grammar.hpp"
#include "hopefear/grammar/writer.hpp"

namespace hopefear {

// Rules are kept in memory, in little more than the size of the finished table. The features of the
// first rule are dense: every rule has them (by default 0, or 1 for a probability). All others are
// sparse.
class GrammarBuilder {
  public:
    GrammarBuilder();

    [[nodiscard]] const std::shared_ptr<Vocabulary>& source_words() const { return source_words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& target_words() const { return target_words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& labels() const { return labels_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }
    // The id of a feature, which is added if it is new; throws DataError if it exists with another
    // kind.
    FeatureId feature(std::string_view name, FeatureKind kind);

    // Add a rule. Words, labels and features must have been added before, every nonterminal of the
    // source side must have its slot on the target side, and links must connect words. Throws
    // DataError otherwise.
    void add(Label lhs, std::span<const Symbol> source, std::span<const Symbol> target,
             std::span<const Link> alignment, std::span<const FeatureId> ids,
             std::span<const float> values);

    [[nodiscard]] std::size_t rule_count() const { return entries_.size(); }
    // The grammar of all rules so far, in memory or as a file. Rules of one source side keep their
    // order.
    [[nodiscard]] std::unique_ptr<Grammar> build(std::string name) const;
    void write(const std::string& path, std::string notes) const;

  private:
    struct Entry {
        std::uint64_t source;  // beginning of its symbols
        std::uint64_t record;  // beginning of its bytes
        std::uint32_t source_length;
        std::uint32_t record_length;
    };

    void check_sides(Label lhs, std::span<const Symbol> source, std::span<const Symbol> target);
    void check_alignment(std::span<const Symbol> source, std::span<const Symbol> target,
                         std::span<const Link> alignment) const;
    void append_features(std::span<const FeatureId> ids, std::span<const float> values);
    [[nodiscard]] std::span<const Symbol> source(const Entry& entry) const {
        return sources_.span(entry.source, entry.source_length);
    }
    [[nodiscard]] std::vector<std::uint32_t> sorted() const;
    void write(std::unique_ptr<ByteSink> sink, const std::string& directory,
               std::string notes) const;

    std::shared_ptr<Vocabulary> source_words_;
    std::shared_ptr<Vocabulary> target_words_;
    std::shared_ptr<Vocabulary> labels_;
    std::shared_ptr<Vocabulary> feature_names_;
    std::vector<FeatureKind> kinds_;
    std::size_t dense_count_ = 0;
    GrowingArray<Symbol> sources_;
    GrowingArray<std::uint8_t> records_;
    GrowingArray<Entry> entries_;

    // Buffers, reused for each rule.
    std::vector<std::uint8_t> record_;
    std::vector<float> dense_;
    std::vector<std::pair<FeatureId, float>> sparse_;
    std::vector<FeatureId> sparse_ids_;
    std::vector<float> sparse_values_;
    std::vector<bool> slots_;
};

}  // namespace hopefear
