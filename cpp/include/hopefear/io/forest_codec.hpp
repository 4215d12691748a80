// Forests as bytes: compact, exact, and safe to read from any source.
//
// Many edges of a forest come from the same rule: they share their target side and the values of
// most features, and differ in their tails and in context-dependent features such as the language
// model score. Rules are detected and stored once. Everything is stored by column, in
// variable-length numbers, which suits a general compressor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest.hpp"

namespace hopefear {

// The bytes of `forest`, with the word and feature ids of the given vocabularies; new strings are
// added to them.
[[nodiscard]] std::string encode_forest(const Forest& forest, Vocabulary& words,
                                        Vocabulary& feature_names);

[[nodiscard]] std::string encode_vocabulary(const Vocabulary& vocabulary);

// Add encoded strings to `vocabulary` and return their ids. Throws FormatError if the bytes do not
// encode a vocabulary.
std::vector<Vocabulary::Id> decode_vocabulary(std::span<const char> bytes, Vocabulary& vocabulary);

// The words and features of a store, and their ids in the vocabularies of the decoded forests.
struct CodecVocabularies {
    std::shared_ptr<Vocabulary> words;
    std::shared_ptr<Vocabulary> feature_names;
    std::span<const Vocabulary::Id> word_ids;
    std::span<const Vocabulary::Id> feature_ids;
};

// Decode a forest: the same nodes, edges and values, bit for bit and in the same order. Throws
// FormatError or ForestError if the bytes do not encode a forest.
[[nodiscard]] Forest decode_forest(std::span<const char> bytes,
                                   const CodecVocabularies& vocabularies);

}  // namespace hopefear
