// From a word-aligned bitext to a scored grammar, in bounded memory.
//
// Chiang (2007), section 3.2. Every occurrence of a rule in the bitext is a record of fixed size.
// Records are sorted by source side to count and score rules, by target side to count target sides,
// and sorted back to be written in the order of the trie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "hopefear/extract/bitext.hpp"
#include "hopefear/extract/phrase_pairs.hpp"
#include "hopefear/extract/source_filter.hpp"

namespace hopefear::extraction {

// Progress callback: a stage and the share of it that is done.
using Progress =
    std::function<void(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

// Limits on memory, disk and threads.
struct Resources {
    std::size_t memory = std::size_t{1} << 31;  // bytes, not counting the bitext
    std::string directory = "/tmp";             // of temporary files
    std::size_t threads = 0;                    // 0 means one per core
};

struct Summary {
    std::uint64_t sentences = 0;
    std::uint64_t phrase_pairs = 0;  // initial ones
    std::uint64_t instances = 0;     // occurrences of rules
    std::uint64_t rules = 0;         // distinct rules written
    std::uint64_t sources = 0;       // their distinct source sides
    std::uint64_t bytes = 0;         // of the file
};

// Extract the rules of `bitext` and write the grammar to `path`. With a filter, only matching rules
// are written; their scores are the same. The result does not depend on `resources`.
Summary extract(const Bitext& bitext, const Options& options, Smoothing smoothing,
                const SourceFilter* filter, const Resources& resources, const std::string& path,
                const std::string& notes, const Progress& progress);

}  // namespace hopefear::extraction
