#include "hopefear/decode/pop_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hopefear {

namespace {

// These gave the best model scores for the time, on several models.
constexpr double usual_bundles = 4.0;
constexpr double usual_distance = 1.1;
constexpr double least_share = 0.2;

}  // namespace

// What the best rule of a bundle and the best derivations of its tails promise.
double PopShares::promise(const Chart& chart, const Chart::Bundle& bundle) const {
    double sum = bundle.priority;
    for (const std::uint32_t tail : chart.tails_of(bundle)) sum += inside_[tail];
    return sum;
}

void PopShares::share(const Chart& chart, std::span<const char> needed, std::size_t limit) {
    pops_.assign(chart.nodes.size(), limit);
    if (limit > std::numeric_limits<std::uint32_t>::max()) return;  // that is none
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    inside_.assign(chart.nodes.size(), lowest);
    outside_.assign(chart.nodes.size(), lowest);
    shares_.assign(chart.nodes.size(), 0.0);
    const auto bundles = [&](std::uint32_t node) { return chart.bundles_of(chart.nodes[node]); };
    for (std::uint32_t node = 0; node <= chart.root; ++node)
        if (needed[node])
            for (const Chart::Bundle& bundle : bundles(node))
                inside_[node] = std::max(inside_[node], promise(chart, bundle));
    outside_[chart.root] = 0.0;
    double distances = 0.0;
    double count = 0.0;
    const auto distance = [&](std::uint32_t node) {
        return inside_[chart.root] - inside_[node] - outside_[node];
    };
    for (std::uint32_t node = chart.root + 1; node-- > 0;) {
        if (!needed[node]) continue;
        for (const Chart::Bundle& bundle : bundles(node)) {
            const double whole = outside_[node] + promise(chart, bundle);
            for (const std::uint32_t tail : chart.tails_of(bundle))
                outside_[tail] = std::max(outside_[tail], whole - inside_[tail]);
        }
        distances += distance(node);
        count += 1.0;
    }
    // In units of their mean, so that the scale of the weights does not matter.
    const double unit = usual_distance * distances / count;
    if (!(unit > 0.0) || !std::isfinite(unit)) return;
    double sum = 0.0;
    for (std::uint32_t node = 0; node <= chart.root; ++node) {
        if (!needed[node]) continue;
        const double more = static_cast<double>(bundles(node).size()) / usual_bundles;
        const double far = distance(node) / unit;
        // About exp(-far); but that would not be the same number on every machine.
        const double share = std::sqrt(std::sqrt(more)) / (1.0 + far + far * far / 2.0);
        shares_[node] = std::max(share, least_share);
        sum += shares_[node];
    }
    const double further = static_cast<double>(limit - 1) * std::min(1.0, count / sum);
    for (std::uint32_t node = 0; node <= chart.root; ++node)
        if (needed[node]) pops_[node] = 1 + static_cast<std::size_t>(shares_[node] * further);
}

}  // namespace hopefear
