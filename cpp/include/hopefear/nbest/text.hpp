// The texts of n-best lists in a few bytes each.
//
// The hypotheses of a sentence use few different words, and each resembles the one before it. So
// each sentence has a table of its words, and a hypothesis is stored as the number of words it
// shares with its predecessor at the beginning and at the end, and the words in between (table
// indices, mostly one byte each). Every 32nd hypothesis is stored in full, as a point to start
// reading.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/growing_array.hpp"
#include "hopefear/base/vocabulary.hpp"

namespace hopefear {

// Lists of words, one after the other: list i is ids[offsets[i] .. offsets[i + 1]).
struct WordLists {
    std::vector<WordId> ids;
    std::vector<std::size_t> offsets{0};

    [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
    [[nodiscard]] std::span<const WordId> operator[](std::size_t i) const {
        return std::span(ids).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
    void clear();
    void push_back(std::span<const WordId> words);
};

class NBestText {
  public:
    // Where a sentence's parts begin.
    struct Sentence {
        std::uint64_t bytes;
        std::uint64_t words;
        std::uint64_t restarts;
    };
    static constexpr std::size_t restart_every = 32;

    // Word ids of the hypothesis with this index in the sentence's list.
    void read(std::size_t sentence, std::size_t index, std::vector<WordId>& out) const;
    // Word ids of the first `count` hypotheses of the sentence.
    void read_all(std::size_t sentence, std::size_t count, WordLists& out) const;
    // Whether some hypothesis has no words.
    [[nodiscard]] bool any_empty() const { return any_empty_; }
    // Release the memory of the sentences [begin, end) if they lie in a file.
    void release(std::size_t begin, std::size_t end) const;
    void spill(const std::string& directory);
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::size_t resident_bytes() const;

  private:
    friend class NBestTextWriter;

    // Replace the local ids in `words` by those of the hypothesis stored at `at`; returns the
    // position of the next one.
    static const std::uint8_t* step(const std::uint8_t* at, std::vector<std::uint32_t>& words,
                                    std::vector<std::uint32_t>& spare);

    GrowingArray<std::uint8_t> bytes_;
    GrowingArray<WordId> words_;            // the sentences' tables
    GrowingArray<std::uint32_t> restarts_;  // where every 32nd hypothesis begins in its sentence
    GrowingArray<Sentence> sentences_;
    bool any_empty_ = false;
};

// The most bytes that a number takes, and a number in bytes as `read_number` reads them; `at` has
// room for it. Returns the place behind it.
inline constexpr std::size_t number_bytes = 5;
[[nodiscard]] inline std::uint8_t* put_number(std::uint32_t number, std::uint8_t* at) {
    for (; number >= 0x80; number >>= 7) *at++ = static_cast<std::uint8_t>(number | 0x80);
    *at++ = static_cast<std::uint8_t>(number);
    return at;
}

// Writes sentence after sentence, in order.
class NBestTextWriter {
  public:
    explicit NBestTextWriter(NBestText& text) : text_(text) {}

    void begin_sentence();
    void append(std::span<const WordId> words);

  private:
    // A word's number in the table of the last sentence that has it, counted from 1.
    struct Local {
        std::uint32_t sentence = 0;
        std::uint32_t number = 0;
    };
    void add_local(WordId word);

    NBestText& text_;
    std::size_t index_ = 0;  // of the next hypothesis in its sentence
    std::vector<std::uint32_t> previous_;
    std::vector<std::uint32_t> current_;
    std::vector<std::uint8_t> bytes_;
    std::vector<Local> local_;
};

}  // namespace hopefear
