// Sorting on several threads: the keys are divided into ranges, each with a sort of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hopefear/base/external_sort.hpp"

namespace hopefear::extraction {

template <class Record, class Less, class Combine = KeepAll>
class PartitionedSort {
  public:
    using Sort = ExternalSort<Record, Less, Combine>;

    // All sorts together hold at most about `bytes` of memory.
    PartitionedSort(std::size_t partitions, std::size_t bytes, const std::string& directory) {
        for (std::size_t i = 0; i < partitions; ++i)
            partitions_.push_back(std::make_unique<Partition>(bytes / partitions, directory));
    }

    // What one thread puts in; it is all there when the feeder is gone.
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
        // Call it last.
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
    // The records of one partition, to be finished and read; different threads may have different
    // ones.
    [[nodiscard]] Sort& operator[](std::size_t partition) { return partitions_[partition]->sort; }
    // A partition has been read: give its memory back.
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
