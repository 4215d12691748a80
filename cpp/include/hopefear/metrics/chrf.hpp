// chrF and chrF++: the F-score of character n-grams, and optionally of word n-grams.
//
// Popović (2015), chrF, WMT; Popović (2017), chrF++, WMT. Statistics are [hypothesis n-grams,
// reference n-grams, matches] for each order of characters, then of words. With several references,
// the one with the best score counts, as in sacreBLEU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/metrics/reference_words.hpp"

namespace hopefear {

struct ChrfOptions {
    int character_order = 6;
    int word_order = 0;  // 2 for chrF++
    int beta = 2;        // recall counts beta times as much as precision
    // Count white space as characters.
    bool whitespace = false;
    // Average the F-scores of the orders, with 1e-16 for undefined ones, instead of computing the
    // F-score of mean precision and mean recall over the orders that both sides have.
    bool epsilon_smoothing = false;

    [[nodiscard]] std::size_t orders() const {
        return static_cast<std::size_t>(character_order + word_order);
    }
    [[nodiscard]] std::size_t dimension() const { return 3 * orders(); }
};

// In [0, 1].
[[nodiscard]] double chrf(std::span<const double> statistics, const ChrfOptions& options);

// The characters of `text` as numbers, different ones for different characters.
void read_characters(std::string_view text, const ChrfOptions& options,
                     std::vector<WordId>& characters);
// The words of chrF++, separated by blanks: punctuation at the end of a word or, if there is none,
// at its beginning is a word of its own.
[[nodiscard]] std::string separate_punctuation(std::string_view text);

class ChrfReferences {
  public:
    // references[i] are the references of sentence i.
    ChrfReferences(std::vector<std::vector<std::string>> references, const ChrfOptions& options);

    [[nodiscard]] const ChrfOptions& options() const { return options_; }
    // A row for each hypothesis; sentences[i] is the sentence that texts[i] translates.
    [[nodiscard]] std::vector<double> statistics(std::span<const std::string> texts,
                                                 std::span<const std::int64_t> sentences,
                                                 std::size_t threads) const;

  private:
    class Matcher;

    std::vector<std::vector<std::string>> references_;
    std::unique_ptr<const ReferenceWords> words_;  // if word n-grams are counted
    ChrfOptions options_;
};

}  // namespace hopefear
