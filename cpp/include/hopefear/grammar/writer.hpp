// Writes a grammar from rules sorted by source side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/checksum.hpp"
#include "hopefear/base/growing_array.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear {

// The destination of a file: on disk, where it appears only when complete, or in memory.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    // Append bytes.
    virtual void write(std::span<const std::uint8_t> bytes) = 0;
    // Replace bytes that were written before.
    virtual void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) = 0;
    // Complete the file.
    virtual void finish() = 0;
};

// Writes a new file beside `path`; `finish` syncs it to disk and renames it. Without `finish`
// nothing is left behind.
class FileSink final : public ByteSink {
  public:
    explicit FileSink(std::string path);
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;
    ~FileSink() override;

    void write(std::span<const std::uint8_t> bytes) override;
    void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
    void finish() override;

  private:
    void flush();
    [[noreturn]] void fail_to_write(int error) const;

    std::string path_;
    std::string temporary_;
    int file_ = -1;
    std::uint64_t flushed_ = 0;
    std::vector<std::uint8_t> buffer_;
};

// Moves everything to `out` in `finish`.
class MemorySink final : public ByteSink {
  public:
    explicit MemorySink(std::vector<std::uint8_t>& out) : out_(out) {}
    void write(std::span<const std::uint8_t> bytes) override;
    void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
    void finish() override { out_ = std::move(bytes_); }

  private:
    std::vector<std::uint8_t>& out_;
    std::vector<std::uint8_t> bytes_;
};

// A rule's record without its features.
struct RuleBody {
    Label lhs = 0;
    std::int32_t source_length = 0;
    std::int32_t arity = 0;
    std::span<const Symbol> target;
    std::span<const Link> alignment;  // sorted
};

// Append the part of a record that follows the dense features, up to the sparse ones.
void append_body(const RuleBody& body, std::vector<std::uint8_t>& out);
// Append sparse features, in the order of their ids.
void append_sparse(std::span<const FeatureId> ids, std::span<const float> values,
                   std::vector<std::uint8_t>& out);
// Pad to a multiple of 4 bytes, where the next record begins.
void pad_record(std::vector<std::uint8_t>& out);

// The strings of the ids in rules.
struct GrammarNames {
    const Vocabulary* source_words = nullptr;
    const Vocabulary* target_words = nullptr;
    const Vocabulary* labels = nullptr;
    const Vocabulary* features = nullptr;  // the dense ones first
    std::span<const FeatureKind> kinds;
    std::string notes;
};

class GrammarWriter {
  public:
    // If the trie outgrows `memory` bytes, it moves to unnamed files in `directory`.
    GrammarWriter(std::unique_ptr<ByteSink> sink, std::size_t dense_count, bool has_sparse,
                  std::string directory, std::size_t memory);

    // Add a source side and its rules, as records. Source sides must come in lexicographic order of
    // their symbols.
    void add_source(std::span<const Symbol> source, std::size_t rule_count,
                    std::span<const std::uint8_t> records);
    // Write the remaining sections.
    void finish(const GrammarNames& names);

    [[nodiscard]] std::uint64_t rule_count() const { return header_.rule_count; }
    [[nodiscard]] std::uint64_t source_count() const { return header_.source_count; }
    [[nodiscard]] std::uint64_t bytes() const { return header_.file_size; }

  private:
    // The nodes at one depth. first_child counts in the next level.
    struct Level {
        GrowingArray<std::int32_t> symbols;
        GrowingArray<std::uint32_t> first_child;
        GrowingArray<std::uint32_t> blocks;
    };

    void add_nodes(std::span<const Symbol> source);
    void spill_if_needed();
    void begin_section(GrammarHeader::Section section);
    void put(std::span<const std::uint8_t> bytes);
    template <class T>
    void put_array(std::span<const T> values);
    void end_section();
    void put_trie();
    void put_strings(GrammarHeader::Section section, const Vocabulary& strings);

    std::unique_ptr<ByteSink> sink_;
    std::string directory_;
    std::size_t memory_;
    GrammarHeader header_;
    std::vector<Level> levels_;
    std::vector<Symbol> previous_;
    GrammarHeader::Section section_ = GrammarHeader::rules;
    Checksum checksum_;
    std::uint64_t position_ = 0;
};

}  // namespace hopefear
