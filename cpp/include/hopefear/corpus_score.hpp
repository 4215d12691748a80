// What a metric makes of the statistics of a whole corpus.
#pragma once

#include <cstddef>
#include <span>

namespace hopefear {

// From the sum of the sentences' statistics to the score; higher is better. Safe to call from
// several threads.
struct CorpusScore {
    virtual ~CorpusScore() = default;
    [[nodiscard]] virtual std::size_t dimension() const = 0;
    [[nodiscard]] virtual double operator()(std::span<const double> statistics) const = 0;
};

}  // namespace hopefear
