#include "hopefear/base/temporary_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "hopefear/base/error.hpp"

namespace hopefear {

int open_nameless(const std::string& directory) {
#ifdef O_TMPFILE
    const int file = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
#endif
    std::string path = directory + "/hopefear-XXXXXX";  // a file system without O_TMPFILE
    const int named = mkostemp(path.data(), O_CLOEXEC);
    if (named < 0)
        fail<Error>("cannot create a temporary file in '", directory, "': ", std::strerror(errno),
                    "; choose another directory, or raise the memory limit");
    unlink(path.c_str());
    return named;
}

TemporaryFile TemporaryFile::for_others(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) fail<Error>(path, ": cannot be written: ", std::strerror(errno));
    return {path, file, 0};
}

TemporaryFile TemporaryFile::written_by_another(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about{};
    if (file < 0 || fstat(file, &about) != 0)
        fail<Error>("cannot read '", path, "': ", std::strerror(errno));
    return {path, file, static_cast<std::uint64_t>(about.st_size)};
}

TemporaryFile::~TemporaryFile() {
    if (file_ >= 0) close(file_);
}

void TemporaryFile::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            fail<Error>("cannot extend a temporary file of ", size_, " bytes in '", directory_,
                        "': ", std::strerror(written < 0 ? errno : ENOSPC),
                        "; free some space, choose another directory, or raise the memory limit");
        size_ += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void TemporaryFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t got = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            fail<Error>("a temporary file in '", directory_, "' cannot be read at byte ", offset,
                        ": ", got < 0 ? std::strerror(errno) : "it ends there");
        offset += static_cast<std::uint64_t>(got);
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

}  // namespace hopefear
