#include <algorithm>
#include <cmath>

#include "hopefear/base/checksum.hpp"
#include "hopefear/forest/forest_set.hpp"

namespace hopefear {

std::optional<EdgeValue> find_value_above(const ForestSet& forests, double bound) {
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
        if (!forests[sentence]) continue;
        const Forest& forest = *forests[sentence];
        const std::span<const double> values = forest.values();
        if (std::ranges::none_of(values, [&](double x) { return std::abs(x) > bound; })) continue;
        for (EdgeId edge = 0; static_cast<std::size_t>(edge) < forest.edge_count(); ++edge) {
            const SparseView h = forest.features(edge);
            for (std::size_t i = 0; i < h.size(); ++i)
                if (std::abs(h.values[i]) > bound)
                    return EdgeValue{sentence, edge, h.ids[i], h.values[i]};
        }
    }
    return std::nullopt;
}

std::uint64_t checksum(const ForestSet& forests) {
    Checksum sum;
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
        const std::uint64_t present = forests[sentence] != nullptr;
        sum.add_numbers(std::span(&present, 1));
        if (!present) continue;
        const Forest& forest = *forests[sentence];
        sum.add_numbers(forest.edge_begin());
        sum.add_numbers(forest.tails());
        sum.add_numbers(forest.tail_begin());
        sum.add_numbers(forest.targets());
        sum.add_numbers(forest.target_begin());
        sum.add_numbers(forest.values());
        sum.add_numbers(forest.covered());
        for (EdgeId edge = 0; static_cast<std::size_t>(edge) < forest.edge_count(); ++edge)
            sum.add_numbers(forest.features(edge).ids);
    }
    return sum.value();
}

}  // namespace hopefear
