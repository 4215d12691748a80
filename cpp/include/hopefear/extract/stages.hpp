// The stages of an extraction, and the data passed between them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "hopefear/base/external_sort.hpp"
#include "hopefear/base/temporary_file.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/extract/extractor.hpp"
#include "hopefear/extract/rule_instance.hpp"
#include "hopefear/extract/target_counts.hpp"

namespace hopefear::extraction {

// A queue of bytes that is filled, then read once, in a temporary file.
class ByteQueue {
  public:
    // The file is created when needed; at most `buffer` bytes are kept in memory.
    explicit ByteQueue(std::string directory, std::size_t buffer = std::size_t{1} << 18)
        : directory_(std::move(directory)), capacity_(buffer) {}
    // One that another process has filled.
    explicit ByteQueue(TemporaryFile file) : capacity_(std::size_t{1} << 18) {
        file_.emplace(std::move(file));
    }

    void write(std::span<const std::uint8_t> bytes) {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        if (buffer_.size() >= capacity_) flush();
    }
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        write({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
    }
    // Ends the writing; reading begins.
    void finish() {
        if (file_) flush();
    }
    // Fill `bytes` with the next bytes, which must exist.
    void read(std::span<std::uint8_t> bytes) {
        while (!bytes.empty()) {
            if (at_ == buffer_.size()) refill();
            const std::size_t count = std::min(bytes.size(), buffer_.size() - at_);
            std::memcpy(bytes.data(), buffer_.data() + at_, count);
            at_ += count;
            bytes = bytes.subspan(count);
        }
    }
    [[nodiscard]] bool at_end() const {
        return at_ == buffer_.size() && (!file_ || position_ == file_->size());
    }
    // The bytes in memory that come next; none at the end.
    [[nodiscard]] std::span<const std::uint8_t> next_bytes() {
        if (at_end()) return {};
        if (at_ == buffer_.size()) refill();
        return std::span(buffer_).subspan(std::exchange(at_, buffer_.size()));
    }
    // Fetch a value; false at the end.
    template <class T>
    bool get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (at_end()) return false;
        read({reinterpret_cast<std::uint8_t*>(&value), sizeof value});
        return true;
    }

  private:
    void flush() {
        if (!file_) file_.emplace(directory_);
        file_->append(std::as_bytes(std::span(buffer_)));
        buffer_.clear();
    }
    void refill() {
        buffer_.resize(std::min<std::uint64_t>(capacity_, file_->size() - position_));
        file_->read(position_, std::as_writable_bytes(std::span(buffer_)));
        position_ += buffer_.size();
        at_ = 0;
    }

    std::string directory_;
    std::size_t capacity_;
    std::vector<std::uint8_t> buffer_;
    std::size_t at_ = 0;
    std::optional<TemporaryFile> file_;
    std::uint64_t position_ = 0;
};

// Data shared by all stages.
struct Job {
    const Bitext& bitext;
    Options options;
    Smoothing smoothing;
    const SourceFilter* filter;  // null if everything passes
    Resources resources;
    Progress progress;
    SourceKeys keys;
};

// Reports the progress of a stage, only from the thread that began it.
class StageProgress {
  public:
    StageProgress(const Progress& progress, std::string stage, std::uint64_t total)
        : progress_(progress), stage_(std::move(stage)), total_(total) {
        progress_(stage_, 0, total_);
    }
    void add(std::uint64_t count) {
        const std::uint64_t done = done_ += count;
        if (std::this_thread::get_id() == thread_) progress_(stage_, done, total_);
    }

  private:
    const Progress& progress_;
    std::string stage_;
    std::uint64_t total_;
    std::atomic<std::uint64_t> done_ = 0;
    std::thread::id thread_ = std::this_thread::get_id();
};

// Call work(next_block) on several threads; next_block() returns each block of 0..count once, until
// there are none left or another thread has thrown.
struct WorkBlock {
    std::size_t begin;
    std::size_t end;
};
template <class Work>
void work_in_blocks(std::size_t count, std::size_t block, std::size_t threads, const Work& work) {
    std::atomic<std::size_t> next = 0;
    const auto next_block = [&]() -> std::optional<WorkBlock> {
        const std::size_t begin = next.fetch_add(block);
        if (begin >= count) return std::nullopt;
        return WorkBlock{begin, std::min(begin + block, count)};
    };
    parallel_blocks(thread_count(threads), 1, threads, [&](std::size_t, std::size_t) {
        try {
            work(next_block);
        } catch (...) {
            next = count;
            throw;
        }
    });
}

// Ranges of source sides that are processed one by one.
struct Partitions {
    std::vector<SourceKey> first;  // of each but the first

    [[nodiscard]] std::size_t of(const SourceKey& key) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(first, key) - first.begin());
    }
    [[nodiscard]] std::size_t size() const { return first.size() + 1; }
};
[[nodiscard]] Partitions choose_partitions(const Job& job, std::size_t count);

// Stage 1: find all occurrences of rules.
using InstanceSort = PartitionedSort<RuleInstance, RuleInstanceLess, AddRuleInstances>;
struct Found {
    std::uint64_t phrase_pairs = 0;
    std::uint64_t instances = 0;
};
[[nodiscard]] Found collect_instances(const Job& job, SentenceRange sentences,
                                      const Partitions& partitions, InstanceSort& instances);

// How many rules have a joint count that rounds up to 1, 2, ..., 10.
using CountsOfCounts = std::array<std::uint64_t, 11>;
inline void count_rule(std::uint64_t count, CountsOfCounts& counts) {
    // Like Moses, round down sums that exceed a whole number by less than 10^-5.
    const double up = as_count(count) + 0.99999;
    if (up < 11.0) ++counts[static_cast<std::size_t>(up)];
}

// The records that stage 2 writes: for each source side a head, then its rules.
struct SourceHead {
    SourceKey source;
    std::uint64_t count;
    std::uint64_t rules;
};
struct RuleHead {
    std::uint64_t count;
    std::uint64_t target;  // a hash, without nonterminal indices
    float target_given_source;
    float source_given_target;
    std::uint32_t body_bytes;  // the part of the record that follows the features
    std::uint32_t unused;
};

// Stage 2: count and score the rules of one partition.
struct ScoredPartition {
    explicit ScoredPartition(ByteQueue queue) : rules(std::move(queue)) {}
    ByteQueue rules;
    std::uint64_t rule_count = 0;
    CountsOfCounts counts_of_counts{};
};
// Without targets, these are read off the records later.
void score_rules(const Job& job, InstanceSort::Sort& instances, TargetCounts::Feeder* targets,
                 ScoredPartition& scored);

// The hash of a rule, and a part of its count.
struct RulePart {
    std::uint64_t rule;
    std::uint64_t count;
};
struct RulePartLess {
    bool operator()(const RulePart& a, const RulePart& b) const { return a.rule < b.rule; }
};
struct AddRuleParts {
    bool operator()(RulePart& into, const RulePart& other) const {
        if (into.rule != other.rule) return false;
        into.count += other.count;
        return true;
    }
};
// Partitions are by the highest bits of the hash.
using RulePartSort = PartitionedSort<RulePart, RulePartLess, AddRuleParts>;
inline constexpr std::size_t rule_parts = 64;

// With a filter: add the counts of the target sides of kept rules in some sentences; if requested,
// collect the counts of all rules.
void count_places(const Job& job, SentenceRange sentences, TargetCounts& targets,
                  RulePartSort* rules);
[[nodiscard]] CountsOfCounts count_rules(RulePartSort& rules, std::size_t threads);

}  // namespace hopefear::extraction
