// The bytes of a file, mapped: shared by all processes that have it open, read when needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hopefear {

// Read-only bytes of a mapped file, or of the heap.
class FileBytes {
  public:
    // Map a file; throws FormatError if it cannot be read.
    explicit FileBytes(const std::string& path);
    explicit FileBytes(std::vector<std::uint8_t> bytes)
        : owned_(std::move(bytes)), data_(owned_.data()), size_(owned_.size()) {}
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes();

    [[nodiscard]] std::span<const std::uint8_t> span() const { return {data_, size_}; }

  private:
    std::vector<std::uint8_t> owned_;
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    bool mapped_ = false;
};

}  // namespace hopefear
