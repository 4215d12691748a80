#include "hopefear/extract/alignment_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hopefear/base/threads.hpp"

namespace hopefear {

void Diagonal::fill(std::size_t j, std::size_t m, std::span<double> weights,
                    std::span<double> distances) const {
    const std::size_t n = weights.size();
    const double at = static_cast<double>(j + 1) / static_cast<double>(m);
    const double step = 1.0 / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
        distances[i] = std::abs(static_cast<double>(i + 1) * step - at);
    // Away from the diagonal, weights fall by the same ratio from word to word.
    const double ratio = std::exp(-tension_ * step);
    const auto below =
        std::min(n, static_cast<std::size_t>(at * static_cast<double>(n)));  // words 1..below
    if (below > 0) weights[below - 1] = std::exp(-tension_ * distances[below - 1]);
    for (std::size_t i = below; i-- > 1;) weights[i - 1] = weights[i] * ratio;
    if (below < n) weights[below] = std::exp(-tension_ * distances[below]);
    for (std::size_t i = below + 1; i < n; ++i) weights[i] = weights[i - 1] * ratio;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
}

double Diagonal::mean_distance(std::size_t j, std::size_t m, std::size_t n,
                               std::vector<double>& buffer) const {
    buffer.resize(2 * n);
    const auto weights = std::span(buffer).first(n);
    const auto distances = std::span(buffer).last(n);
    fill(j, m, weights, distances);
    return std::inner_product(weights.begin(), weights.end(), distances.begin(), 0.0);
}

double better_tension(double tension, double mean_distance, double linked,
                      const LengthCounts& lengths, std::size_t threads) {
    constexpr int steps = 8;
    constexpr double rate = 20.0;
    constexpr double lowest = 0.1;
    constexpr double highest = 14.0;
    const std::vector<LengthCounts::value_type> groups(lengths.begin(), lengths.end());
    double words = 0.0;
    for (const auto& [length, count] : groups)
        words += static_cast<double>(count) * static_cast<double>(length.first);
    std::vector<double> sums(groups.size());
    for (int step = 0; step < steps && words > 0.0; ++step) {
        const Diagonal diagonal(tension);
        parallel_blocks(groups.size(), 16, threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> buffer;
            for (std::size_t g = begin; g < end; ++g) {
                const auto [m, n] = groups[g].first;
                double sum = 0.0;
                for (std::size_t j = 0; j < m; ++j) sum += diagonal.mean_distance(j, m, n, buffer);
                sums[g] = sum * static_cast<double>(groups[g].second);
            }
        });
        const double model = std::accumulate(sums.begin(), sums.end(), 0.0) / words;
        // ∂/∂λ log p = -(distance of the links) + (distance under δ), per word
        tension = std::clamp(tension + rate * (linked * model - mean_distance), lowest, highest);
    }
    return tension;
}

}  // namespace hopefear
