// A small table from integers to plain values that is cleared and refilled many times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hopefear/base/hash.hpp"

namespace hopefear {

// Open addressing; at least half of the slots are free. `clear` keeps the memory and takes no time
// for slots that were not used.
template <class Value>
class FlatTable {
  public:
    // The value of `key`, inserted if necessary, and whether it is new.
    std::pair<Value*, bool> insert(std::uint64_t key) {
        if (2 * (used_.size() + 1) > slots_.size()) grow();
        Slot& slot = slots_[find(key)];
        if (slot.used) return {&slot.value, false};
        used_.push_back(static_cast<std::uint32_t>(&slot - slots_.data()));
        slot = {key, Value(), true};
        return {&slot.value, true};
    }
    void clear() {
        for (const std::uint32_t slot : used_) slots_[slot].used = false;
        used_.clear();
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        Value value{};
        bool used = false;
    };

    [[nodiscard]] std::size_t find(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = mix(key) & mask;
        while (slots_[at].used && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (std::uint32_t& place : used_) {
            const std::size_t at = find(old[place].key);
            slots_[at] = old[place];
            place = static_cast<std::uint32_t>(at);
        }
    }

    std::vector<Slot> slots_ = std::vector<Slot>(256);
    std::vector<std::uint32_t> used_;
};

// Counts of keys.

// Open addressing, at most half full.
class KeyCounts {
  public:
    // The count of a key. Set it to more than 0: a key with count 0 is not stored.
    std::uint64_t& operator[](std::uint64_t key) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        Slot& slot = find(key);
        if (slot.count == 0) {
            slot.key = key;
            ++used_;
        }
        return slot.count;
    }
    // The count of a key, 0 if it never occurred.
    [[nodiscard]] std::uint64_t count(std::uint64_t key) const {
        return slots_.empty() ? 0 : slots_[place(key)].count;
    }
    [[nodiscard]] std::size_t size() const { return used_; }
    // Call use(key, count) for each key, in no particular order.
    template <class Use>
    void for_each(const Use& use) const {
        for (const Slot& slot : slots_)
            if (slot.count > 0) use(slot.key, slot.count);
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t count = 0;  // 0: free
    };

    [[nodiscard]] std::size_t place(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = mix(key) & mask;
        while (slots_[at].count > 0 && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    Slot& find(std::uint64_t key) { return slots_[place(key)]; }
    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.count > 0) find(slot.key) = slot;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

// Two numbers as one key.
[[nodiscard]] constexpr std::uint64_t pair_key(std::uint32_t first, std::uint32_t second) {
    return static_cast<std::uint64_t>(first) << 32 | second;
}
[[nodiscard]] constexpr std::uint32_t first_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32);
}
[[nodiscard]] constexpr std::uint32_t second_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
}

}  // namespace hopefear
