// Forests split by reference k-grams, in a compact form for forest MIRA.
//
// See forest_statistics.hpp. The split edges of one original edge share its features and target
// side, and edges that do the same for BLEU share their statistics: here an edge is its tails and
// two numbers, 16 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/forest/forest_set.hpp"
#include "hopefear/forest/tail_pairs.hpp"
#include "hopefear/metrics/bleu_references.hpp"

namespace hopefear {

// One forest. It has no nodes if the sentence has no forest or if the split forest would be too
// large.
struct BleuForest {
    struct Edge {
        EdgeId original;
        std::uint32_t statistics;  // which row
    };

    BleuForest() = default;
    BleuForest(const ForestStatistics& split, std::size_t dimension);

    [[nodiscard]] bool empty() const { return edges.empty(); }
    [[nodiscard]] NodeId root() const { return static_cast<NodeId>(edge_begin.size()) - 2; }
    [[nodiscard]] std::size_t bytes() const;

    std::vector<Forest::Offset> edge_begin{0};  // by node
    TailPairs tails{0};
    std::vector<Edge> edges;
    std::vector<double> rows;  // the different statistics
};

class BleuForests {
  public:
    // numbers[w] is the number of the forests' word w in the references. A forest that would grow
    // to more than `growth` times its edges is left out, unless it is small.
    BleuForests(const ForestSet& forests, std::shared_ptr<const BleuReferences> references,
                std::vector<WordId> numbers, std::size_t growth, std::size_t threads);

    [[nodiscard]] std::size_t size() const { return forests_.size(); }
    [[nodiscard]] const BleuForest& operator[](std::size_t sentence) const {
        return forests_[sentence];
    }
    [[nodiscard]] const BleuReferences& references() const { return *references_; }
    [[nodiscard]] WordId number(WordId word) const { return numbers_[word]; }
    [[nodiscard]] std::span<const WordId> numbers() const { return numbers_; }
    [[nodiscard]] std::size_t edge_count() const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<BleuForest> forests_;
    std::shared_ptr<const BleuReferences> references_;
    std::vector<WordId> numbers_;
};

}  // namespace hopefear
