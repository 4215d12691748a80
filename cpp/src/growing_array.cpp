#include "hopefear/growing_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "hopefear/error.hpp"
#include "hopefear/temporary_file.hpp"

namespace hopefear {

namespace {

[[nodiscard]] std::size_t page_size() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[nodiscard]] std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

[[noreturn]] void fail_to_spill(const std::string& what, int error) {
    fail<Error>("moving data to a temporary file: ", what, ": ", std::strerror(error),
                "; free some space, choose another directory, or raise the memory limit");
}

}  // namespace

Block::~Block() {
    if (!spilled()) {
        std::free(data_);
        return;
    }
    if (data_ != nullptr) munmap(data_, capacity_);
    close(file_);
}

void Block::swap(Block& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(file_, other.file_);
}

void Block::resize(std::size_t capacity) {
    if (spilled()) return resize_file(capacity);
    if (capacity == capacity_) return;
    if (capacity == 0) {
        std::free(data_);
        data_ = nullptr;
    } else {
        // For large blocks the system moves pages, not bytes.
        void* moved = std::realloc(data_, capacity);
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<std::byte*>(moved);
    }
    capacity_ = capacity;
}

void Block::resize_file(std::size_t capacity) {
    capacity = round_up(capacity, page_size());
    if (capacity == capacity_) return;
    if (capacity > capacity_) {
        int error = 0;
        do {
            error = posix_fallocate(file_, static_cast<off_t>(capacity_),
                                    static_cast<off_t>(capacity - capacity_));
        } while (error == EINTR);
        if (error != 0)
            fail_to_spill("it cannot be made " + std::to_string(capacity) + " bytes long", error);
    }
    void* mapped = nullptr;
    if (capacity == 0) {
        munmap(data_, capacity_);
    } else {
        mapped = data_ == nullptr
                     ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                     : mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
        if (mapped == MAP_FAILED) fail_to_spill("it cannot be mapped", errno);
    }
    if (capacity < capacity_ && ftruncate(file_, static_cast<off_t>(capacity)) != 0)
        fail_to_spill("it cannot be shortened", errno);
    data_ = static_cast<std::byte*>(mapped);
    capacity_ = capacity;
}

void Block::spill(const std::string& directory, std::size_t used) {
    if (spilled()) return;
    Block moved;
    moved.file_ = open_nameless(directory);
    moved.resize(used);
    // In pieces that are given back at once: the move must not need the memory twice.
    constexpr std::size_t piece = std::size_t{16} << 20;
    for (std::size_t begin = 0; begin < used; begin += piece) {
        const std::size_t end = std::min(begin + piece, used);
        std::memcpy(moved.data_ + begin, data_ + begin, end - begin);
        moved.release(begin, end);
    }
    swap(moved);
}

void Block::release(std::size_t begin, std::size_t end) const {
    if (!spilled() || data_ == nullptr) return;
    const std::size_t unit = page_size();
    begin = begin / unit * unit;
    end = std::min(round_up(end, unit), capacity_);
    if (begin >= end) return;
    // Pages of a shared mapping are kept by the file; dropping them loses nothing.
    madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace hopefear
