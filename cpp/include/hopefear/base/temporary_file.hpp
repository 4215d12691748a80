// Unnamed temporary files: unlinked before anything is written, so that nothing is left behind,
// however the process ends. Files with a name are for other processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "hopefear/base/growing_array.hpp"

namespace hopefear {

// Open a new unnamed file in `directory`; the caller closes it.
[[nodiscard]] int open_nameless(const std::string& directory);

// Append-only for writing, random access for reading.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& directory)
        : directory_(directory), file_(open_nameless(directory)) {}
    // A new file that other processes will read.
    [[nodiscard]] static TemporaryFile for_others(const std::string& path);
    // A file that another process has written, to be read only.
    [[nodiscard]] static TemporaryFile written_by_another(const std::string& path);
    TemporaryFile(TemporaryFile&& other) noexcept
        : directory_(std::move(other.directory_)),
          file_(std::exchange(other.file_, -1)),
          size_(std::exchange(other.size_, 0)) {}
    TemporaryFile& operator=(TemporaryFile&& other) noexcept {
        std::swap(directory_, other.directory_);
        std::swap(file_, other.file_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~TemporaryFile();

    [[nodiscard]] std::uint64_t size() const { return size_; }
    void append(std::span<const std::byte> bytes);
    // Fill `bytes` from `offset` on; all of it must have been written.
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  private:
    TemporaryFile(std::string directory, int file, std::uint64_t size)
        : directory_(std::move(directory)), file_(file), size_(size) {}

    std::string directory_;
    int file_;
    std::uint64_t size_ = 0;
};

// Plain records in a temporary file: appended as runs, each run read back in order, block by block.

// Memory for records that grows with them: address space may be limited, too.
template <class Record>
class RecordBuffer {
    static_assert(std::is_trivially_copyable_v<Record>);

  public:
    // Place a record behind `used` others, of which there will never be more than `most`.
    void put(std::size_t used, std::size_t most, const Record& record) {
        if (used == reserved_) [[unlikely]]
            reserve(std::min(most, std::max<std::size_t>(1024, used + used / 2)));
        data()[used] = record;
    }
    void reserve(std::size_t count) {
        block_.resize(count * sizeof(Record));
        reserved_ = count;
    }
    void clear() { *this = RecordBuffer(); }

    [[nodiscard]] Record* data() const { return reinterpret_cast<Record*>(block_.data()); }
    Record& operator[](std::size_t i) const { return data()[i]; }

  private:
    Block block_;
    std::size_t reserved_ = 0;
};

// A run: the records [begin, end) of a file.
struct Run {
    std::uint64_t begin;
    std::uint64_t end;
};

template <class Record>
class RecordFile {
  public:
    explicit RecordFile(const std::string& directory) : file_(directory) {}
    explicit RecordFile(TemporaryFile file) : file_(std::move(file)) {}

    [[nodiscard]] std::uint64_t size() const { return file_.size() / sizeof(Record); }
    void append(std::span<const Record> records) { file_.append(std::as_bytes(records)); }
    void read(std::uint64_t at, std::span<Record> records) const {
        file_.read(at * sizeof(Record), std::as_writable_bytes(records));
    }

  private:
    TemporaryFile file_;
};

// Reads one run with a buffer of `block` records.
template <class Record>
class RunReader {
  public:
    RunReader(const RecordFile<Record>& file, Run run, std::size_t block)
        : file_(&file),
          run_(run),
          block_(std::max<std::size_t>(1, std::min<std::uint64_t>(block, run.end - run.begin))) {
        buffer_.reserve(block_);
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
        file_->read(run_.begin, {buffer_.data(), filled_});
        run_.begin += filled_;
    }

    const RecordFile<Record>* file_;
    Run run_;
    std::size_t block_;
    RecordBuffer<Record> buffer_;
    std::size_t at_ = 0;
    std::size_t filled_ = 0;
};

// A queue of plain records that is filled, then read once: in memory, and beyond a limit in a
// temporary file.
template <class Record>
class Spool {
  public:
    // Uses at most `bytes` of memory; beyond that, a file is created in `directory`.
    Spool(std::size_t bytes, std::string directory)
        : directory_(std::move(directory)),
          capacity_(std::max<std::size_t>(1, bytes / sizeof(Record))) {}

    void push(const Record& record) {
        if (used_ == capacity_) flush();
        buffer_.put(used_++, capacity_, record);
    }
    // Ends the writing; reading begins.
    void finish() {
        if (!file_) return;
        flush();
        buffer_.clear();
        reader_.emplace(*file_, Run{0, file_->size()}, capacity_);
    }
    // The next record, or null at the end; valid until `advance`.
    [[nodiscard]] const Record* peek() const {
        if (reader_) return reader_->peek();
        return at_ < used_ ? &buffer_[at_] : nullptr;
    }
    void advance() {
        if (reader_)
            reader_->advance();
        else
            ++at_;
    }

  private:
    void flush() {
        if (!file_) file_ = std::make_unique<RecordFile<Record>>(directory_);
        file_->append({buffer_.data(), used_});
        used_ = 0;
    }

    std::string directory_;
    std::size_t capacity_;
    RecordBuffer<Record> buffer_;
    std::size_t used_ = 0;
    std::size_t at_ = 0;
    std::unique_ptr<RecordFile<Record>> file_;  // does not move, because the reader points to it
    std::optional<RunReader<Record>> reader_;
};

}  // namespace hopefear
