// Counts of target sides over all source sides.
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

// Rules are added by partition of their source sides, in order, and get the counts of their target
// sides back in the same order. If all rules are kept, their counts are summed by target side and
// sorted back. If only some rules are kept, the counts of their target sides are taken from the
// whole bitext (`add_place`).
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
        // Call this last.
        void finish();

      private:
        TargetCounts& counts_;
        std::size_t partition_;
        std::uint64_t rule_ = 0;
        std::optional<PartitionedSort<TargetRecord, TargetRecordLess>::Feeder> feeder_;
        std::vector<std::uint64_t> kept_;
    };

    // Ends the adding of rules. Occurrences are to be added before `sum`.
    void finish_rules();
    // Add to the count of a target side if a kept rule has it. Thread-safe.
    void add_place(std::uint64_t target, std::uint64_t count);
    // The count of a target side that a kept rule has.
    [[nodiscard]] std::uint64_t count_of(std::uint64_t target);
    // Sum the counts if necessary.
    void sum(std::size_t threads);

    // Returns the counts of a partition's rules, in order.
    class Reader {
      public:
        Reader(TargetCounts& counts, std::size_t partition);
        [[nodiscard]] std::uint64_t next(std::uint64_t target);

      private:
        TargetCounts& counts_;
        PartitionedSort<RuleTotal, RuleTotalLess>::Sort* sort_ = nullptr;
    };
    // Release the memory of a partition that has been read.
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
    // For kept rules: their target sides, later a table of them.
    std::vector<std::vector<std::uint64_t>> kept_;
    std::unique_ptr<Slot[]> slots_;
    std::size_t slot_count_ = 0;
    std::vector<std::uint64_t> bits_;  // a bit for each hash that may be in the table
};

}  // namespace hopefear::extraction
