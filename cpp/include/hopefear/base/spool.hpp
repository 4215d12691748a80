// A queue of plain records that is filled, then read once: in memory, and beyond a limit in a
// temporary file.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hopefear/base/record_file.hpp"

namespace hopefear {

template <class Record>
class Spool {
  public:
    // Holds at most `bytes` of memory; a file is made in `directory` when they are used up.
    Spool(std::size_t bytes, std::string directory)
        : directory_(std::move(directory)),
          capacity_(std::max<std::size_t>(1, bytes / sizeof(Record))),
          buffer_(reserve_records<Record>(capacity_)) {}

    void push(const Record& record) {
        if (used_ == capacity_) flush();
        buffer_[used_++] = record;
    }
    // Nothing is pushed any more; from here on it is read.
    void finish() {
        if (!file_) return;
        flush();
        buffer_.reset();
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
        file_->append({buffer_.get(), used_});
        used_ = 0;
    }

    std::string directory_;
    std::size_t capacity_;
    std::unique_ptr<Record[]> buffer_;
    std::size_t used_ = 0;
    std::size_t at_ = 0;
    std::unique_ptr<RecordFile<Record>> file_;  // in one place, because the reader points to it
    std::optional<RunReader<Record>> reader_;
};

}  // namespace hopefear
