#include "hopefear/feature_rows.hpp"

#include <algorithm>
#include <numeric>

#include "hopefear/error.hpp"
#include "hopefear/hash.hpp"

namespace hopefear {

FeaturePatterns::Id FeaturePatterns::add(std::span<const FeatureId> ids) {
    const auto same = [&](Id pattern) { return std::ranges::equal((*this)[pattern], ids); };
    if (last_ >= 0 && same(last_)) return last_;
    std::uint64_t hash = ids.size();
    for (const FeatureId id : ids) hash = hash_combine(hash, static_cast<std::uint64_t>(id));
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at)
        if (same(at->second)) return last_ = at->second;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids[i] < 0 || (i > 0 && ids[i - 1] >= ids[i]))
            fail<DataError>("feature ids must be increasing, got ", ids[i], " at position ", i);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    offsets_.push_back(ids_.size());
    if (!ids.empty()) features_ = std::max<std::size_t>(features_, ids.back() + 1);
    last_ = static_cast<Id>(size() - 1);
    by_hash_.emplace(hash, last_);
    return last_;
}

std::size_t FeaturePatterns::bytes() const {
    // An entry of the hash table is a node of two pointers, a hash and an id.
    return ids_.capacity() * sizeof(FeatureId) + offsets_.capacity() * sizeof(std::uint64_t) +
           by_hash_.size() * 40 + by_hash_.bucket_count() * sizeof(void*);
}

std::size_t normalize_row(std::vector<FeatureId>& ids, std::vector<double>& values) {
    const bool increasing =
        std::ranges::adjacent_find(ids, std::ranges::greater_equal()) == ids.end();
    if (increasing) return ids.size();
    std::vector<std::size_t> order(ids.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ids[i]; });
    std::vector<FeatureId> sorted_ids;
    std::vector<double> sorted_values;
    for (const std::size_t i : order) {
        if (!sorted_ids.empty() && sorted_ids.back() == ids[i]) {
            sorted_values.back() += values[i];
        } else {
            sorted_ids.push_back(ids[i]);
            sorted_values.push_back(values[i]);
        }
    }
    ids = std::move(sorted_ids);
    values = std::move(sorted_values);
    return ids.size();
}

}  // namespace hopefear
