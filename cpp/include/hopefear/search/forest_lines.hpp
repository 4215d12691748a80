// The best derivations of the forests of a data set: at given weights, and along a line of weights.
//
// Macherey et al. (2008), Lattice-based minimum error rate training; Kumar et al. (2009) for
// hypergraphs. Unlike these papers, which combine the envelope of a node from those of its tails,
// the lines of the root's envelope are found one by one: the best derivations at two points are two
// lines, and at their crossing either there is a better one or the envelope between them is known
// (Eisner & Severance 1976, Mathematical techniques for efficient record segmentation). The
// envelope is the same, only what the root needs is computed, and several points share a pass over
// the forest.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest_set.hpp"
#include "hopefear/nbest/text.hpp"

namespace hopefear {

// The distinct strings that were chosen for each sentence.

// Statistics of a metric are computed once for each string. Thread-safe.
class StringTable {
  public:
    struct Entry {
        std::size_t sentence;
        std::span<const WordId> words;
    };

    // The number of each string; new strings are added.
    void add(std::span<const Entry> entries, std::span<std::int64_t> numbers);
    [[nodiscard]] std::size_t size() const;

    struct Texts {
        std::vector<std::string> texts;
        std::vector<std::int64_t> sentences;
    };
    // The strings from number `begin` on.
    [[nodiscard]] Texts texts(std::size_t begin, const Vocabulary& vocabulary) const;

  private:
    [[nodiscard]] std::int64_t add(const Entry& entry);
    [[nodiscard]] std::span<const WordId> words(std::size_t number) const {
        return std::span(words_).subspan(begin_[number], begin_[number + 1] - begin_[number]);
    }
    void grow();

    mutable std::mutex mutex_;
    std::vector<WordId> words_;
    std::vector<std::uint64_t> begin_{0};
    std::vector<std::uint32_t> sentence_;
    std::vector<std::uint64_t> hash_;
    std::vector<std::uint32_t> slots_ =
        std::vector<std::uint32_t>(64, 0);  // number + 1; open addressing, half empty
};

// Lines of all sentences: those of sentence i are offsets[i] .. offsets[i + 1], by increasing
// slope.
struct ForestLines {
    std::vector<std::int64_t> offsets;
    std::vector<double> slopes;
    std::vector<double> intercepts;
    std::vector<std::int64_t> strings;  // numbers in the table
};

// The upper envelope of each forest, where an edge has the score scores[e] + γ slopes[e]. The same
// lines for any number of threads.
[[nodiscard]] ForestLines forest_lines(const ForestSet& forests, std::span<const double> scores,
                                       std::span<const double> slopes, StringTable& table,
                                       std::size_t threads);

// The string of the best derivation of each forest, as its number in the table; -1 where there is
// no forest.
[[nodiscard]] std::vector<std::int64_t> best_strings(const ForestSet& forests,
                                                     std::span<const double> scores,
                                                     StringTable& table, std::size_t threads);

}  // namespace hopefear
