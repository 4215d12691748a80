// What can be chosen when a language model is estimated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hopefear::kneser_ney {

struct Options {
    std::size_t order = 5;
    // N-grams of order i + 1 that occur prune[i] times or less are left out. No smaller than for
    // the order below, and 0 for words; the last value holds for the orders above.
    std::vector<std::uint64_t> prune;
    // D₁, D₂, D₃₊ for orders where they cannot be estimated.
    std::optional<std::array<double, 3>> discount_fallback;
    // Whether <s>, </s> and <unk> in the text are taken for blanks; otherwise they are an error.
    bool skip_special_words = false;
    // Bytes, for all but the vocabulary where that alone needs more than three quarters of them.
    std::size_t memory = std::size_t{1} << 30;
    std::string directory = "/tmp";  // of temporary files
};

// Throw ConfigError unless the options can be used.
void check(const Options& options);

}  // namespace hopefear::kneser_ney
