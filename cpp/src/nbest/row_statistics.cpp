#include "hopefear/nbest/row_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

// Runs are aligned, so that numbers of any type can be read in place.
constexpr std::size_t unit = alignof(double);

// Call visit(T{}) with the type of this number; narrower ones come first.
template <class Visit>
auto with_type(std::size_t type, const Visit& visit) {
    switch (type) {
        case 0:
            return visit(std::uint8_t{});
        case 1:
            return visit(std::int16_t{});
        case 2:
            return visit(std::int32_t{});
        case 3:
            return visit(float{});
        default:
            return visit(double{});
    }
}

// Whether a number survives conversion to T bit for bit. For integers, fractions, large numbers,
// -0.0 and NaN do not.
template <class T>
[[nodiscard]] bool fits(double number) {
    if constexpr (std::is_integral_v<T>) {
        // Outside the limits the conversion would be undefined; NaN is outside all limits.
        if (!(number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max()))
            return false;
    }
    if constexpr (std::is_same_v<T, float>) {
        if (!(std::abs(number) <= std::numeric_limits<float>::max())) return false;
    }
    return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<T>(number))) ==
           std::bit_cast<std::uint64_t>(number);
}

[[nodiscard]] std::uint8_t narrowest(std::span<const double> numbers) {
    std::uint8_t type = 0;
    while (!with_type(type, [&]<class T>(T) { return std::ranges::all_of(numbers, fits<T>); }))
        ++type;
    return type;
}

}  // namespace

RowStatistics::RowStatistics(std::size_t dimension, const std::string& directory)
    : dimension_(dimension) {
    if (directory.empty()) return;
    bytes_.spill(directory);
    runs_.spill(directory);
}

void RowStatistics::append(std::span<const double> rows) {
    if (dimension_ == 0 || rows.size() % dimension_ != 0)
        fail<DataError>("expected rows of ", dimension_, " statistics, got ", rows.size(),
                        " numbers");
    const std::size_t whole = run * dimension_;
    while (!rows.empty()) {
        const std::size_t count = std::min(rows.size(), whole - waiting_.size());
        waiting_.insert(waiting_.end(), rows.begin(),
                        rows.begin() + static_cast<std::ptrdiff_t>(count));
        size_ += count / dimension_;
        rows = rows.subspan(count);
        if (waiting_.size() == whole) write_run();
    }
}

void RowStatistics::finish() {
    if (!waiting_.empty()) write_run();
    waiting_ = {};
    bytes_.shrink_to_fit();
    runs_.shrink_to_fit();
    release(0, size_);
}

void RowStatistics::write_run() {
    const std::uint8_t type = narrowest(waiting_);
    with_type(type, [&]<class T>(T) {
        const std::size_t begin = bytes_.size();
        const std::size_t bytes = waiting_.size() * sizeof(T);
        bytes_.reserve_more(bytes + unit);
        runs_.reserve_more(1);
        for (const double number : waiting_) {
            const auto narrow =
                std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(static_cast<T>(number));
            bytes_.append(narrow);
        }
        while (bytes_.size() % unit != 0) bytes_.push_back(0);
        runs_.push_back({begin / unit, type});
    });
    waiting_.clear();
}

void RowStatistics::read(std::size_t begin, std::size_t end, std::span<double> out) const {
    if (dimension_ == 0) return;
    double* next = out.data();
    while (begin < end) {
        const Run from = runs_[begin / run];
        const std::size_t count = std::min(end - begin, run - begin % run);
        const std::size_t first = begin % run * dimension_;
        with_type(from.type, [&]<class T>(T) {
            const T* in = reinterpret_cast<const T*>(bytes_.data() + from.begin * unit) + first;
            for (std::size_t i = 0; i < count * dimension_; ++i)
                next[i] = static_cast<double>(in[i]);
        });
        next += count * dimension_;
        begin += count;
    }
}

std::vector<double> RowStatistics::read(std::size_t begin, std::size_t end) const {
    std::vector<double> rows((end - begin) * dimension_);
    read(begin, end, rows);
    return rows;
}

void RowStatistics::release(std::size_t begin, std::size_t end) const {
    if (dimension_ == 0 || begin >= end) return;
    const std::size_t last = (end + run - 1) / run;
    bytes_.release(runs_[begin / run].begin * unit,
                   last < runs_.size() ? runs_[last].begin * unit : bytes_.size());
    runs_.release(begin / run, last);
}

}  // namespace hopefear
