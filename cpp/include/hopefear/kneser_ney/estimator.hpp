// Interpolated modified Kneser-Ney estimation of n-gram language models, in bounded memory (Chen
// and Goodman, 1998; Heafield et al., 2013). The result is that of KenLM's lmplz.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

struct OrderSummary {
    std::uint64_t ngrams = 0;  // in the model
    std::uint64_t pruned = 0;
    std::array<double, 3> discounts{};  // D₁, D₂, D₃₊
};

struct Summary {
    std::uint64_t sentences = 0;
    std::uint64_t tokens = 0;  // words of the text, without </s>
    std::vector<OrderSummary> orders;
};

// Called now and then with a stage and how much of it is done.
using Progress =
    std::function<void(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

// Takes a text in pieces, then writes its language model.
class Estimator {
  public:
    explicit Estimator(const Options& options);
    ~Estimator();

    void begin_file(std::string name);
    void add(std::string_view bytes);
    void end_file();
    // Estimate the model and write it to `path`, once.
    [[nodiscard]] Summary write_arpa(const std::string& path, const Progress& progress);

    class Pipeline;  // knows its order at compile time

  private:
    std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace hopefear::kneser_ney
