// What is extracted: the limits of Chiang (2007), section 3.2.
#pragma once

#include <cstdint>

namespace hopefear::extraction {

struct Options {
    // Words on either side of an initial phrase pair.
    std::int32_t max_phrase_length = 10;
    // Words and nonterminals on the source side of a rule.
    std::int32_t max_source_symbols = 5;
    std::int32_t max_nonterminals = 2;
    // Source words that a nonterminal stands for, at least.
    std::int32_t min_nonterminal_span = 2;
    // Whether two nonterminals may be neighbors on the source side.
    bool adjacent_nonterminals = false;
    // Whether all four words at the corners of a phrase pair must have links: of several phrase
    // pairs with the same links, only the smallest is taken.
    bool tight = true;
    // Whether the rules of one initial phrase pair share one count; otherwise each has its own.
    bool fractional_counts = true;

    friend bool operator==(const Options&, const Options&) = default;
};

// Throws ConfigError if a value cannot be used.
void check(const Options& options);

// How the relative frequencies are smoothed.
enum class Smoothing : std::uint8_t {
    none,
    good_turing,  // joint counts up to 8 are discounted, as Moses' --GoodTuring does it
};

}  // namespace hopefear::extraction
