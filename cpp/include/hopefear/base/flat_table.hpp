// A small table from integers to plain values that is emptied and filled again and again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hopefear/base/hash.hpp"

namespace hopefear {

// Open addressing; at least half of the slots are empty. `clear` keeps the memory, and takes no
// time for slots that were not used.
template <class Value>
class FlatTable {
  public:
    // The value of `key`, and whether it is new.
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

}  // namespace hopefear
