#include "hopefear/decode/rule_feature.hpp"

#include <limits>

namespace hopefear {

BinTable::BinTable(std::span<const double> borders, FeatureView view)
    : descending_(view == FeatureView::rarity) {
    const auto bin_of = [&](std::uint32_t number) {
        const double viewed = view_of(view, value_of(number));
        const auto bin =
            static_cast<std::size_t>(std::ranges::lower_bound(borders, viewed) - borders.begin());
        return descending_ ? borders.size() - bin : bin;
    };
    const std::uint32_t least = ordered(std::numeric_limits<float>::lowest());
    const std::uint32_t most = ordered(std::numeric_limits<float>::max());
    for (std::size_t bin = 0; bin < borders.size(); ++bin) {
        // The last number that is not beyond this bin; views are monotone.
        std::uint32_t below = borders_.empty() ? least : borders_.back();
        std::uint32_t beyond = most;
        while (beyond - below > 1) {
            const std::uint32_t middle = below + (beyond - below) / 2;
            (bin_of(middle) <= bin ? below : beyond) = middle;
        }
        borders_.push_back(below);
    }
    first_bucket_ = borders_.empty() ? 0 : borders_.front() >> shift;
    last_bucket_ = borders_.empty() ? 0 : borders_.back() >> shift;
    for (std::uint32_t bucket = first_bucket_; bucket <= last_bucket_; ++bucket)
        begins_.push_back(static_cast<std::uint32_t>(
            std::ranges::lower_bound(borders_, bucket << shift) - borders_.begin()));
    begins_.push_back(static_cast<std::uint32_t>(borders_.size()));
}

}  // namespace hopefear
