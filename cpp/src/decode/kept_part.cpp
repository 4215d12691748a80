#include <algorithm>

#include "hopefear/decode/rescore.hpp"

namespace hopefear {

KeptPart::KeptPart(const Chart& chart, const RescoredChart& rescored, bool only_best) {
    const auto old_tails = [&](std::uint32_t number) {
        const RescoredChart::Edge& edge = rescored.edges[number];
        return std::span(rescored.tails)
            .subspan(edge.first_tail, chart.tails_of(chart.bundles[edge.bundle]).size());
    };
    // From the root down, so that everything comes in the opposite order.
    std::vector<NodeId> numbers(rescored.nodes.size(), -1);
    std::size_t tail_count = 0;
    if (!only_best) {
        nodes.reserve(rescored.nodes.size());
        first_edge.reserve(rescored.nodes.size() + 1);
        edges.reserve(rescored.edges.size());
    }
    numbers.back() = 0;
    for (std::size_t i = rescored.nodes.size(); i-- > 0;) {
        if (numbers[i] < 0) continue;
        const RescoredChart::Node& node = rescored.nodes[i];
        nodes.push_back(static_cast<std::uint32_t>(i));
        first_edge.push_back(static_cast<std::uint32_t>(edges.size()));
        auto edge = only_best ? node.best_edge : node.first_edge;
        while (edge != RescoredChart::none) {
            edges.push_back(edge);
            for (const std::uint32_t tail : old_tails(edge)) {
                numbers[tail] = 0;
                ++tail_count;
            }
            edge = only_best ? RescoredChart::none : rescored.edges[edge].next;
        }
    }
    std::ranges::reverse(nodes);
    std::ranges::reverse(edges);
    const auto count = static_cast<std::uint32_t>(edges.size());
    for (std::uint32_t& first : first_edge) first = count - first;
    first_edge.push_back(0);
    std::ranges::reverse(first_edge);

    for (std::size_t i = 0; i < nodes.size(); ++i) numbers[nodes[i]] = static_cast<NodeId>(i);
    tails.reserve(tail_count);
    first_tail.reserve(edges.size() + 1);
    first_tail.push_back(0);
    for (const std::uint32_t edge : edges) {
        for (const std::uint32_t tail : old_tails(edge)) tails.push_back(numbers[tail]);
        first_tail.push_back(static_cast<std::uint32_t>(tails.size()));
    }
}

}  // namespace hopefear
