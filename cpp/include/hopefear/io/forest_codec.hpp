// Forests as bytes: compact, exact, and safe to read from any source.
//
// Many edges of a forest come from the same rule: they have the same target side and the same
// values of most features, and differ in their tails and in what depends on context, such as the
// language model's score. Rules are found and stored once; everything is stored column by column,
// in numbers as short as they are, which a general compressor then makes smaller still.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// The bytes of `forest`, in which words and features have their numbers in the vocabularies given;
// they are added where they are new.
[[nodiscard]] std::string encode_forest(const Forest& forest, Vocabulary& words,
                                        Vocabulary& feature_names);

[[nodiscard]] std::string encode_vocabulary(const Vocabulary& vocabulary);

// Add the strings whose bytes these are to `vocabulary`; their ids in it. Throws FormatError for
// bytes that are not those of a vocabulary.
std::vector<Vocabulary::Id> decode_vocabulary(std::span<const char> bytes, Vocabulary& vocabulary);

// The words and features of a store, and their numbers in the vocabularies of the forests that are
// read from it.
struct CodecVocabularies {
    std::shared_ptr<Vocabulary> words;
    std::shared_ptr<Vocabulary> feature_names;
    std::span<const Vocabulary::Id> word_ids;
    std::span<const Vocabulary::Id> feature_ids;
};

// The forest whose bytes these are: its nodes, edges and values bit for bit, in their order.
// Throws FormatError or ForestError for bytes that are not those of a forest.
[[nodiscard]] Forest decode_forest(std::span<const char> bytes,
                                   const CodecVocabularies& vocabularies);

}  // namespace hopefear
