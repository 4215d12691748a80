#include "hopefear/metrics/reference_automaton.hpp"

#include <algorithm>
#include <bit>

#include "hopefear/base/error.hpp"

namespace hopefear {

ReferenceAutomaton::ReferenceAutomaton(std::span<const std::span<const WordId>> references,
                                       int order)
    : order_(order) {
    if (order < 1 || order > max_order)
        fail<ConfigError>("the order of n-grams must be from 1 to ", max_order, ", got ", order);
    std::size_t words = 0;
    for (const auto& reference : references) words += reference.size();
    const std::size_t most = words * static_cast<std::size_t>(order) + 1;
    const std::size_t slots = std::bit_ceil(2 * most);
    mask_ = slots - 1;
    shift_ = 64 - std::bit_width(mask_);
    arcs_.resize(slots);
    nodes_.reserve(most);
    nodes_.emplace_back();
    into_.reserve(most);
    into_.emplace_back();

    std::vector<std::int32_t> counts(most, 0);
    std::vector<State> counted;  // of one reference
    for (const auto& reference : references) {
        for (std::size_t begin = 0; begin < reference.size(); ++begin) {
            const std::size_t end = std::min(reference.size(), begin + order);
            State state = root;
            for (std::size_t at = begin; at < end; ++at) {
                state = add_child(state, reference[at]);
                if (++counts[state] == 1) counted.push_back(state);
            }
        }
        for (const State state : counted) {
            nodes_[state].limit = std::max(nodes_[state].limit, counts[state]);
            counts[state] = 0;
        }
        counted.clear();
    }
    link();
}

ReferenceAutomaton::State ReferenceAutomaton::add_child(State state, WordId word) {
    std::size_t at = slot(state, word);
    for (; arcs_[at].to != none; at = (at + 1) & mask_)
        if (arcs_[at].from == state && arcs_[at].word == word) return arcs_[at].to;
    const State added = static_cast<State>(nodes_.size());
    arcs_[at] = {state, word, added};
    into_.push_back(arcs_[at]);
    nodes_.push_back({root, depth(state) + 1, 0});
    return added;
}

void ReferenceAutomaton::link() {
    // Parents precede their children.
    for (std::size_t state = 1; state < nodes_.size(); ++state) {
        const Arc& arc = into_[state];
        if (arc.from != root) nodes_[state].shorter = child(shorter(arc.from), arc.word);
    }
}

}  // namespace hopefear
