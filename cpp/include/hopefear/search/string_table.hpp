// The distinct strings that were chosen for each sentence: a metric's statistics are computed once
// for each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/nbest/text.hpp"

namespace hopefear {

// Thread-safe.
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

}  // namespace hopefear
