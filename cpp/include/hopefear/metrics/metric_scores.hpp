// The metrics as corpus scores: fractions, higher is better.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hopefear/metrics/bleu.hpp"
#include "hopefear/metrics/chrf.hpp"
#include "hopefear/metrics/corpus_score.hpp"
#include "hopefear/metrics/error_rate.hpp"

namespace hopefear {

class BleuScore : public CorpusScore {
  public:
    BleuScore(std::size_t order, const BleuOptions& options) : order_(order), options_(options) {}
    [[nodiscard]] std::size_t dimension() const override { return 2 * order_ + 1; }
    [[nodiscard]] double operator()(std::span<const double> statistics) const override {
        return bleu(statistics, options_);
    }
    // Reference words.
    [[nodiscard]] double size(std::span<const double> statistics) const override {
        return BleuStatistics<const double>(statistics).reference_length();
    }
    [[nodiscard]] std::vector<double> first_document() const override {
        return perfect_sentence(order_);
    }
    void gains(std::span<const double> document, std::span<const double> rows,
               std::span<double> out) const override;

  private:
    std::size_t order_;
    BleuOptions options_;
};

class ChrfScore : public CorpusScore {
  public:
    explicit ChrfScore(const ChrfOptions& options) : options_(options) {}
    [[nodiscard]] std::size_t dimension() const override { return options_.dimension(); }
    [[nodiscard]] double operator()(std::span<const double> statistics) const override {
        return chrf(statistics, options_);
    }
    // Reference characters.
    [[nodiscard]] double size(std::span<const double> statistics) const override {
        return statistics[1];
    }
    [[nodiscard]] std::vector<double> first_document() const override {
        return std::vector<double>(dimension(), 1.0);
    }

  private:
    ChrfOptions options_;
};

// Minus the error rate: TER, WER.
class ErrorRateScore : public CorpusScore {
  public:
    [[nodiscard]] std::size_t dimension() const override { return error_rate_dimension; }
    [[nodiscard]] double operator()(std::span<const double> statistics) const override {
        return -error_rate(statistics);
    }
    // Reference words.
    [[nodiscard]] double size(std::span<const double> statistics) const override {
        return statistics[1];
    }
    [[nodiscard]] std::vector<double> first_document() const override { return {0.0, 1.0}; }
};

// The mean of one number a sentence, from [sum, count]; negated if lower is better.
class MeanScore : public CorpusScore {
  public:
    explicit MeanScore(bool higher_is_better) : sign_(higher_is_better ? 1.0 : -1.0) {}
    [[nodiscard]] std::size_t dimension() const override { return 2; }
    [[nodiscard]] double operator()(std::span<const double> statistics) const override {
        return statistics[1] > 0.0 ? sign_ * statistics[0] / statistics[1] : 0.0;
    }
    // Sentences.
    [[nodiscard]] double size(std::span<const double> statistics) const override {
        return statistics[1];
    }
    [[nodiscard]] std::vector<double> first_document() const override { return {0.0, 1.0}; }

  private:
    double sign_;
};

}  // namespace hopefear
