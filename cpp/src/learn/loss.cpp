#include "hopefear/learn/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hopefear {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The indices of the hypotheses in the pool.
std::vector<std::size_t> members(const Loss& loss, Pool pool, std::span<const double> scores,
                                 std::span<const double> costs,
                                 std::span<const std::size_t> fixed) {
    if (pool == Pool::fixed) return {fixed.begin(), fixed.end()};
    std::vector<std::size_t> rows(scores.size());
    std::iota(rows.begin(), rows.end(), 0);
    if (pool == Pool::all) return rows;
    if (pool == Pool::local) {
        const std::size_t size = std::min(loss.local_size, rows.size());
        const auto better = [&](std::size_t a, std::size_t b) {
            return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
        };
        std::partial_sort(rows.begin(), rows.begin() + size, rows.end(), better);
        rows.resize(size);
        std::ranges::sort(rows);
    }
    double least = 0.0;
    if (pool != Pool::reference) {
        least = infinity;
        for (const std::size_t r : rows) least = std::min(least, costs[r]);
    }
    std::erase_if(rows, [&](std::size_t r) { return costs[r] > least; });
    return rows;
}

// M over the pool; sign * dM/ds_r is added to the slopes.
double maximum(const Side& side, const std::vector<std::size_t>& pool,
               std::span<const double> scores, std::span<const double> costs, double sign,
               std::span<double> slopes) {
    const auto value = [&](std::size_t r) { return scores[r] + side.cost * costs[r]; };
    const std::size_t best = *std::ranges::max_element(pool, {}, value);
    const double top = value(best);
    if (!side.soft) {
        slopes[best] += sign;
        return top;
    }
    double sum = 0.0;
    for (const std::size_t r : pool) sum += std::exp(value(r) - top);
    for (const std::size_t r : pool) slopes[r] += sign * std::exp(value(r) - top) / sum;
    return top + std::log(sum);
}

// E_p[c];  dE/ds_r = p_r (c_r - E).
double risk(std::span<const double> scores, std::span<const double> costs,
            std::span<double> slopes) {
    const double top = *std::ranges::max_element(scores);
    double sum = 0.0;
    double expected = 0.0;
    for (std::size_t r = 0; r < scores.size(); ++r) {
        const double weight = std::exp(scores[r] - top);
        sum += weight;
        expected += weight * costs[r];
    }
    expected /= sum;
    for (std::size_t r = 0; r < scores.size(); ++r)
        slopes[r] += std::exp(scores[r] - top) / sum * (costs[r] - expected);
    return expected;
}

}  // namespace

double evaluate(const Loss& loss, std::span<const double> scores, std::span<const double> costs,
                std::span<const std::size_t> fixed, std::span<double> slopes) {
    if (scores.empty()) return 0.0;
    if (loss.risk) return risk(scores, costs, slopes);
    const auto up = members(loss, loss.up.pool, scores, costs, fixed);
    const auto down = members(loss, loss.down.pool, scores, costs, fixed);
    if (up.empty() || down.empty()) return 0.0;
    const double raised = maximum(loss.up, up, scores, costs, -1.0, slopes);
    const double lowered = maximum(loss.down, down, scores, costs, +1.0, slopes);
    return lowered - raised;
}

}  // namespace hopefear
