// The layout of a grammar file.
//
// A header with a table of sections, then the sections, each at a multiple of 8 bytes. All numbers
// are little-endian, as in memory.
//
//   rules          for each source side: the number of its rules (32 bits), then a record each
//   symbols        for each trie node: the symbol that leads to it (32 bits)
//   first_child    for each node, and one more: its first child (32 bits); the children of a node
//                  are adjacent, sorted by symbol, and follow the node
//   blocks         for each node: where its rules are, in units of 4 bytes, or `no_rules` (32 bits)
//   source_words, target_words, labels, features     strings: their number, the offset of each and
//                  of the end (64 bits), characters
//   kinds          of each feature (a byte)
//   notes          text: how the grammar was made
//
// A record: the dense features (32 bits each); the length of the source side, the number of its
// nonterminals, the left-hand side, the length of the target side, its symbols, the number of
// links, the links, and, if any rule has them, the number of sparse features and each one's id and
// value (32 bits). Numbers without a given size are written by `write_number`. A slot of the target
// side is its number, a word its id plus the number of nonterminals; a link is source * (length of
// the target side) + target. Records begin at multiples of 4 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hopefear/base/checksum.hpp"
#include "hopefear/base/mapped_file.hpp"

namespace hopefear {

// Read-only bytes of a mapped file or on the heap.
class FileBytes {
  public:
    // Map a file; throws FormatError if it cannot be read.
    explicit FileBytes(const std::string& path)
        : file_(std::in_place, path), mapping_(std::in_place, *file_) {}
    explicit FileBytes(std::vector<std::uint8_t> bytes) : owned_(std::move(bytes)) {}
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    [[nodiscard]] std::span<const std::uint8_t> span() const {
        return mapping_ ? mapping_->span() : std::span<const std::uint8_t>(owned_);
    }
    // Of `size` bytes from `offset` on, which lie inside. Those of a file are not read through the
    // mapping; throws FormatError if it is truncated meanwhile.
    [[nodiscard]] std::uint64_t checksum(std::size_t offset, std::size_t size) const {
        return file_ ? file_->checksum(offset, size) : Checksum::of(span().subspan(offset, size));
    }
    // Take the pages of a file out of the memory of the process; they come back when needed.
    void forget_pages() const {
        if (mapping_) mapping_->forget_pages();
    }
    // Throw FormatError if the file was truncated, or written to such that it is not `intact`.
    void check_unchanged(const std::function<bool()>& intact) const {
        if (mapping_) mapping_->check_unchanged(intact);
    }

  private:
    std::optional<OpenFile> file_;
    std::optional<Mapping> mapping_;
    std::vector<std::uint8_t> owned_;
};

struct GrammarHeader {
    enum Section {
        rules,
        symbols,
        first_child,
        blocks,
        source_words,
        target_words,
        labels,
        features,
        kinds,
        notes,
        section_count
    };
    struct Place {
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        std::uint64_t checksum = 0;
    };
    static constexpr std::array<char, 8> signature{'h', 'f', 'g', 'r', 'a', 'm', 'm', 'r'};
    static constexpr std::uint32_t current_version = 1;
    static constexpr std::uint32_t native_order = 0x01020304;
    static constexpr std::uint32_t no_rules = 0xffffffff;

    std::array<char, 8> magic = signature;
    std::uint32_t version = current_version;
    std::uint32_t byte_order = native_order;
    std::uint64_t file_size = 0;
    std::uint64_t rule_count = 0;
    std::uint64_t source_count = 0;  // source sides with rules
    std::uint64_t node_count = 0;
    std::uint32_t dense_count = 0;  // features that every rule has; they come first
    std::uint32_t has_sparse = 0;
    std::array<Place, section_count> places{};
    std::uint64_t checksum = 0;  // of all the bytes before it
};

}  // namespace hopefear
