// One alignment of two directed ones.
//
// Och & Ney (2003); Koehn, Och & Marcu (2003), Statistical phrase-based translation; in the details
// (the order in which points are tried) as Moses' symal does it.
#pragma once

#include "hopefear/grammar/alignment.hpp"

namespace hopefear {

// How to symmetrize. Growing starts from the intersection and adds points of the union that touch
// one that is already there and connect a word that has no link yet; with `diagonal`, points that
// touch at a corner count, too. At the end, points of the union that touch nothing are added if
// one of their words (`either`) or both (`both`) have no link yet.
struct Symmetrization {
    enum class Base { intersection, union_of_both, grow };
    enum class Final { none, either, both };

    Base base = Base::grow;
    bool diagonal = true;
    Final final = Final::both;
};

// `forward` is the alignment in which each target word has chosen its source word, as p(e|f) models
// make them; in `reverse` each source word has. (They need not be functions.) Points of `forward`
// come first where points outside of the neighborhood are added.
[[nodiscard]] std::vector<Link> symmetrize(std::span<const Link> forward,
                                           std::span<const Link> reverse,
                                           const Symmetrization& how);
// The same for all sentences; throws DataError if their numbers differ.
[[nodiscard]] Alignments symmetrize(const Alignments& forward, const Alignments& reverse,
                                    const Symmetrization& how);

}  // namespace hopefear
