// The phrase pairs of a sentence pair that its word alignment allows, and the rules in each.
//
// Chiang (2007), section 3.2: an initial phrase pair has at least one link, and no link leads out
// of it. A rule is an initial phrase pair in which smaller ones are replaced by nonterminals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/extract/bitext.hpp"

namespace hopefear::extraction {

// The limits on what is extracted: Chiang (2007), section 3.2.
struct Options {
    // Words on either side of an initial phrase pair.
    std::int32_t max_phrase_length = 10;
    // Words and nonterminals on the source side of a rule.
    std::int32_t max_source_symbols = 5;
    std::int32_t max_nonterminals = 2;
    // The least number of source words that a nonterminal covers.
    std::int32_t min_nonterminal_span = 2;
    // Whether two nonterminals may be neighbors on the source side.
    bool adjacent_nonterminals = false;
    // Whether all four corner words of a phrase pair must be linked: of several phrase pairs with
    // the same links, only the smallest is extracted.
    bool tight = true;
    // Whether the rules of one initial phrase pair share one count; otherwise each has its own.
    bool fractional_counts = true;

    friend bool operator==(const Options&, const Options&) = default;
};

// Throws ConfigError for an invalid value.
void check(const Options& options);

// How the relative frequencies are smoothed.
enum class Smoothing : std::uint8_t {
    none,
    good_turing,  // joint counts up to 8 are discounted, as with --GoodTuring of Moses
};

// Source words [source, source + source_length) with target words likewise.
struct PhrasePair {
    std::uint16_t source;
    std::uint16_t target;
    std::uint8_t source_length;
    std::uint8_t target_length;
    std::uint32_t links;  // number of links inside

    [[nodiscard]] std::uint32_t source_end() const { return source + source_length; }
    [[nodiscard]] std::uint32_t target_end() const { return target + target_length; }
    [[nodiscard]] bool covers_target(const PhrasePair& other) const {
        return target <= other.target && other.target_end() <= target_end();
    }
    [[nodiscard]] bool meets_target(const PhrasePair& other) const {
        return target < other.target_end() && other.target < target_end();
    }
};

// The phrase pairs of one sentence pair after the other.
class PhrasePairs {
  public:
    explicit PhrasePairs(const Options& options) : options_(options) {}

    void find(const SentencePair& pair);
    // In the order of where they begin in the source, then of their source lengths.
    [[nodiscard]] std::span<const PhrasePair> all() const { return pairs_; }
    // Those of the source words [source, source + length).
    [[nodiscard]] std::span<const PhrasePair> of(std::size_t source, std::size_t length) const {
        const std::size_t at = source * width() + length - 1;
        return std::span(pairs_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
    }

  private:
    // Number of lengths.
    [[nodiscard]] std::size_t width() const {
        return static_cast<std::size_t>(options_.max_phrase_length);
    }
    void read_links(const SentencePair& pair);
    void find_from(std::size_t target_begin);
    void add(std::int32_t source_begin, std::int32_t source_end, std::int32_t target_begin,
             std::int32_t target_end);
    void sort();

    Options options_;
    std::int32_t source_length_ = 0;
    std::int32_t target_length_ = 0;
    // For each source word: the beginning of its links, its first and last target word.
    std::vector<std::uint32_t> link_begin_;
    std::vector<std::int32_t> first_target_;
    std::vector<std::int32_t> last_target_;
    std::vector<std::int32_t> first_source_;  // of each target word
    std::vector<std::int32_t> last_source_;
    std::vector<PhrasePair> found_;
    std::vector<PhrasePair> pairs_;  // sorted
    std::vector<std::uint32_t> begin_;
};

// The phrase pairs that become nonterminals, in source order; null for none.
struct Holes {
    const PhrasePair* first = nullptr;
    const PhrasePair* second = nullptr;

    [[nodiscard]] int count() const { return (first != nullptr) + (second != nullptr); }
};

// Replace `rules` by the holes of every rule of the initial phrase pair `outer`.
void find_rules(const PhrasePairs& phrases, const PhrasePair& outer, const Options& options,
                std::vector<Holes>& rules);

}  // namespace hopefear::extraction
