// Interpolated modified Kneser-Ney estimation of n-gram language models, in bounded memory (Chen
// and Goodman, 1998; Heafield et al., 2013). The result is that of KenLM's lmplz.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/lm/options.hpp"
#include "hopefear/lm/progress.hpp"

namespace hopefear::kneser_ney {

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
