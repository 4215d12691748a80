#include "hopefear/forest/derivation.hpp"

#include "hopefear/base/error.hpp"
#include "hopefear/forest/semiring.hpp"

namespace hopefear {

void fail_derivation_size() {
    fail<ForestError>("the derivation has more than ", max_derivation_size,
                      " edges; it is too large");
}

DerivationTree::DerivationTree(const Forest& forest, std::span<const EdgeId> edges)
    : begin_(edges.size() + 1, 0) {
    if (edges.size() > max_derivation_size) fail_derivation_size();
    for (std::size_t i = 0; i < edges.size(); ++i)
        begin_[i + 1] = begin_[i] + static_cast<std::uint32_t>(
                                        forest.tails(forest.checked_edge(edges[i])).size());
    children_.resize(begin_.back());
    // positions of derivations that are not part of another one yet
    std::vector<std::uint32_t> complete;
    for (std::size_t i = edges.size(); i-- > 0;) {
        const auto tails = forest.tails(edges[i]);
        if (tails.size() > complete.size())
            fail<ForestError>("not a derivation: after edge ", edges[i], " at position ", i,
                              " there are derivations of ", complete.size(), " of its ",
                              tails.size(), " tails");
        for (std::size_t k = 0; k < tails.size(); ++k) {
            const std::uint32_t child = complete.back();
            complete.pop_back();
            if (forest.head(edges[child]) != tails[k])
                fail<ForestError>("not a derivation: the tail number ", k, " of edge ", edges[i],
                                  " is node ", tails[k], ", but edge ", edges[child],
                                  " at position ", child, " makes node ",
                                  forest.head(edges[child]));
            children_[begin_[i] + k] = child;
        }
        complete.push_back(static_cast<std::uint32_t>(i));
    }
    if (complete.size() != 1 || forest.head(edges.front()) != forest.root())
        fail<ForestError>("not a derivation of the root: ", complete.size(),
                          complete.size() == 1 ? " derivation of another node"
                                               : " derivations one after the other");
}

std::vector<Symbol> derivation_words(const Forest& forest, std::span<const EdgeId> edges) {
    const DerivationTree tree(forest, edges);
    struct Place {
        std::uint32_t position;
        std::uint32_t symbol;
    };
    std::vector<Symbol> words;
    std::vector<Place> stack{{0, 0}};
    while (!stack.empty()) {
        Place& place = stack.back();
        const auto target = forest.target(edges[place.position]);
        if (place.symbol == target.size()) {
            stack.pop_back();
            continue;
        }
        const Symbol symbol = target[place.symbol++];
        if (is_slot(symbol))
            stack.push_back({tree.children(place.position)[slot_of(symbol)], 0});
        else
            words.push_back(symbol);
    }
    return words;
}

std::pair<std::vector<FeatureId>, std::vector<double>> derivation_features(
    const Forest& forest, std::span<const EdgeId> edges) {
    const DerivationTree checked(forest, edges);
    std::vector<FeatureId> ids;
    std::vector<double> values;
    for (const EdgeId edge : edges) {
        const SparseView features = forest.features(edge);
        ids.insert(ids.end(), features.ids.begin(), features.ids.end());
        values.insert(values.end(), features.values.begin(), features.values.end());
    }
    normalize_row(ids, values);
    return {std::move(ids), std::move(values)};
}

double derivation_score(const Forest& forest, std::span<const EdgeId> edges,
                        std::span<const double> scores) {
    const DerivationTree tree(forest, edges);
    std::vector<double> sums(edges.size());
    for (std::size_t i = edges.size(); i-- > 0;) {
        sums[i] = scores[edges[i]];
        for (const std::uint32_t child : tree.children(i))
            sums[i] = add_scores(sums[i], sums[child]);
    }
    return sums.front();
}

std::vector<std::int32_t> derivation_depths(const Forest& forest, std::span<const EdgeId> edges) {
    const DerivationTree tree(forest, edges);
    std::vector<std::int32_t> depths(edges.size(), 0);
    for (std::size_t i = 0; i < edges.size(); ++i)
        for (const std::uint32_t child : tree.children(i)) depths[child] = depths[i] + 1;
    return depths;
}

}  // namespace hopefear
