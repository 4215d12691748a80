// Arrays that may outgrow memory: they start in memory and move to an unnamed file on request.
//
// Large arrays have pages of their own: they grow without copying, pages that were never written
// use no memory, and released memory goes back to the system instead of a fragmented heap.
//
// A file is unlinked before anything is written to it, so that none is left behind, however the
// process ends. Its blocks are reserved before they are mapped: a full disk is an error when the
// array grows, not a signal when it is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace hopefear {

// Bytes on the heap, in pages of their own, or in a mapped file.
class Block {
  public:
    Block() = default;
    Block(Block&& other) noexcept { swap(other); }
    Block& operator=(Block&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Block();

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    // Change the capacity, keeping the bytes that fit.
    void resize(std::size_t capacity);
    // Move to a new file in `directory` for good; the first `used` bytes are kept.
    void spill(const std::string& directory, std::size_t used);
    [[nodiscard]] bool spilled() const { return file_ >= 0; }
    // Release the memory of these bytes; they stay in the file and are read again when needed. Does
    // nothing for bytes in memory.
    void release(std::size_t begin, std::size_t end) const;

  private:
    [[nodiscard]] bool mapped() const;
    void swap(Block& other) noexcept;
    void resize_memory(std::size_t capacity);
    void resize_file(std::size_t capacity);

    std::byte* data_ = nullptr;
    std::size_t capacity_ = 0;
    int file_ = -1;
};

// A vector of plain values in a Block.
template <class T>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    GrowingArray() = default;
    // A copy lies in memory.
    GrowingArray(const GrowingArray& other) { append(other.span()); }
    GrowingArray(GrowingArray&& other) noexcept
        : block_(std::move(other.block_)), size_(std::exchange(other.size_, 0)) {}
    GrowingArray& operator=(GrowingArray other) noexcept {
        block_ = std::move(other.block_);
        size_ = other.size_;
        return *this;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] T* data() { return reinterpret_cast<T*>(block_.data()); }
    [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(block_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }
    [[nodiscard]] std::span<const T> span(std::size_t begin, std::size_t count) const {
        return {data() + begin, count};
    }

    // Reserve memory for `count` more values. Everything that can fail fails here: appending that
    // many cannot.
    void reserve_more(std::size_t count) {
        const std::size_t needed = (size_ + count) * sizeof(T);
        if (needed > block_.capacity())
            block_.resize(std::max<std::size_t>(64, needed + needed / 2));
    }
    void push_back(T value) {
        reserve_more(1);
        data()[size_++] = value;
    }
    void append(std::span<const T> values) {
        reserve_more(values.size());
        if (!values.empty()) std::memcpy(data() + size_, values.data(), values.size_bytes());
        size_ += values.size();
    }
    // Grow to `size` values; new ones are zero.
    void grow_to(std::size_t size) {
        reserve_more(size - size_);
        constexpr std::size_t piece = (std::size_t{1} << 20) / sizeof(T);
        while (size_ < size) {
            const std::size_t count = std::min(piece, size - size_);
            std::memset(static_cast<void*>(data() + size_), 0, count * sizeof(T));
            release(size_, size_ + count);
            size_ += count;
        }
    }
    void shrink_to_fit() { block_.resize(size_ * sizeof(T)); }
    void clear() { *this = GrowingArray(); }

    void spill(const std::string& directory) { block_.spill(directory, bytes()); }
    [[nodiscard]] bool spilled() const { return block_.spilled(); }
    void release(std::size_t begin, std::size_t end) const {
        block_.release(begin * sizeof(T), end * sizeof(T));
    }
    void release() const { release(0, size_); }
    // The bytes in use. Reserved memory behind them is address space that was never touched.
    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
    [[nodiscard]] std::size_t resident_bytes() const { return spilled() ? 0 : bytes(); }

  private:
    Block block_;
    std::size_t size_ = 0;
};

// Variable-length numbers: seven bits a byte, the lowest first; the high bit means that more
// follow.

// Read the number at `at` and advance past it.
[[nodiscard]] inline std::uint32_t read_number(const std::uint8_t*& at) {
    std::uint32_t number = *at & 0x7f;
    for (int shift = 7; *at++ & 0x80; shift += 7)
        number |= static_cast<std::uint32_t>(*at & 0x7f) << shift;
    return number;
}

template <class Bytes>
inline void write_number(std::uint32_t number, Bytes& out) {
    for (; number >= 0x80; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 0x80));
    out.push_back(static_cast<std::uint8_t>(number));
}

}  // namespace hopefear
