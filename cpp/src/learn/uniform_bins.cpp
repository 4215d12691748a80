#include "hopefear/learn/uniform_bins.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 23;  // of a table of cuts, on either side

void check(std::span<const double> frequencies, std::size_t bins) {
    if (bins == 0 || bins > frequencies.size())
        fail<DataError>(frequencies.size(), " different values cannot fill ", bins, " bins");
    for (const double frequency : frequencies)
        if (!(frequency > 0.0 && std::isfinite(frequency)))
            fail<DataError>("a value has the frequency ", frequency, "; expected more than 0");
}

// The least sums of |population - u| for the values up to a place, and where the last bin begins.
struct Level {
    std::size_t first = 0;  // place
    std::vector<double> cost;
    std::vector<std::uint32_t> cut;

    [[nodiscard]] std::size_t last() const { return first + cut.size() - 1; }
};

// One more bin after those of `before`, at each of the places first .. last.
Level next_level(const Level& before, std::span<const double> sums, double u, std::size_t first,
                 std::size_t last) {
    Level level{first, {}, {}};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    // The last bin is values k .. i-1. Where it is too large, the best k has the least cost - sum;
    // these k come first. Where it is too small, the least cost + sum: a window of the others.
    double large = infinity;
    std::size_t large_cut = before.first;
    std::deque<std::size_t> small;
    std::size_t next_large = before.first;
    std::size_t next_small = before.first;
    const auto cost = [&](std::size_t k) { return before.cost[k - before.first]; };
    for (std::size_t i = first; i <= last; ++i) {
        for (; next_small < i && next_small <= before.last(); ++next_small) {
            const double own = cost(next_small) + sums[next_small];
            while (!small.empty() && cost(small.back()) + sums[small.back()] > own)
                small.pop_back();
            small.push_back(next_small);
        }
        for (; next_large < next_small && sums[next_large] <= sums[i] - u; ++next_large)
            if (const double own = cost(next_large) - sums[next_large]; own < large) {
                large = own;
                large_cut = next_large;
            }
        while (!small.empty() && small.front() < next_large) small.pop_front();
        const double if_large = large + sums[i] - u;
        const double if_small =
            small.empty() ? infinity : cost(small.front()) + sums[small.front()] - sums[i] + u;
        level.cost.push_back(std::min(if_large, if_small));
        level.cut.push_back(
            static_cast<std::uint32_t>(if_large <= if_small ? large_cut : small.front()));
    }
    return level;
}

}  // namespace

double uniform_size(std::span<const double> frequencies, std::size_t bins) {
    check(frequencies, bins);
    std::vector<double> sorted(frequencies.begin(), frequencies.end());
    std::ranges::sort(sorted, std::greater());
    double rest = std::reduce(sorted.begin(), sorted.end());
    // If the m most frequent values fill a bin each: m u + rest = N u.
    for (std::size_t m = 0; m < bins; ++m) {
        const double u = rest / static_cast<double>(bins - m);
        if (sorted[m] <= u) return u;
        rest -= sorted[m];
    }
    return sorted[bins - 1];
}

std::vector<std::int64_t> uniform_bins(std::span<const double> frequencies, std::size_t bins) {
    const double u = uniform_size(frequencies, bins);
    const std::size_t values = frequencies.size();
    std::vector<double> sums{0.0};
    for (const double frequency : frequencies) sums.push_back(sums.back() + std::min(frequency, u));
    const std::size_t reach = std::max<std::size_t>(most_entries / bins, 1);
    std::vector<Level> levels{{0, {0.0}, {0}}};
    for (std::size_t j = 1; j <= bins; ++j) {
        const auto ideal = static_cast<std::size_t>(
            std::ranges::lower_bound(sums, static_cast<double>(j) * u) - sums.begin());
        const std::size_t most = values - (bins - j);  // every later bin needs a value
        const std::size_t last = j == bins ? values : std::clamp(ideal + reach, j, most);
        const std::size_t first =
            j == bins ? values : std::clamp(ideal > reach ? ideal - reach : 0, j, last);
        Level level = next_level(levels.back(), sums, u, first, last);
        levels.back().cost = {};
        levels.push_back(std::move(level));
    }
    std::vector<std::int64_t> begins(bins);
    std::size_t place = values;
    for (std::size_t j = bins; j > 0; --j) {
        place = levels[j].cut[place - levels[j].first];
        begins[j - 1] = static_cast<std::int64_t>(place);
    }
    return begins;
}

}  // namespace hopefear
