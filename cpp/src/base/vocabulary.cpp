#include "hopefear/base/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"

namespace hopefear {

namespace {

// Chunks of characters double from the first size to the last.
constexpr std::size_t first_chunk = 256;
constexpr std::size_t last_chunk = std::size_t{1} << 16;

}  // namespace

Vocabulary::Table::Table(std::size_t size)
    : size(size), slots(std::make_unique<std::atomic<Id>[]>(size)) {
    for (std::size_t i = 0; i < size; ++i) slots[i].store(-1, std::memory_order_relaxed);
}

Vocabulary::Vocabulary() {
    tables_.push_back(std::make_unique<Table>(64));
    table_ = tables_.back().get();
}

Vocabulary::Vocabulary(Vocabulary&& other) : Vocabulary() {
    swap(other);
}

Vocabulary& Vocabulary::operator=(Vocabulary&& other) noexcept {
    swap(other);
    return *this;
}

void Vocabulary::swap(Vocabulary& other) noexcept {
    for (std::size_t i = 0; i < block_count; ++i)
        blocks_[i].store(other.blocks_[i].exchange(blocks_[i].load()));
    size_.store(other.size_.exchange(size_.load()));
    table_.store(other.table_.exchange(table_.load()));
    places_.swap(other.places_);
    tables_.swap(other.tables_);
    characters_.swap(other.characters_);
    std::swap(chunk_size_, other.chunk_size_);
    std::swap(chunk_used_, other.chunk_used_);
    std::swap(character_bytes_, other.character_bytes_);
}

std::string_view Vocabulary::at(std::size_t id) const {
    const std::size_t shifted = id + first_block;
    const auto block = static_cast<std::size_t>(std::bit_width(shifted)) - 6;
    const Place* const places = blocks_[block].load(std::memory_order_acquire);
    const Place place = places[shifted - (first_block << block)];
    std::uint32_t length = 0;
    std::memcpy(&length, place, sizeof length);
    return {place + sizeof length, length};
}

std::string_view Vocabulary::text(Id id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= size())
        fail<DataError>("id ", id, " is not in the vocabulary, which has ", size(), " entries");
    return at(static_cast<std::size_t>(id));
}

std::atomic<Vocabulary::Id>& Vocabulary::slot(const Table& table, std::string_view text) const {
    const std::size_t mask = table.size - 1;
    std::size_t place = hash_bytes(text) & mask;
    while (true) {
        std::atomic<Id>& slot = table.slots[place];
        const Id id = slot.load(std::memory_order_acquire);
        if (id < 0 || at(static_cast<std::size_t>(id)) == text) return slot;
        place = (place + 1) & mask;
    }
}

std::optional<Vocabulary::Id> Vocabulary::find(std::string_view text) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    const Id id = slot(table, text).load(std::memory_order_acquire);
    return id < 0 ? std::nullopt : std::optional<Id>(id);
}

std::vector<Vocabulary::Id> Vocabulary::find_all(std::span<const std::string_view> texts) const {
    std::vector<Id> ids;
    ids.reserve(texts.size());
    for (const std::string_view text : texts) ids.push_back(find(text).value_or(-1));
    return ids;
}

std::vector<std::string_view> Vocabulary::texts() const {
    const std::size_t count = size();
    std::vector<std::string_view> all;
    all.reserve(count);
    for (std::size_t id = 0; id < count; ++id) all.push_back(at(id));
    return all;
}

Vocabulary::Id Vocabulary::add(std::string_view text) {
    if (const auto known = find(text)) return *known;
    const std::lock_guard lock(mutex_);
    if (const auto known = find(text)) return *known;  // another thread added it
    const std::size_t id = size();
    if (id >= static_cast<std::size_t>(std::numeric_limits<Id>::max()))
        fail<DataError>("more than ", std::numeric_limits<Id>::max(), " different strings");
    if (text.size() > std::numeric_limits<std::uint32_t>::max())
        fail<DataError>("a string of ", text.size(), " bytes is too long for a vocabulary");
    if (2 * (id + 1) > tables_.back()->size) grow();
    put(id, store(text));
    std::atomic<Id>& free = slot(*tables_.back(), text);
    size_.store(id + 1, std::memory_order_release);
    // A reader of the slot sees everything written before.
    free.store(static_cast<Id>(id), std::memory_order_release);
    return static_cast<Id>(id);
}

Vocabulary::Place Vocabulary::store(std::string_view text) {
    const auto length = static_cast<std::uint32_t>(text.size());
    const std::size_t bytes = sizeof length + text.size();
    if (chunk_used_ + bytes > chunk_size_) {
        const std::size_t doubled = std::clamp(2 * chunk_size_, first_chunk, last_chunk);
        chunk_size_ = std::max(doubled, bytes);
        characters_.push_back(std::make_unique_for_overwrite<char[]>(chunk_size_));
        character_bytes_ += chunk_size_;
        chunk_used_ = 0;
    }
    char* const place = characters_.back().get() + chunk_used_;
    std::memcpy(place, &length, sizeof length);
    std::memcpy(place + sizeof length, text.data(), text.size());
    chunk_used_ += bytes;
    return place;
}

void Vocabulary::put(std::size_t id, Place place) {
    const std::size_t shifted = id + first_block;
    const auto block = static_cast<std::size_t>(std::bit_width(shifted)) - 6;
    Place* places = blocks_[block].load(std::memory_order_relaxed);
    if (places == nullptr) {
        places_.push_back(std::make_unique<Place[]>(first_block << block));
        places = places_.back().get();
        blocks_[block].store(places, std::memory_order_release);
    }
    places[shifted - (first_block << block)] = place;
}

void Vocabulary::grow() {
    tables_.push_back(std::make_unique<Table>(2 * tables_.back()->size));
    const Table& table = *tables_.back();
    const std::size_t count = size();
    for (std::size_t id = 0; id < count; ++id)
        slot(table, at(id)).store(static_cast<Id>(id), std::memory_order_relaxed);
    table_.store(&table, std::memory_order_release);
}

std::size_t Vocabulary::bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = character_bytes_;
    for (std::size_t block = 0; block < places_.size(); ++block)
        bytes += (first_block << block) * sizeof(Place);
    for (const auto& table : tables_) bytes += table->size * sizeof(std::atomic<Id>);
    return bytes;
}

}  // namespace hopefear
