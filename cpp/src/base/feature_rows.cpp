#include "hopefear/base/feature_rows.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"

namespace hopefear {

namespace {

[[nodiscard]] std::uint32_t hash_of(std::span<const FeatureId> ids) {
    std::uint64_t hash = ids.size();
    for (const FeatureId id : ids) hash = hash_combine(hash, static_cast<std::uint64_t>(id));
    return static_cast<std::uint32_t>(hash);
}

}  // namespace

std::size_t FeaturePatterns::slot(std::span<const FeatureId> ids, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at] >= 0 &&
           !(hashes_[slots_[at]] == hash && std::ranges::equal((*this)[slots_[at]], ids)))
        at = (at + 1) & mask;
    return at;
}

void FeaturePatterns::grow() {
    for (std::size_t i = hashes_.size(); i < size(); ++i)  // after freeze
        hashes_.push_back(hash_of((*this)[static_cast<Id>(i)]));
    std::size_t wanted = 16;
    while (wanted < 4 * (size() + 1)) wanted *= 2;
    slots_.assign(wanted, -1);
    for (std::size_t i = 0; i < size(); ++i) {
        std::size_t at = hashes_[i] & (wanted - 1);  // all differ: any free slot will do
        while (slots_[at] >= 0) at = (at + 1) & (wanted - 1);
        slots_[at] = static_cast<Id>(i);
    }
}

FeaturePatterns::Id FeaturePatterns::add(std::span<const FeatureId> ids) {
    if (last_ >= 0 && std::ranges::equal((*this)[last_], ids)) return last_;
    if (2 * (size() + 1) > slots_.size()) grow();
    const std::uint32_t hash = hash_of(ids);
    const std::size_t at = slot(ids, hash);
    if (slots_[at] >= 0) return last_ = slots_[at];
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids[i] < 0 || (i > 0 && ids[i - 1] >= ids[i]))
            fail<DataError>("feature ids must be increasing, got ", ids[i], " at position ", i);
    if (size() >= static_cast<std::size_t>(std::numeric_limits<Id>::max()))
        fail<DataError>("more than ", std::numeric_limits<Id>::max(), " lists of feature ids");
    ids_.reserve_more(ids.size());
    offsets_.reserve_more(1);
    hashes_.push_back(hash);
    ids_.append(ids);
    offsets_.push_back(ids_.size());
    if (!ids.empty()) features_ = std::max<std::size_t>(features_, ids.back() + 1);
    last_ = static_cast<Id>(size() - 1);
    return slots_[at] = last_;
}

void FeaturePatterns::freeze() {
    slots_ = {};
    hashes_ = {};
    ids_.shrink_to_fit();
    offsets_.shrink_to_fit();
}

void FeaturePatterns::spill(const std::string& directory) {
    ids_.spill(directory);
    offsets_.spill(directory);
}

void FeaturePatterns::release() const {
    ids_.release();
    offsets_.release();
}

std::size_t FeaturePatterns::bytes() const {
    return ids_.bytes() + offsets_.bytes() + hashes_.capacity() * sizeof(hashes_[0]) +
           slots_.capacity() * sizeof(slots_[0]);
}

std::size_t FeaturePatterns::resident_bytes() const {
    return bytes() - (ids_.spilled() ? ids_.bytes() + offsets_.bytes() : 0);
}

void FeatureRows::append(std::span<const FeatureId> ids, std::span<const double> values) {
    if (ids.size() != values.size())
        fail<DataError>("row ", size(), ": ", ids.size(), " feature ids, but ", values.size(),
                        " values");
    append(patterns_.add(ids), values);
}

void FeatureRows::append(FeaturePatterns::Id pattern, std::span<const double> values) {
    offsets_.reserve(values_.size());
    pattern_.reserve_more(1);
    values_.reserve_more(values.size());
    offsets_.push_back(values_.size());
    pattern_.push_back(pattern);
    values_.append(values);
}

FeatureRows FeatureRows::reordered(std::span<const std::uint32_t> order) && {
    FeatureRows sorted;
    sorted.patterns_ = std::move(patterns_);
    if (spilled()) sorted.spill(directory_);
    std::size_t touched = 0;
    for (const std::uint32_t row : order) {
        const FeaturePatterns::Id pattern = pattern_[row];
        const std::span<const double> values =
            values_.span(offsets_[row], sorted.patterns_[pattern].size());
        sorted.append(pattern, values);
        touched += values.size_bytes();
        if (touched > (std::size_t{4} << 20)) {
            release(0, size());
            sorted.release(0, sorted.size());
            touched = 0;
        }
    }
    return sorted;
}

FeatureRows FeatureRows::scaled(std::span<const double> factors) const {
    FeatureRows copy;
    copy.patterns_ = patterns_;
    if (spilled()) copy.spill(directory_);
    std::vector<double> values;
    std::size_t done = 0;
    for (std::size_t row = 0; row < size(); ++row) {
        const SparseView view = (*this)[row];
        values.assign(view.values.begin(), view.values.end());
        for (std::size_t i = 0; i < view.size(); ++i) values[i] *= factors[view.ids[i]];
        copy.append(pattern_[row], values);
        if (spilled() && row - done > 4096) {
            release(done, row);
            copy.release(done, row);
            done = row;
        }
    }
    copy.freeze();
    return copy;
}

void FeatureRows::freeze() {
    patterns_.freeze();
    pattern_.shrink_to_fit();
    offsets_.shrink_to_fit();
    values_.shrink_to_fit();
}

void FeatureRows::spill(const std::string& directory) {
    directory_ = directory;
    patterns_.spill(directory);
    pattern_.spill(directory);
    offsets_.spill(directory);
    values_.spill(directory);
}

void FeatureRows::release(std::size_t begin, std::size_t end) const {
    if (!spilled() || begin >= end) return;
    patterns_.release();  // rows use patterns in no particular order
    pattern_.release(begin, end);
    offsets_.release(begin, end);
    values_.release(first_value(begin), first_value(end));
}

std::size_t FeatureRows::first_value(std::size_t row) const {
    return row < size() ? offsets_[row] : values_.size();
}

std::size_t FeatureRows::bytes() const {
    return patterns_.bytes() + pattern_.bytes() + offsets_.bytes() + values_.bytes();
}

std::size_t FeatureRows::resident_bytes() const {
    return patterns_.resident_bytes() + pattern_.resident_bytes() + offsets_.resident_bytes() +
           values_.resident_bytes();
}

namespace {

// A stable insertion sort: most rows are short or nearly sorted.
void sort_short_row(std::vector<FeatureId>& ids, std::vector<double>& values) {
    for (std::size_t i = 1; i < ids.size(); ++i) {
        const FeatureId id = ids[i];
        const double value = values[i];
        std::size_t place = i;
        for (; place > 0 && ids[place - 1] > id; --place) {
            ids[place] = ids[place - 1];
            values[place] = values[place - 1];
        }
        ids[place] = id;
        values[place] = value;
    }
}

void sort_row(std::vector<FeatureId>& ids, std::vector<double>& values) {
    std::vector<std::pair<FeatureId, double>> row(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) row[i] = {ids[i], values[i]};
    std::ranges::stable_sort(row, {}, &std::pair<FeatureId, double>::first);
    for (std::size_t i = 0; i < ids.size(); ++i) std::tie(ids[i], values[i]) = row[i];
}

}  // namespace

std::size_t normalize_row(std::vector<FeatureId>& ids, std::vector<double>& values) {
    const bool increasing =
        std::ranges::adjacent_find(ids, std::ranges::greater_equal()) == ids.end();
    if (increasing) return ids.size();
    constexpr std::size_t short_row = 64;
    ids.size() <= short_row ? sort_short_row(ids, values) : sort_row(ids, values);
    std::size_t last = 0;
    for (std::size_t i = 1; i < ids.size(); ++i) {
        if (ids[i] == ids[last]) {
            values[last] += values[i];
        } else {
            ++last;
            ids[last] = ids[i];
            values[last] = values[i];
        }
    }
    ids.resize(last + 1);
    values.resize(last + 1);
    return ids.size();
}

}  // namespace hopefear
