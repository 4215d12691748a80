#include "hopefear/base/byte_sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// mkostemp makes files for the owner only; this one is to have the rights of any other file.
void give_usual_rights(int file) {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
}

}  // namespace

FileSink::FileSink(std::string path) : path_(std::move(path)), temporary_(path_ + ".XXXXXX.part") {
    file_ = mkostemps(temporary_.data(), 5, O_CLOEXEC);
    if (file_ < 0) {
        temporary_.clear();
        fail_to_write(errno);
    }
    give_usual_rights(file_);
    buffer_.reserve(buffer_bytes);
}

FileSink::~FileSink() {
    if (file_ >= 0) close(file_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileSink::fail_to_write(int error) const {
    fail<Error>(path_, ": cannot be written: ", std::strerror(error));
}

void FileSink::write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::size_t count = std::min(bytes.size(), buffer_bytes - buffer_.size());
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<long>(count));
        bytes = bytes.subspan(count);
        if (buffer_.size() == buffer_bytes) flush();
    }
}

void FileSink::flush() {
    overwrite(flushed_, buffer_);
    flushed_ += buffer_.size();
    buffer_.clear();
}

void FileSink::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    if (bytes.data() != buffer_.data()) flush();
    while (!bytes.empty()) {
        const ssize_t count = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno != EINTR) fail_to_write(errno);
        if (count <= 0) continue;
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void FileSink::finish() {
    flush();
    if (fsync(file_) != 0) fail_to_write(errno);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_to_write(errno);
    temporary_.clear();
}

void MemorySink::write(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void MemorySink::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    std::ranges::copy(bytes, bytes_.begin() + static_cast<long>(offset));
}

}  // namespace hopefear
