#include "hopefear/grammar/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hopefear/base/error.hpp"

namespace hopefear {

FileBytes::FileBytes(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail<FormatError>(path, ": cannot be read: ", std::strerror(errno));
    struct stat status{};
    const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    size_ = regular ? static_cast<std::size_t>(status.st_size) : 0;
    void* const mapped = size_ > 0 ? mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0) : nullptr;
    const int error = errno;
    close(file);
    if (!regular) fail<FormatError>(path, ": is not a file");
    if (mapped == MAP_FAILED) fail<FormatError>(path, ": cannot be mapped: ", std::strerror(error));
    data_ = static_cast<const std::uint8_t*>(mapped);
    mapped_ = mapped != nullptr;
}

FileBytes::~FileBytes() {
    if (mapped_) munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace hopefear
