// How much each hypothesis agrees with the others of its list: its expected score against them.
//
// Kumar and Byrne (2004), Minimum Bayes-risk decoding for SMT, HLT-NAACL, equation 2, with the same
// probability for every other hypothesis, as in Eikema and Aziz (2022), Sampling-based
// approximations to minimum Bayes risk decoding for NMT, EMNLP.
#pragma once

#include <cstddef>
#include <vector>

#include "hopefear/metrics/chrf.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// The mean chrF of each row against the other rows of its sentence, in [0, 1]; 0 without others.
[[nodiscard]] std::vector<double> chrf_agreement(const NBest& lists, const ChrfOptions& options,
                                                 std::size_t threads);

// The mean sentence BLEU+1; words are those of chrF++, whose punctuation is separate.
[[nodiscard]] std::vector<double> bleu_agreement(const NBest& lists, std::size_t order,
                                                 std::size_t threads);

}  // namespace hopefear
