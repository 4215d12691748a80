// Selects source sides that match some given sentence.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "hopefear/extract/bitext.hpp"

namespace hopefear::extraction {

// A source side consists of phrases with nonterminals between, before or after them. It matches a
// sentence in which these phrases occur in order, with at least one word for each nonterminal, all
// within `max_span` words.
class SourceFilter {
  public:
    // `words` is the vocabulary of the bitext's source side and must outlive the filter. Phrases
    // have at most `max_phrase` words; a `max_span` of 0 means no limit.
    SourceFilter(const Vocabulary& words, std::size_t max_phrase, std::uint32_t max_span)
        : words_(&words), max_phrase_(max_phrase), max_span_(max_span) {}

    // Add sentences that rules should match.
    void add(const Text& text);

    // A phrase that occurs in a sentence, by its number.
    using PhraseId = std::int32_t;
    static constexpr PhraseId unknown = -1;
    // The ids of all phrases of a sentence of the bitext: the phrase [begin, begin + length) has
    // ids[begin * max_phrase + length - 1].
    void find_phrases(std::span<const WordId> sentence, std::vector<PhraseId>& ids) const;
    [[nodiscard]] std::size_t max_phrase() const { return max_phrase_; }
    // Whether a source side matches some sentence. gaps[i] nonterminals precede phrase i, and
    // gaps[phrases.size()] follow the last one.
    [[nodiscard]] bool matches(std::span<const PhraseId> phrases,
                               std::span<const std::uint32_t> gaps) const;

  private:
    struct Occurrence {
        std::uint32_t sentence;
        std::uint32_t begin;

        friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
    };

    [[nodiscard]] bool matches_in(std::uint32_t sentence, std::span<const PhraseId> phrases,
                                  std::span<const std::uint32_t> gaps) const;
    // The next occurrence of the phrase in the same sentence, from `begin` on; null if there is
    // none.
    [[nodiscard]] const Occurrence* next(PhraseId phrase, Occurrence from) const;

    const Vocabulary* words_;
    std::size_t max_phrase_;
    std::uint32_t max_span_;
    std::unordered_map<std::uint64_t, PhraseId> ids_;   // by hash
    std::vector<std::vector<Occurrence>> occurrences_;  // of each phrase, in order
    std::vector<std::uint32_t> lengths_;                // of each phrase
    std::vector<std::uint32_t> sentence_lengths_;
};

}  // namespace hopefear::extraction
