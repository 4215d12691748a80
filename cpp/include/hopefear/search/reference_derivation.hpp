// The best derivation of a forest whose string is a reference, for bold updates.
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

// The derivation with the largest score among those whose string is a reference of `sentence`, if
// there is one. numbers[w] is the number of the forest's word w in the references.
[[nodiscard]] std::optional<ScoredDerivation> reference_derivation(const Forest& forest,
                                                                   const ReferenceWords& references,
                                                                   std::size_t sentence,
                                                                   std::span<const WordId> numbers,
                                                                   std::span<const double> scores);

}  // namespace hopefear
