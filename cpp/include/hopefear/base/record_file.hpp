// Plain records in a temporary file: appended as runs, each run read back in order, block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "hopefear/base/temporary_file.hpp"

namespace hopefear {

// Memory for records that is not touched before it is used: a large reserve costs address space.
template <class Record>
[[nodiscard]] std::unique_ptr<Record[]> reserve_records(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Record> &&
                  std::is_trivially_default_constructible_v<Record>);
    return std::make_unique_for_overwrite<Record[]>(count);
}

// A run: the records [begin, end) of a file.
struct Run {
    std::uint64_t begin;
    std::uint64_t end;
};

template <class Record>
class RecordFile {
  public:
    explicit RecordFile(const std::string& directory) : file_(directory) {}

    [[nodiscard]] std::uint64_t size() const { return file_.size() / sizeof(Record); }
    void append(std::span<const Record> records) { file_.append(std::as_bytes(records)); }
    void read(std::uint64_t at, std::span<Record> records) const {
        file_.read(at * sizeof(Record), std::as_writable_bytes(records));
    }

  private:
    TemporaryFile file_;
};

// Goes through one run with a buffer of `block` records.
template <class Record>
class RunReader {
  public:
    RunReader(const RecordFile<Record>& file, Run run, std::size_t block)
        : file_(&file),
          run_(run),
          block_(std::max<std::size_t>(1, std::min<std::uint64_t>(block, run.end - run.begin))),
          buffer_(reserve_records<Record>(block_)) {
        refill();
    }

    // The next record, or null at the end of the run.
    [[nodiscard]] const Record* peek() const { return at_ < filled_ ? &buffer_[at_] : nullptr; }
    void advance() {
        if (++at_ == filled_) refill();
    }

  private:
    void refill() {
        at_ = 0;
        filled_ = std::min<std::uint64_t>(block_, run_.end - run_.begin);
        file_->read(run_.begin, {buffer_.get(), filled_});
        run_.begin += filled_;
    }

    const RecordFile<Record>* file_;
    Run run_;
    std::size_t block_;
    std::unique_ptr<Record[]> buffer_;
    std::size_t at_ = 0;
    std::size_t filled_ = 0;
};

}  // namespace hopefear
