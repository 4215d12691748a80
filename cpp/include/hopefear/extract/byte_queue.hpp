// A queue of bytes that is filled, then read once, in a temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hopefear/base/temporary_file.hpp"

namespace hopefear::extraction {

class ByteQueue {
  public:
    // The file is made when it is needed; not more than `buffer` bytes are held in memory.
    explicit ByteQueue(std::string directory, std::size_t buffer = std::size_t{1} << 18)
        : directory_(std::move(directory)), capacity_(buffer) {}

    void write(std::span<const std::uint8_t> bytes) {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        if (buffer_.size() >= capacity_) flush();
    }
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        write({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
    }
    // Nothing is written any more; from here on it is read.
    void finish() {
        if (file_) flush();
    }
    // Fill `bytes` with what comes next; it must be there.
    void read(std::span<std::uint8_t> bytes) {
        while (!bytes.empty()) {
            if (at_ == buffer_.size()) refill();
            const std::size_t count = std::min(bytes.size(), buffer_.size() - at_);
            std::memcpy(bytes.data(), buffer_.data() + at_, count);
            at_ += count;
            bytes = bytes.subspan(count);
        }
    }
    // Fetch a value; false at the end.
    template <class T>
    bool get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (at_ == buffer_.size() && (!file_ || position_ == file_->size())) return false;
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

}  // namespace hopefear::extraction
