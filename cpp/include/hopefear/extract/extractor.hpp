// From a word-aligned bitext to a scored grammar, in bounded memory.
//
// Chiang (2007), section 3.2. Every place in the bitext where a rule is found is a record of fixed
// size; sorted by source side they are counted and scored, sorted by target side they tell how
// often that occurs, and sorted back they are written in the order of the trie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "hopefear/extract/bitext.hpp"
#include "hopefear/extract/phrase_pairs.hpp"
#include "hopefear/extract/source_filter.hpp"

namespace hopefear::extraction {

// Called now and then with a stage and how much of it is done.
using Progress =
    std::function<void(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

// What an extraction may use.
struct Resources {
    std::size_t memory = std::size_t{1} << 31;  // bytes, beside the bitext
    std::string directory = "/tmp";             // of temporary files
    std::size_t threads = 0;                    // 0: one per core
};

struct Summary {
    std::uint64_t sentences = 0;
    std::uint64_t phrase_pairs = 0;  // initial ones
    std::uint64_t instances = 0;     // places of rules, all of them
    std::uint64_t rules = 0;         // different ones, written
    std::uint64_t sources = 0;       // different source sides of these
    std::uint64_t bytes = 0;         // of the file
};

// Extract the rules of `bitext` and write the grammar to `path`. With a filter, only the rules that
// it lets pass are written; their scores are the same. The result does not depend on `resources`.
Summary extract(const Bitext& bitext, const Options& options, Smoothing smoothing,
                const SourceFilter* filter, const Resources& resources, const std::string& path,
                const std::string& notes, const Progress& progress);

}  // namespace hopefear::extraction
