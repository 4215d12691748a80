// A file without a name: it is removed from its directory before anything is written to it, so that
// nothing stays behind, however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace hopefear {

// Open a new file in `directory` that has no name; the caller closes it.
[[nodiscard]] int open_nameless(const std::string& directory);

// Written at its end, read anywhere.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& directory)
        : directory_(directory), file_(open_nameless(directory)) {}
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
    // Fill `bytes` with what begins at `offset`; all of it must have been written.
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  private:
    std::string directory_;
    int file_;
    std::uint64_t size_ = 0;
};

}  // namespace hopefear
