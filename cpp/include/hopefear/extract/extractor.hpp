// From a word-aligned bitext to a scored grammar, in bounded memory.
//
// Chiang (2007), section 3.2. Every occurrence of a rule in the bitext is a record of fixed size.
// Records are sorted by source side to count and score rules, by target side to count target sides,
// and sorted back to be written in the order of the trie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

// The same by several processes, each with the same bitext and options, which share a folder. Each
// collects the occurrences of rules in some sentences and sorts them; scores the rules of some
// source sides; and, with a filter, counts the target sides of the rules in some sentences. One of
// them writes the grammar. The result does not depend on how the work is divided.

// Sorted records in a file, partition by partition.
struct SortedFile {
    std::string path;
    std::vector<std::uint64_t> sizes;
};
struct CollectedRules {
    SortedFile instances;
    std::uint64_t phrase_pairs;
    std::uint64_t found;
};
// The rules of one partition, in the order of the trie.
struct ScoredRules {
    std::string path;
    std::vector<std::uint64_t> counts_of_counts;
};
struct CountedRules {
    std::vector<std::uint64_t> targets;  // the counts of the target sides
    SortedFile rules;                    // empty if nothing is smoothed
};

class SharedExtraction {
  public:
    SharedExtraction(const Bitext& bitext, const Options& options, Smoothing smoothing,
                     const SourceFilter* filter, const Resources& resources);
    ~SharedExtraction();

    // How many ranges of source sides there are to score.
    [[nodiscard]] std::size_t partitions() const;
    [[nodiscard]] CollectedRules collect(SentenceRange sentences, const std::string& path) const;
    // Score the rules of partitions from `begin` on, up to `end`; files are in `directory`.
    [[nodiscard]] std::vector<ScoredRules> score(const std::vector<CollectedRules>& collected,
                                                 std::size_t begin, std::size_t end,
                                                 const std::string& directory) const;
    // With a filter: the target sides whose counts are needed, sorted.
    [[nodiscard]] std::vector<std::uint64_t> targets(const std::vector<ScoredRules>& scored) const;
    [[nodiscard]] CountedRules count(std::span<const std::uint64_t> targets,
                                     SentenceRange sentences, const std::string& path) const;
    [[nodiscard]] Summary write(const std::vector<CollectedRules>& collected,
                                const std::vector<ScoredRules>& scored,
                                std::span<const std::uint64_t> targets,
                                const std::vector<CountedRules>& counted, const std::string& path,
                                const std::string& notes, const Progress& progress) const;

  private:
    struct Plan;
    std::unique_ptr<Plan> plan_;
};

}  // namespace hopefear::extraction
