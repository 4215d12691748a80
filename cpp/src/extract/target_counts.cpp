#include "hopefear/extract/target_counts.hpp"

#include <algorithm>
#include <bit>

#include "hopefear/base/threads.hpp"

namespace hopefear::extraction {

namespace {

// Hashes are evenly distributed: their highest bits divide them.
constexpr std::size_t target_parts = 64;
std::size_t target_part(std::uint64_t target) {
    return target >> 58;
}

// A rule's number: its partition and its place there.
constexpr int place_bits = 40;

constexpr std::uint64_t free_slot = 0;
// 0 marks a free slot.
std::uint64_t used_key(std::uint64_t target) {
    return target == free_slot ? 1 : target;
}

}  // namespace

TargetCounts::TargetCounts(std::size_t partitions, bool all_rules, std::size_t memory,
                           const std::string& directory)
    : all_rules_(all_rules), kept_(all_rules ? 0 : partitions) {
    if (!all_rules) return;
    targets_.emplace(target_parts, memory / 3 * 2, directory);
    totals_.emplace(partitions, memory / 3, directory);
}

TargetCounts::Feeder::Feeder(TargetCounts& counts, std::size_t partition)
    : counts_(counts), partition_(partition) {
    if (counts.all_rules_) feeder_.emplace(*counts.targets_);
}

void TargetCounts::Feeder::add(std::uint64_t target, std::uint64_t count) {
    if (feeder_) {
        const std::uint64_t rule = static_cast<std::uint64_t>(partition_) << place_bits | rule_++;
        feeder_->push(target_part(target), {target, rule, count});
    } else {
        kept_.push_back(used_key(target));
    }
}

void TargetCounts::Feeder::finish() {
    if (feeder_) {
        feeder_->flush();
        return;
    }
    std::ranges::sort(kept_);
    kept_.erase(std::ranges::unique(kept_).begin(), kept_.end());
    counts_.kept_[partition_] = std::move(kept_);
}

void TargetCounts::finish_rules() {
    if (!all_rules_) build_table();
}

void TargetCounts::build_table() {
    std::size_t count = 1;
    for (const auto& kept : kept_) count += kept.size();
    slot_count_ = std::bit_ceil(2 * count);
    slots_ = std::make_unique<Slot[]>(slot_count_);
    bits_.assign(std::max<std::size_t>(1, slot_count_ / 8), 0);
    for (auto& kept : kept_) {
        for (const std::uint64_t target : kept) {
            find(target)->target = target;
            bits_[(target >> 6) & (bits_.size() - 1)] |= std::uint64_t{1} << (target & 63);
        }
        kept = {};
    }
}

// The slot of a target side, or the free slot where it belongs.
TargetCounts::Slot* TargetCounts::find(std::uint64_t target) {
    std::size_t at = (target >> 20) & (slot_count_ - 1);
    while (slots_[at].target != free_slot && slots_[at].target != target)
        at = (at + 1) & (slot_count_ - 1);
    return &slots_[at];
}

void TargetCounts::add_place(std::uint64_t target, std::uint64_t count) {
    target = used_key(target);
    if ((bits_[(target >> 6) & (bits_.size() - 1)] >> (target & 63) & 1) == 0) return;
    Slot* const slot = find(target);
    if (slot->target == target) slot->count.fetch_add(count, std::memory_order_relaxed);
}

std::uint64_t TargetCounts::count_of(std::uint64_t target) {
    return find(used_key(target))->count.load();
}

void TargetCounts::sum(std::size_t threads) {
    if (!all_rules_) return;
    parallel_blocks(target_parts, 1, threads, [this](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part) sum_targets(part);
    });
}

void TargetCounts::sum_targets(std::size_t part) {
    auto& sort = (*targets_)[part];
    sort.finish();
    PartitionedSort<RuleTotal, RuleTotalLess>::Feeder feeder(*totals_);
    std::vector<std::uint64_t> rules;  // of one target side
    TargetRecord record{};
    bool more = sort.next(record);
    while (more) {
        const std::uint64_t target = record.target;
        std::uint64_t count = 0;
        rules.clear();
        for (; more && record.target == target; more = sort.next(record)) {
            count += record.count;
            rules.push_back(record.rule);
        }
        for (const std::uint64_t rule : rules)
            feeder.push(rule >> place_bits, {rule & ((std::uint64_t{1} << place_bits) - 1), count});
    }
    feeder.flush();
    targets_->release(part);
}

TargetCounts::Reader::Reader(TargetCounts& counts, std::size_t partition) : counts_(counts) {
    if (!counts.all_rules_) return;
    sort_ = &(*counts.totals_)[partition];
    sort_->finish();
}

std::uint64_t TargetCounts::Reader::next(std::uint64_t target) {
    if (sort_ == nullptr) return counts_.count_of(target);
    RuleTotal total{};
    sort_->next(total);
    return total.count;
}

void TargetCounts::release(std::size_t partition) {
    if (all_rules_) totals_->release(partition);
}

}  // namespace hopefear::extraction
