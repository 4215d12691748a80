#include "hopefear/online_weights.hpp"

#include <algorithm>

#include "hopefear/error.hpp"

namespace hopefear {

void OnlineWeights::checked_add(const SparseView& row, double step) {
    if (row.ids.size() != row.values.size())
        fail<DataError>(row.ids.size(), " features, but ", row.values.size(), " values");
    for (const FeatureId id : row.ids)
        if (id < 0 || static_cast<std::size_t>(id) >= size())
            fail<DataError>("feature ", id, " has no weight: there are ", size());
    add(row, step);
}

std::vector<double> OnlineWeights::save() const {
    std::vector<double> saved{static_cast<double>(size()), scale_, scale_sum_, steps_};
    for (const auto* part : {&v_, &late_, &sum_, &origin_})
        saved.insert(saved.end(), part->begin(), part->end());
    return saved;
}

OnlineWeights OnlineWeights::load(std::span<const double> saved) {
    constexpr std::size_t head = 4;
    const bool begins = saved.size() >= head && saved[0] >= 0.0;
    const std::size_t rest = begins ? saved.size() - head : 0;
    // Compared before it is converted: any number may be there.
    if (!begins ||
        !(saved[0] == static_cast<double>(rest / 3) || saved[0] == static_cast<double>(rest / 4)))
        fail<DataError>("saved weights are ", saved.size(), " numbers, which do not fit together");
    const auto features = static_cast<std::size_t>(saved[0]);
    if (rest != 3 * features && rest != 4 * features)
        fail<DataError>("saved weights are ", saved.size(), " numbers, not those of ", features,
                        " features");
    OnlineWeights weights({}, {});
    weights.scale_ = saved[1];
    weights.scale_sum_ = saved[2];
    weights.steps_ = saved[3];
    std::span<const double> left = saved.subspan(head);
    for (auto* part : {&weights.v_, &weights.late_, &weights.sum_, &weights.origin_}) {
        const auto own = left.first(std::min(features, left.size()));
        part->assign(own.begin(), own.end());
        left = left.subspan(own.size());
    }
    return weights;
}

}  // namespace hopefear
