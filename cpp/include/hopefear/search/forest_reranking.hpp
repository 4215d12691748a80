// Hope and fear by forest reranking: a dynamic program over derivations with their strings.
//
// Chiang (2012), Hope and fear, 5.2; Dreyer, Hall and Khudanpur (2007), Comparing reordering
// constraints for SMT using efficient BLEU oracle computation; Huang (2008), Forest reranking. Each
// node keeps the derivations with the largest
//
//     φ(d) = w · h(d) + gain_weight B(d),
//
// where B is the gain of the string that the derivation has produced so far. The search is not
// exact: a better part need not make a better whole.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/bleu_references.hpp"

namespace hopefear {

// The derivations found, the best first.
struct Reranked {
    DerivationList derivations;      // their scores are phi
    std::vector<double> scores;      // w . h of each, bit for bit what `derivation_score` gives
    std::vector<double> statistics;  // a row for each, exact
};

// Searches a forest for hopes and fears under several weights in turn. Everything that depends only
// on the forest and the references is prepared once.
//
// Unlike the paper, which counts unclipped matches on edges, k-grams of the whole partial string
// are counted, with clipping. rho is split by source words covered, with the average reference
// length, as in equation 10; at the root it is the rho of BLEU. If the source spans are unknown,
// parts are taken to have the right length.
class ForestReranker {
  public:
    // The forest translates `sentence`; forest and references must outlive this object. numbers[w]
    // is the number of the forest's word w in the references. B is in the context of `document`,
    // all of whose components are positive.
    ForestReranker(const Forest& forest, const BleuReferences& references, std::size_t sentence,
                   std::span<const WordId> numbers, std::span<const double> document);
    ~ForestReranker();
    ForestReranker(ForestReranker&&) noexcept;

    // The derivations of the root with the largest φ among those kept; `kept` limits each node and
    // the result. scores[e] is w · h of edge e; gain_weight is 1 for the hope with μ = -1, and -1
    // for the fear. Not thread-safe.
    [[nodiscard]] Reranked find(std::span<const double> scores, double gain_weight,
                                std::size_t kept);

  private:
    class Search;
    template <std::size_t Lanes>
    class SearchIn;
    std::unique_ptr<Search> search_;
};

}  // namespace hopefear
