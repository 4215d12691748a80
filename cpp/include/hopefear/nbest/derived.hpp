// Features that the text of a hypothesis has by itself, or together with its source.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

enum class TextFeature {
    words,         // the number of words, separated by white space
    characters,    // the number of characters, blanks included
    length_ratio,  // characters per character of the source
    copy,          // the share of the words that are the source's, each as often as there
    repetition,    // the share of the pairs of neighboring words that were there before
    rank,          // the place in the list, from 0
};

// One number for each row. `sources` has the source of each sentence where the feature needs it.
[[nodiscard]] std::vector<double> text_feature(const NBest& lists, TextFeature feature,
                                               const std::vector<std::string>& sources,
                                               std::size_t threads);

}  // namespace hopefear
