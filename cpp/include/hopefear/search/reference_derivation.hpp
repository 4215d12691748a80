// The best derivation of a forest whose string is a reference: bold updating.
//
// Liang et al. (2006), An end-to-end discriminative approach to machine translation, ACL; Chiang
// (2012), Hope and fear, 4.1.
#pragma once

#include <optional>
#include <span>

#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/metrics/reference_words.hpp"

namespace hopefear {

// Of all derivations whose string is one of the references of `sentence` the one with the largest
// score; nothing where there is none. numbers[w] is what word w of the forest is in the references.
[[nodiscard]] std::optional<ScoredDerivation> reference_derivation(const Forest& forest,
                                                                   const ReferenceWords& references,
                                                                   std::size_t sentence,
                                                                   std::span<const WordId> numbers,
                                                                   std::span<const double> scores);

}  // namespace hopefear
