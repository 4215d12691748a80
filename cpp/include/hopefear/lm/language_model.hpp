// An n-gram language model: KenLM behind a face that needs none of its headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
    double log10_unknown = 0.0;  // the part of it that words unknown to the model have
    std::uint64_t tokens = 0;
    std::uint64_t unknown = 0;  // how many of them the model does not know
};

class LanguageModel {
  public:
    // ARPA (plain text) or KenLM's own binary, told apart by content.
    explicit LanguageModel(const std::string& path);
    ~LanguageModel();
    LanguageModel(LanguageModel&&) noexcept;
    LanguageModel& operator=(LanguageModel&&) noexcept;

    [[nodiscard]] int order() const;
    [[nodiscard]] bool contains(std::string_view word) const;
    // log10 p(words), from <s> and up to </s> unless told otherwise. Unknown words score as <unk>.
    [[nodiscard]] double score(std::span<const std::string> words, bool begin, bool end) const;

    // Add a sentence, words separated by blanks, to `sum`.
    void score_line(std::string_view line, TextScore& sum) const;

    // For those who have KenLM's headers.
    [[nodiscard]] const lm::base::Model& kenlm() const;

  private:
    struct Model;
    std::unique_ptr<const Model> model_;
};

// KenLM's binary form of a language model, which is ready as soon as it is mapped.

// Read the ARPA file `arpa` and write it to `path` as KenLM's `structure`: "probing" (a hash table,
// fastest) or "trie" (smallest). Sorting for a trie takes `memory` bytes, and files in `directory`.
void write_kenlm_binary(const std::string& arpa, const std::string& path,
                        std::string_view structure, std::size_t memory,
                        const std::string& directory);

}  // namespace hopefear
