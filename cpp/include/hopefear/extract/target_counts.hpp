// How often each target side occurs, with any source side.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hopefear/base/external_sort.hpp"

namespace hopefear::extraction {

struct TargetRecord {
    std::uint64_t target;
    std::uint64_t rule;
    std::uint64_t count;
};
struct TargetRecordLess {
    bool operator()(const TargetRecord& a, const TargetRecord& b) const {
        return a.target < b.target;
    }
};
struct RuleTotal {
    std::uint64_t rule;
    std::uint64_t count;
};
struct RuleTotalLess {
    bool operator()(const RuleTotal& a, const RuleTotal& b) const { return a.rule < b.rule; }
};

// Rules come by partition of their source sides, in order, and get the counts of their target sides
// back in the same order. When all rules are there, their own counts add up to those of the target
// sides: sorted by target side they are summed, then sorted back. When only some rules were kept,
// the counts of their target sides are taken from all places in the bitext (`add_place`).
class TargetCounts {
  public:
    TargetCounts(std::size_t partitions, bool all_rules, std::size_t memory,
                 const std::string& directory);

    // Adds the rules of one partition after the other, on one thread.
    class Feeder {
      public:
        Feeder(TargetCounts& counts, std::size_t partition);
        // The next rule of the partition.
        void add(std::uint64_t target, std::uint64_t count);
        // Call it last.
        void finish();

      private:
        TargetCounts& counts_;
        std::size_t partition_;
        std::uint64_t rule_ = 0;
        std::optional<PartitionedSort<TargetRecord, TargetRecordLess>::Feeder> feeder_;
        std::vector<std::uint64_t> kept_;
    };

    // All rules have been added. Places are to be added before `sum`.
    void finish_rules();
    // Add to the count of a target side, if it is one of a kept rule. Threads may do so at once.
    void add_place(std::uint64_t target, std::uint64_t count);
    // Sum up, if that is needed.
    void sum(std::size_t threads);

    // Gives the counts of a partition's rules, in order.
    class Reader {
      public:
        Reader(TargetCounts& counts, std::size_t partition);
        [[nodiscard]] std::uint64_t next(std::uint64_t target);

      private:
        TargetCounts& counts_;
        PartitionedSort<RuleTotal, RuleTotalLess>::Sort* sort_ = nullptr;
    };
    // The partition has been read: give its memory back.
    void release(std::size_t partition);

  private:
    struct Slot {
        std::uint64_t target = 0;
        std::atomic<std::uint64_t> count = 0;
    };

    void sum_targets(std::size_t part);
    void build_table();
    [[nodiscard]] Slot* find(std::uint64_t target);

    bool all_rules_;
    std::optional<PartitionedSort<TargetRecord, TargetRecordLess>> targets_;
    std::optional<PartitionedSort<RuleTotal, RuleTotalLess>> totals_;
    // For kept rules: their target sides, then a table of them.
    std::vector<std::vector<std::uint64_t>> kept_;
    std::unique_ptr<Slot[]> slots_;
    std::size_t slot_count_ = 0;
    std::vector<std::uint64_t> bits_;  // a bit for each hash that may be in the table
};

}  // namespace hopefear::extraction
