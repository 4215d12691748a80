#include "hopefear/base/growing_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "hopefear/base/error.hpp"
#include "hopefear/base/temporary_file.hpp"

namespace hopefear {

namespace {

[[nodiscard]] std::size_t page_size() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[nodiscard]] std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Blocks of at least this size have pages of their own; beyond the second size, the pages are huge
// ones if the system has them, so that random access needs fewer entries of the translation
// lookaside buffer. Below that, a half empty huge page would be a waste.
constexpr std::size_t mapped_from = std::size_t{256} << 10;
constexpr std::size_t large_pages_from = std::size_t{32} << 20;

[[nodiscard]] std::byte* checked(void* memory) {
    if (memory == nullptr || memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte*>(memory);
}

[[nodiscard]] std::byte* map_pages(std::size_t bytes) {
    return checked(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

// Map pages for so many bytes, aligned so that they can be huge pages.
[[nodiscard]] std::byte* map_large_pages(std::size_t bytes) {
    constexpr std::size_t large = std::size_t{2} << 20;
    std::byte* const place = map_pages(bytes + large);
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    const std::size_t before = round_up(address, large) - address;
    if (before > 0) munmap(place, before);
    if (before < large) munmap(place + before + bytes, large - before);
    // Only advice: everything works without huge pages, too.
    madvise(place + before, bytes, MADV_HUGEPAGE);
    return place + before;
}

[[nodiscard]] std::byte* map(std::size_t bytes) {
    return bytes < large_pages_from ? map_pages(bytes) : map_large_pages(bytes);
}

// Moving huge pages to an unaligned address would split them into small ones.
[[nodiscard]] std::byte* move_large_pages(std::byte* data, std::size_t bytes, std::size_t wanted) {
    std::byte* const place = map_large_pages(wanted);
    void* const moved = mremap(data, bytes, wanted, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (moved == MAP_FAILED) munmap(place, wanted);
    return checked(moved);
}

[[noreturn]] void fail_to_spill(const std::string& what, int error) {
    fail<Error>("moving data to a temporary file: ", what, ": ", std::strerror(error),
                "; free some space, choose another directory, or raise the memory limit");
}

}  // namespace

Block::~Block() {
    if (!spilled() && !mapped()) {
        std::free(data_);
        return;
    }
    if (data_ != nullptr) munmap(data_, capacity_);
    if (spilled()) close(file_);
}

bool Block::mapped() const {
    return !spilled() && capacity_ >= mapped_from;
}

void Block::swap(Block& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(file_, other.file_);
}

void Block::resize(std::size_t capacity) {
    if (spilled()) return resize_file(capacity);
    if (capacity >= mapped_from) capacity = round_up(capacity, page_size());
    if (capacity != capacity_) resize_memory(capacity);
}

void Block::resize_memory(std::size_t capacity) {
    if (mapped() && capacity >= mapped_from &&
        (capacity < large_pages_from || capacity < capacity_)) {
        data_ = checked(mremap(data_, capacity_, capacity, MREMAP_MAYMOVE));
    } else if (mapped() && capacity_ >= large_pages_from) {
        data_ = move_large_pages(data_, capacity_, capacity);
    } else if (!mapped() && capacity > 0 && capacity < mapped_from) {
        data_ = checked(std::realloc(data_, capacity));
    } else {
        Block other;
        if (capacity > 0)
            other.data_ = capacity < mapped_from ? checked(std::malloc(capacity)) : map(capacity);
        other.capacity_ = capacity;
        const std::size_t kept = std::min(capacity, capacity_);
        if (kept > 0) std::memcpy(other.data_, data_, kept);
        swap(other);
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
            fail_to_spill("it cannot grow to " + std::to_string(capacity) + " bytes", error);
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
    // In pieces that are released at once: the move must not need twice the memory.
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
    // The file keeps the pages of a shared mapping: dropping them loses nothing.
    madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace hopefear
