// Scored rules, kept for the next sentence that needs them; shared by threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hopefear/decode/rule_list.hpp"

namespace hopefear {

class RuleCache {
  public:
    // Holds about `max_bytes` at most.
    RuleCache(const RuleScorer& scorer, std::size_t max_bytes);

    // The rules at a state; what is given stays, whatever the cache does with it later.
    [[nodiscard]] std::shared_ptr<const RuleGroup> find(std::size_t part, Grammar::State state,
                                                        Rule& buffer);

  private:
    // Each has its own lock, so that threads seldom wait.
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::uint64_t, std::shared_ptr<const RuleGroup>> groups;
        std::size_t bytes = 0;
    };

    static constexpr std::size_t shard_count = 64;

    const RuleScorer* scorer_;
    std::size_t max_shard_bytes_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace hopefear
