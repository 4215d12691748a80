// N-gram models as text, in the ARPA format: log10 probability, words, log10 back-off weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hopefear/base/vocabulary.hpp"
#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

class ArpaWriter {
  public:
    // Creates or truncates the file.
    ArpaWriter(const std::string& path, const Vocabulary& vocabulary);
    ArpaWriter(const ArpaWriter&) = delete;
    ArpaWriter& operator=(const ArpaWriter&) = delete;
    ~ArpaWriter();

    // Begin with the number of n-grams of each order.
    void begin(std::span<const std::uint64_t> counts);
    void begin_order(std::size_t order);
    // Write an n-gram, its last word first; without `backoff` for the highest order.
    void entry(std::span<const WordId> words, double probability, double backoff);
    // Flush; without this call the file is incomplete.
    void end();

  private:
    void append(std::string_view text);
    void append_log10(double value);
    void flush();

    std::string path_;
    const Vocabulary& vocabulary_;
    int file_;
    std::size_t highest_ = 0;
    std::string buffer_;
};

}  // namespace hopefear::kneser_ney
