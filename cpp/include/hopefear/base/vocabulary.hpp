// Strings and their ids: words, feature names. An object, never a global.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hopefear {

// Numbers strings from 0 in order of first appearance. A million names cost their length and about
// 30 bytes each. Any number of threads may read and add at once: strings never move once added, so
// readers never wait; writers take turns. Moving a vocabulary is not thread-safe.
class Vocabulary {
  public:
    using Id = std::int32_t;

    Vocabulary();
    Vocabulary(Vocabulary&& other);
    Vocabulary& operator=(Vocabulary&& other) noexcept;

    // The id of `text`, which is added if it is new.
    Id add(std::string_view text);
    [[nodiscard]] std::optional<Id> find(std::string_view text) const;
    // The id of each of `texts`; -1 for unknown strings.
    [[nodiscard]] std::vector<Id> find_all(std::span<const std::string_view> texts) const;
    // Valid as long as the vocabulary exists.
    [[nodiscard]] std::string_view text(Id id) const;
    // All strings in the order of their ids.
    [[nodiscard]] std::vector<std::string_view> texts() const;
    [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }
    [[nodiscard]] std::size_t bytes() const;

  private:
    // From strings to ids: open addressing; a power of two, half empty.
    struct Table {
        explicit Table(std::size_t size);

        std::size_t size;
        std::unique_ptr<std::atomic<Id>[]> slots;
    };
    // The address of a string: its length, followed by its characters.
    using Place = const char*;

    // Block b of the places has 32 << b of them.
    static constexpr std::size_t block_count = 27;
    static constexpr std::size_t first_block = 32;

    void swap(Vocabulary& other) noexcept;
    [[nodiscard]] std::string_view at(std::size_t id) const;
    // The slot of `text`, or the free slot where it belongs.
    [[nodiscard]] std::atomic<Id>& slot(const Table& table, std::string_view text) const;
    [[nodiscard]] Place store(std::string_view text);
    void put(std::size_t id, Place place);
    void grow();

    std::array<std::atomic<Place*>, block_count> blocks_{};
    std::atomic<std::size_t> size_ = 0;
    std::atomic<const Table*> table_;
    mutable std::mutex mutex_;  // protects the members below, which readers do not need
    std::vector<std::unique_ptr<Place[]>> places_;
    std::vector<std::unique_ptr<Table>> tables_;  // readers may still use the old ones
    std::vector<std::unique_ptr<char[]>> characters_;
    std::size_t chunk_size_ = 0;
    std::size_t chunk_used_ = 0;
    std::size_t character_bytes_ = 0;
};

using WordId = Vocabulary::Id;

}  // namespace hopefear
