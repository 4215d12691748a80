// An n-gram language model: a wrapper of KenLM that needs none of its headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lm::base {
class Model;
}

namespace hopefear {

// Sums over the words of a text, the end of each sentence included.
struct TextScore {
    double log10_probability = 0.0;
    double log10_unknown = 0.0;  // the part due to unknown words
    std::uint64_t tokens = 0;
    std::uint64_t unknown = 0;  // the number of unknown words
};

class LanguageModel {
  public:
    // Read an ARPA file or a KenLM binary file, detected by content. Throws FormatError if its
    // checksum is not the given one.
    explicit LanguageModel(const std::string& path,
                           std::optional<std::uint64_t> checksum = std::nullopt);
    ~LanguageModel();
    LanguageModel(LanguageModel&&) noexcept;
    LanguageModel& operator=(LanguageModel&&) noexcept;

    // Throw FormatError if the file changed since it was opened.
    void check_unchanged() const;

    [[nodiscard]] int order() const;
    [[nodiscard]] bool contains(std::string_view word) const;
    // log10 p(words), from <s> and up to </s> unless told otherwise. Unknown words score as <unk>.
    [[nodiscard]] double score(std::span<const std::string> words, bool begin, bool end) const;

    // Add a sentence, words separated by blanks, to `sum`.
    void score_line(std::string_view line, TextScore& sum) const;

    // For code that includes KenLM's headers.
    [[nodiscard]] const lm::base::Model& kenlm() const;

  private:
    struct Model;
    std::unique_ptr<const Model> model_;
};

// KenLM's binary files, which load by memory mapping.

// Read the ARPA file `arpa` and write it to `path` as KenLM's `structure`: "probing" (a hash table,
// fastest) or "trie" (smallest). Sorting for a trie takes `memory` bytes, and files in `directory`.
void write_kenlm_binary(const std::string& arpa, const std::string& path,
                        std::string_view structure, std::size_t memory,
                        const std::string& directory);

}  // namespace hopefear
