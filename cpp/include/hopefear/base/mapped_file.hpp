// Files mapped into memory, which other processes may change at any time.
//
// Mapped bytes are shared by all processes that map the file and are read on demand. A file that
// is truncated while it is mapped would end the process with SIGBUS. Instead, its missing pages
// become zeros, and the file counts as changed from then on. Copying files to memory would be
// simpler, but each process would have its own copy of models that take gigabytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace hopefear {

// While it exists, missing pages of these mapped bytes are replaced by zeros.
class PageGuard {
  public:
    explicit PageGuard(std::span<const std::uint8_t> bytes);
    PageGuard(const PageGuard&) = delete;
    PageGuard& operator=(const PageGuard&) = delete;
    ~PageGuard();

    // Whether that happened.
    [[nodiscard]] bool lost() const;

    struct Range;

  private:
    Range* range_ = nullptr;
};

// An open file.
class OpenFile {
  public:
    // Throws FormatError if `path` is not a file that can be read.
    explicit OpenFile(const std::string& path);
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile();

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return file_; }
    // The size when it was opened.
    [[nodiscard]] std::size_t size() const { return size_; }
    // Of all bytes, or of `size` bytes from `offset` on. They are read in blocks, not mapped, so
    // that they do not become part of the memory of the process. Throws FormatError if the file is
    // truncated meanwhile.
    [[nodiscard]] std::uint64_t checksum() const { return checksum(0, size_); }
    [[nodiscard]] std::uint64_t checksum(std::size_t offset, std::size_t size) const;
    // Bytes of it that other code of this process has mapped; none if there are none.
    [[nodiscard]] std::span<const std::uint8_t> mapped_elsewhere() const;
    // Throw FormatError if somebody wrote to the file and `intact` does not find the same bytes.
    // That another file took its name is no such change.
    void check_unchanged(const std::function<bool()>& intact) const;
    [[noreturn]] void fail_changed() const;

  private:
    std::string path_;
    int file_ = -1;
    std::size_t size_ = 0;
    mutable std::atomic<std::int64_t> time_ = 0;  // of the last change, in nanoseconds
};

// The bytes of an open file.
class Mapping {
  public:
    // Throws FormatError if the file cannot be mapped.
    explicit Mapping(const OpenFile& file);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    [[nodiscard]] std::span<const std::uint8_t> span() const { return bytes_; }
    // Whether a part is missing because the file was truncated.
    [[nodiscard]] bool lost() const;
    // Take all pages out of the memory of the process; those that are read again come back.
    void forget_pages() const;
    // Throw FormatError if the file was truncated, or written to such that it is not `intact`.
    void check_unchanged(const std::function<bool()>& intact) const;

  private:
    const OpenFile* file_;
    std::span<const std::uint8_t> bytes_;
    std::optional<PageGuard> guard_;
};

}  // namespace hopefear
