#include "hopefear/decode/rule_cache.hpp"

#include "hopefear/base/hash.hpp"

namespace hopefear {

namespace {

std::size_t bytes_of(const RuleGroup& group) {
    std::size_t bytes = 128;  // of the map and the pointers
    for (const RuleList& list : group)
        bytes += sizeof list + list.rules.capacity() * sizeof(ScoredRule) +
                 list.symbols.capacity() * sizeof(Symbol) +
                 list.template_ids.capacity() * (sizeof(FeatureId) + sizeof(double));
    return bytes;
}

}  // namespace

RuleCache::RuleCache(const RuleScorer& scorer, std::size_t max_bytes)
    : scorer_(&scorer), max_shard_bytes_(max_bytes / shard_count) {}

std::shared_ptr<const RuleGroup> RuleCache::find(std::size_t part, Grammar::State state,
                                                 Rule& buffer) {
    const std::uint64_t key = (static_cast<std::uint64_t>(part) << 32) | state;
    Shard& shard = shards_[mix(key) % shard_count];
    {
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.groups.find(key);
        if (found != shard.groups.end()) return found->second;
    }
    auto group = std::make_shared<const RuleGroup>(scorer_->score(part, state, buffer));
    const std::lock_guard lock(shard.mutex);
    const std::size_t bytes = bytes_of(*group);
    if (shard.bytes + bytes > max_shard_bytes_) {
        shard.groups.clear();
        shard.bytes = 0;
    }
    const auto [place, added] = shard.groups.emplace(key, std::move(group));
    if (added) shard.bytes += bytes;
    return place->second;
}

}  // namespace hopefear
