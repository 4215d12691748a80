// Where a file is written to: a file that appears when it is whole, or memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hopefear {

class ByteSink {
  public:
    virtual ~ByteSink() = default;
    // Append bytes.
    virtual void write(std::span<const std::uint8_t> bytes) = 0;
    // Replace bytes that were written before.
    virtual void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) = 0;
    // Everything is written.
    virtual void finish() = 0;
};

// Writes a new file beside `path`; `finish` makes sure that it is on the disk and gives it its
// name. Without that nothing stays behind.
class FileSink final : public ByteSink {
  public:
    explicit FileSink(std::string path);
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;
    ~FileSink() override;

    void write(std::span<const std::uint8_t> bytes) override;
    void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
    void finish() override;

  private:
    void flush();
    [[noreturn]] void fail_to_write(int error) const;

    std::string path_;
    std::string temporary_;
    int file_ = -1;
    std::uint64_t flushed_ = 0;
    std::vector<std::uint8_t> buffer_;
};

// Puts everything into `out` when it is finished.
class MemorySink final : public ByteSink {
  public:
    explicit MemorySink(std::vector<std::uint8_t>& out) : out_(out) {}
    void write(std::span<const std::uint8_t> bytes) override;
    void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
    void finish() override { out_ = std::move(bytes_); }

  private:
    std::vector<std::uint8_t>& out_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace hopefear
