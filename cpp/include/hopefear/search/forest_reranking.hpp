// Hope and fear by forest reranking: a dynamic program over derivations with their own strings.
//
// Chiang (2012), Hope and fear, 5.2; Dreyer, Hall and Khudanpur (2007), Comparing reordering
// constraints for SMT using efficient BLEU oracle computation; Huang (2008), Forest reranking. Of
// each node the derivations with the largest phi = w . h + gain_weight B are kept, where B is the
// gain of what the derivation has made of the sentence so far. Not exact: what is better of a part
// need not be better of the whole.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/bleu_references.hpp"

namespace hopefear {

// Derivations that were found, the best first.
struct Reranked {
    DerivationList derivations;      // their scores are phi
    std::vector<double> scores;      // w . h of each, bit for bit what `derivation_score` gives
    std::vector<double> statistics;  // of each a row: exact
};

// Searches a forest for hopes and fears, under several weights in turn. What the forest and the
// references have to say is prepared once.
//
// Unlike the paper, which counts matches on edges, without clipping, k-grams are those of the whole
// partial string and are clipped. rho is split by source words covered, with the average reference
// length, as in equation 10; at the root it is that of BLEU itself. Where nothing is known of the
// source, parts have the length that they should have.
class ForestReranker {
  public:
    // The forest translates `sentence`; it and the references have to live as long as this.
    // numbers[w] is what word w of the forest is in the references. B is in the context of
    // `document`, positive in every component.
    ForestReranker(const Forest& forest, const BleuReferences& references, std::size_t sentence,
                   std::span<const WordId> numbers, std::span<const double> document);
    ~ForestReranker();
    ForestReranker(ForestReranker&&) noexcept;

    // The derivations of the root with the largest phi among those that are kept; `kept` of each
    // node, and of the result. scores[e] is w . h of edge e; gain_weight is 1 for the hope with
    // mu = -1, -1 for the fear. One thread at a time.
    [[nodiscard]] Reranked find(std::span<const double> scores, double gain_weight,
                                std::size_t kept);

  private:
    class Search;
    template <std::size_t Lanes>
    class SearchIn;
    std::unique_ptr<Search> search_;
};

}  // namespace hopefear
