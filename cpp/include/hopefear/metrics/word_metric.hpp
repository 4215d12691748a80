// The common part of metrics that compare words: statistics of many hypotheses at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/metrics/reference_words.hpp"
#include "hopefear/nbest/nbest.hpp"

namespace hopefear {

// The references of a corpus as one metric sees them.
class WordMetric {
  public:
    explicit WordMetric(std::shared_ptr<const ReferenceWords> references)
        : references_(std::move(references)) {}
    virtual ~WordMetric() = default;

    [[nodiscard]] const std::shared_ptr<const ReferenceWords>& references() const {
        return references_;
    }
    // The number of statistics of a hypothesis.
    [[nodiscard]] virtual std::size_t dimension() const = 0;
    // A row of statistics for each hypothesis, the same for any number of threads. Throws DataError
    // if the hypotheses are numbered for other references.
    [[nodiscard]] std::vector<double> statistics(const Hypotheses& hypotheses,
                                                 std::size_t threads) const;
    // The same, stored with the n-best lists from which `hypotheses` were made.
    void set_statistics(NBest& lists, const Hypotheses& hypotheses, std::size_t threads) const;

    // Adds the statistics of one hypothesis to `out`, which is zero.
    using Count = std::function<void(std::size_t sentence, std::span<const WordId> words,
                                     std::span<double> out)>;
    // A Count may hold buffers and cache the last sentence: each thread needs its own.
    [[nodiscard]] virtual Count make_count() const = 0;

  private:
    // Add the statistics of the hypotheses in the blocks [first, last) to `out`.
    void fill(const Hypotheses& hypotheses, std::size_t first, std::size_t last,
              std::size_t threads, std::span<double> out) const;

    std::shared_ptr<const ReferenceWords> references_;
};

}  // namespace hopefear
