#include "hopefear/base/sparse_rows.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

void add_times(double factor, const SparseView& row, std::span<double> sum) {
    for (std::size_t i = 0; i < row.size(); ++i) sum[row.ids[i]] += factor * row.values[i];
}

}  // namespace

void SparseVector::set_difference(const SparseView& a, const SparseView& b) {
    ids_.clear();
    values_.clear();
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool left = j == b.size() || (i < a.size() && a.ids[i] <= b.ids[j]);
        const bool right = i == a.size() || (j < b.size() && b.ids[j] <= a.ids[i]);
        const double value = (left ? a.values[i] : 0.0) - (right ? b.values[j] : 0.0);
        if (value != 0.0) {
            ids_.push_back(left ? a.ids[i] : b.ids[j]);
            values_.push_back(value);
        }
        i += left;
        j += right;
    }
}

void SparseRows::add_difference(const SparseView& a, const SparseView& b) {
    added_.set_difference(a, b);
    rows_.append(added_.view().ids, added_.view().values);
}

void SparseRows::check(std::size_t features) const {
    if (rows_.patterns().features() > features)
        fail<DataError>("weights for ", features, " features, but a row has feature ",
                        rows_.patterns().features() - 1);
}

std::vector<double> SparseRows::dot(std::span<const double> weights) const {
    check(weights.size());
    std::vector<double> products(size());
    for (std::size_t row = 0; row < size(); ++row) products[row] = (*this)[row].dot(weights);
    return products;
}

std::vector<double> SparseRows::transposed_dot(std::span<const double> x,
                                               std::size_t features) const {
    check(features);
    if (x.size() != size()) fail<DataError>(x.size(), " coefficients for ", size(), " rows");
    std::vector<double> sum(features);
    for (std::size_t row = 0; row < size(); ++row) add_times(x[row], (*this)[row], sum);
    return sum;
}

FeatureRows rows_of(std::span<const std::int64_t> offsets, std::span<const FeatureId> ids,
                    std::span<const double> values, std::size_t features) {
    if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets) ||
        offsets.back() != static_cast<std::int64_t>(ids.size()) || ids.size() != values.size())
        fail<DataError>("offsets of rows do not fit ", ids.size(), " ids and ", values.size(),
                        " values");
    FeatureRows rows;
    std::vector<FeatureId> row_ids;
    std::vector<double> row_values;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const auto count = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
        const auto own = ids.subspan(offsets[i], count);
        const auto of_own = values.subspan(offsets[i], count);
        for (std::size_t k = 0; k < count; ++k)
            if (own[k] < 0 || static_cast<std::size_t>(own[k]) >= features ||
                !std::isfinite(of_own[k]))
                fail<DataError>("row ", i, ": feature ", own[k], " has the value ", of_own[k],
                                "; there are ", features, " features, with finite values");
        row_ids.assign(own.begin(), own.end());
        row_values.assign(of_own.begin(), of_own.end());
        normalize_row(row_ids, row_values);
        rows.append(row_ids, row_values);
    }
    rows.freeze();
    return rows;
}

void RowArrays::add(const SparseView& row) {
    ids.insert(ids.end(), row.ids.begin(), row.ids.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
}

}  // namespace hopefear
