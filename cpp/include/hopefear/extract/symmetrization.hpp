// Combines two directed alignments into one.
//
// Och & Ney (2003); Koehn, Och & Marcu (2003), Statistical phrase-based translation. Details such
// as the order in which points are tried follow Moses' symal.
#pragma once

#include "hopefear/grammar/alignment.hpp"

namespace hopefear {

// How to symmetrize. Growing starts from the intersection and adds points of the union that touch
// an existing point and link a word without a link; with `diagonal`, touching at a corner counts.
// At the end, other points of the union are added if one of their words (`either`) or both (`both`)
// have no link.
struct Symmetrization {
    enum class Base { intersection, union_of_both, grow };
    enum class Final { none, either, both };

    Base base = Base::grow;
    bool diagonal = true;
    Final final = Final::both;
};

// In `forward`, each target word has chosen its source word, as in models of p(e|f); in `reverse`,
// each source word has chosen. (They need not be functions.) Points of `forward` come first when
// unconnected points are added.
[[nodiscard]] std::vector<Link> symmetrize(std::span<const Link> forward,
                                           std::span<const Link> reverse,
                                           const Symmetrization& how);
// The same for all sentences; throws DataError if their numbers differ.
[[nodiscard]] Alignments symmetrize(const Alignments& forward, const Alignments& reverse,
                                    const Symmetrization& how);

}  // namespace hopefear
