#include "hopefear/learn/online_weights.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"
#include "hopefear/learn/saved_numbers.hpp"

namespace hopefear {

namespace {

void check_row(const SparseView& row, std::size_t features) {
    if (row.ids.size() != row.values.size())
        fail<DataError>(row.ids.size(), " features, but ", row.values.size(), " values");
    for (const FeatureId id : row.ids)
        if (id < 0 || static_cast<std::size_t>(id) >= features)
            fail<DataError>("feature ", id, " has no weight: there are ", features);
}

}  // namespace

void OnlineWeights::checked_add(const SparseView& row, double step) {
    check_row(row, size());
    add(row, step);
}

void OnlineWeights::checked_add(const SparseView& row, std::span<const double> rates) {
    check_row(row, std::min(size(), rates.size()));
    for (std::size_t i = 0; i < row.size(); ++i) add(row.ids[i], rates[row.ids[i]] * row.values[i]);
}

void OnlineWeights::update(std::span<const FeatureId> ids, std::span<double> copy) const {
    for (const FeatureId id : ids) {
        if (id < 0 || static_cast<std::size_t>(id) >= std::min(size(), copy.size()))
            fail<DataError>("feature ", id, " has no weight: there are ", size(), ", and ",
                            copy.size(), " in the copy");
        copy[id] = (*this)[id];
    }
}

OnlineWeights OnlineWeights::moved(std::span<const double> target,
                                   const OnlineWeights& before) const {
    if (target.size() != size() || before.size() != size())
        fail<DataError>("weights of different numbers of features: ", target.size(), ", ",
                        before.size(), " and ", size());
    OnlineWeights moved = before;
    for (std::size_t i = 0; i < target.size(); ++i) {
        const auto id = static_cast<FeatureId>(i);
        moved.add(id, target[i] - moved[id]);
    }
    moved.count(steps_ - before.steps_);
    return moved;
}

OnlineWeights OnlineWeights::merged(std::span<const OnlineWeights* const> all) {
    if (all.empty()) fail<DataError>("there are no weights to merge");
    OnlineWeights mean = *all.front();
    if (all.size() == 1) return mean;
    std::size_t features = 0;
    for (const OnlineWeights* one : all) features = std::max(features, one->size());
    mean.fold();
    mean = mean.grown(features);
    for (const OnlineWeights* one : all.subspan(1)) {
        if (one->origin_ != mean.origin_)
            fail<DataError>("weights with different origins cannot be merged");
        OnlineWeights other = one->grown(features);
        other.fold();
        for (std::size_t i = 0; i < features; ++i) {
            mean.v_[i] += other.v_[i];
            mean.sum_[i] += other.sum_[i];
        }
        mean.steps_ += other.steps_;
    }
    const auto count = static_cast<double>(all.size());
    for (auto* part : {&mean.v_, &mean.sum_})
        for (double& value : *part) value /= count;
    mean.steps_ /= count;
    return mean;
}

std::vector<double> OnlineWeights::save() const {
    SavedNumbers saved;
    for (const auto* part : {&v_, &late_, &sum_, &origin_}) saved.add(*part);
    for (const double number : {scale_, scale_sum_, steps_}) saved.add(number);
    return std::move(saved).take();
}

OnlineWeights OnlineWeights::load(std::span<const double> saved) {
    SavedReader reader(saved);
    OnlineWeights weights({}, {});
    for (auto* part : {&weights.v_, &weights.late_, &weights.sum_, &weights.origin_}) {
        const auto values = reader.array();
        part->assign(values.begin(), values.end());
    }
    for (auto* number : {&weights.scale_, &weights.scale_sum_, &weights.steps_})
        *number = reader.number();
    reader.finish();
    const std::size_t features = weights.size();
    if (weights.late_.size() != features || weights.sum_.size() != features ||
        (!weights.origin_.empty() && weights.origin_.size() != features))
        fail<DataError>("saved numbers: the parts of weights have different lengths");
    return weights;
}

}  // namespace hopefear
