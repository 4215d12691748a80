// An n-gram language model: KenLM behind a face that needs none of its headers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hopefear {

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

  private:
    struct Model;
    std::unique_ptr<const Model> model_;
};

}  // namespace hopefear
