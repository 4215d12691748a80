// Sorting of more plain records than fit into memory: runs are sorted in memory, written to a
// temporary file and merged (Knuth, The art of computer programming, volume 3, section 5.4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hopefear/base/temporary_file.hpp"

namespace hopefear {

// Never combines two records.
struct KeepAll {
    template <class Record>
    bool operator()(Record&, const Record&) const {
        return false;
    }
};

template <class Record>
struct RunOfFile {
    const RecordFile<Record>* file;
    Run run;
};

// The smallest of the next records of several runs: a heap of readers.
template <class Record, class Less>
class RunMerge {
  public:
    RunMerge(std::span<const RunOfFile<Record>> runs, std::size_t block, Less less) : less_(less) {
        readers_.reserve(runs.size());
        for (const RunOfFile<Record>& one : runs) readers_.emplace_back(*one.file, one.run, block);
        std::erase_if(readers_, [](const auto& reader) { return reader.peek() == nullptr; });
        for (std::size_t i = readers_.size() / 2; i-- > 0;) sift(i);
    }

    [[nodiscard]] const Record* peek() const {
        return readers_.empty() ? nullptr : readers_.front().peek();
    }
    void advance() {
        readers_.front().advance();
        if (readers_.front().peek() == nullptr) {
            std::swap(readers_.front(), readers_.back());
            readers_.pop_back();
        }
        if (!readers_.empty()) sift(0);
    }

  private:
    // Restore the heap below `at`.
    void sift(std::size_t at) {
        for (;;) {
            std::size_t least = 2 * at + 1;
            if (least >= readers_.size()) return;
            if (least + 1 < readers_.size() &&
                less_(*readers_[least + 1].peek(), *readers_[least].peek()))
                ++least;
            if (!less_(*readers_[least].peek(), *readers_[at].peek())) return;
            std::swap(readers_[at], readers_[least]);
            at = least;
        }
    }

    std::vector<RunReader<Record>> readers_;
    Less less_;
};

// Push, finish, then read in order. `combine(into, other)` may combine two records that are equal
// in the order into one, and returns whether it did. The result does not depend on `bytes`,
// provided that equal records are always combined and that the sequence of combinations makes no
// difference.
template <class Record, class Less, class Combine = KeepAll>
class ExternalSort {
  public:
    // Uses at most about `bytes` of memory; beyond that, a file is created in `directory`.
    ExternalSort(std::size_t bytes, std::string directory, Less less = {}, Combine combine = {})
        : bytes_(bytes),
          directory_(std::move(directory)),
          less_(less),
          combine_(combine),
          capacity_(std::max<std::size_t>(2, bytes / sizeof(Record))) {}

    void push(const Record& record) {
        if (used_ == capacity_) make_room();
        buffer_.put(used_++, capacity_, record);
    }

    // Add records that another process has sorted.
    void add_run(std::shared_ptr<const RecordFile<Record>> file, Run run) {
        runs_.push_back({file.get(), run});
        given_.push_back(std::move(file));
    }

    // Ends the writing; reading begins.
    void finish() {
        sort_buffer();
        if (runs_.empty()) return;
        write_run();
        buffer_.clear();
        while (runs_.size() > fan_in()) merge_pass();
        merge_ = std::make_unique<RunMerge<Record, Less>>(runs_, block(runs_.size()), less_);
    }

    // Fetch the next record; false at the end.
    bool next(Record& record) {
        if (!merge_) {
            if (at_ == used_) return false;
            record = buffer_[at_++];
            return true;
        }
        return next_merged(*merge_, record);
    }

    // The number of records, before any are combined while merging.
    [[nodiscard]] std::uint64_t size() const {
        std::uint64_t count = runs_.empty() ? used_ : 0;
        for (const auto& [file, run] : runs_) count += run.end - run.begin;
        return count;
    }

  private:
    void sort_buffer() {
        std::sort(buffer_.data(), buffer_.data() + used_, less_);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < used_; ++i)
            if (kept == 0 || !combine_(buffer_[kept - 1], buffer_[i])) buffer_[kept++] = buffer_[i];
        used_ = kept;
    }

    // If many records are equal, combining them frees enough memory and nothing is written.
    void make_room() {
        sort_buffer();
        if (used_ > capacity_ / 2) write_run();
    }

    void write_run() {
        if (!file_) file_ = std::make_unique<RecordFile<Record>>(directory_);
        const std::uint64_t begin = file_->size();
        file_->append({buffer_.data(), used_});
        runs_.push_back({file_.get(), {begin, file_->size()}});
        used_ = 0;
    }

    // The buffer size, in records, of each of `runs` runs. Long reads need fewer seeks; beyond a
    // megabyte there is nothing to gain.
    [[nodiscard]] std::size_t block(std::size_t runs) const {
        const std::size_t bytes = std::min<std::size_t>(bytes_ / runs, std::size_t{1} << 20);
        return std::max<std::size_t>(1, bytes / sizeof(Record));
    }
    // How many runs are merged at once: each has a buffer of at least a page.
    [[nodiscard]] std::size_t fan_in() const {
        return std::clamp<std::size_t>(bytes_ >> 14, 2, 1024);
    }

    // Merge runs in groups, which leaves fewer and longer ones.
    void merge_pass() {
        auto merged = std::make_unique<RecordFile<Record>>(directory_);
        std::vector<RunOfFile<Record>> longer;
        const std::size_t records = block(fan_in() + 1);
        std::vector<Record> out(records);
        for (std::size_t first = 0; first < runs_.size(); first += fan_in()) {
            const std::size_t count = std::min(fan_in(), runs_.size() - first);
            const auto some = std::span<const RunOfFile<Record>>(runs_).subspan(first, count);
            RunMerge<Record, Less> merge(some, records, less_);
            const std::uint64_t begin = merged->size();
            std::size_t filled = 0;
            while (next_merged(merge, out[filled])) {
                if (++filled < records) continue;
                merged->append(out);
                filled = 0;
            }
            merged->append(std::span(out).first(filled));
            longer.push_back({merged.get(), {begin, merged->size()}});
        }
        file_ = std::move(merged);
        given_.clear();
        runs_ = std::move(longer);
    }

    bool next_merged(RunMerge<Record, Less>& merge, Record& record) const {
        const Record* least = merge.peek();
        if (least == nullptr) return false;
        record = *least;
        do {
            merge.advance();
            least = merge.peek();
        } while (least != nullptr && combine_(record, *least));
        return true;
    }

    std::size_t bytes_;
    std::string directory_;
    Less less_;
    Combine combine_;
    std::size_t capacity_;
    RecordBuffer<Record> buffer_;
    std::size_t used_ = 0;
    std::size_t at_ = 0;
    std::unique_ptr<RecordFile<Record>> file_;  // does not move, because readers point to it
    std::vector<std::shared_ptr<const RecordFile<Record>>> given_;
    std::vector<RunOfFile<Record>> runs_;
    std::unique_ptr<RunMerge<Record, Less>> merge_;
};

}  // namespace hopefear

namespace hopefear::extraction {

// Sorting on several threads: the keys are divided into ranges, each with a sort of its own.
template <class RecordType, class Less, class Combine = KeepAll>
class PartitionedSort {
  public:
    using Record = RecordType;
    using Sort = ExternalSort<Record, Less, Combine>;

    // All sorts together use at most about `bytes` of memory.
    PartitionedSort(std::size_t partitions, std::size_t bytes, const std::string& directory) {
        for (std::size_t i = 0; i < partitions; ++i)
            partitions_.push_back(std::make_unique<Partition>(bytes / partitions, directory));
    }

    // The records of one thread. They have all arrived when the feeder is destroyed.
    class Feeder {
      public:
        explicit Feeder(PartitionedSort& sort) : sort_(sort), batches_(sort.partitions_.size()) {}
        Feeder(const Feeder&) = delete;
        Feeder& operator=(const Feeder&) = delete;

        void push(std::size_t partition, const Record& record) {
            std::vector<Record>& batch = batches_[partition];
            if (batch.size() == batch_size) flush(partition);
            batch.push_back(record);
        }
        // Call this last.
        void flush() {
            for (std::size_t i = 0; i < batches_.size(); ++i) flush(i);
        }

      private:
        static constexpr std::size_t batch_size = 256;

        void flush(std::size_t partition) {
            Partition& into = *sort_.partitions_[partition];
            const std::lock_guard lock(into.mutex);
            for (const Record& record : batches_[partition]) into.sort.push(record);
            batches_[partition].clear();
        }

        PartitionedSort& sort_;
        std::vector<std::vector<Record>> batches_;
    };

    [[nodiscard]] std::size_t size() const { return partitions_.size(); }
    // The records of one partition, to be finished and read. Different threads may work on
    // different partitions.
    [[nodiscard]] Sort& operator[](std::size_t partition) { return partitions_[partition]->sort; }
    // Release the memory of a partition that has been read.
    void release(std::size_t partition) { partitions_[partition].reset(); }

  private:
    struct Partition {
        Partition(std::size_t bytes, const std::string& directory) : sort(bytes, directory) {}
        std::mutex mutex;
        Sort sort;
    };

    std::vector<std::unique_ptr<Partition>> partitions_;
};

}  // namespace hopefear::extraction
