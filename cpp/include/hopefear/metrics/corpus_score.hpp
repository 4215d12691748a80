// The score of a corpus, from its summed statistics.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hopefear {

// From the sum of the sentences' statistics to the score; higher is better. Thread-safe.
struct CorpusScore {
    virtual ~CorpusScore() = default;
    [[nodiscard]] virtual std::size_t dimension() const = 0;
    [[nodiscard]] virtual double operator()(std::span<const double> statistics) const = 0;
    // The amount of text that the statistics describe, in the metric's own unit (such as reference
    // words).
    [[nodiscard]] virtual double size(std::span<const double> statistics) const = 0;

    // A small, perfect document, the context in which the first sentence is judged.
    [[nodiscard]] virtual std::vector<double> first_document() const = 0;

    // The gain of each of `rows` in the context of a document: size(d + b) score(d + b), as in
    // Cherry and Foster's k-best MIRA. Unlike the gain of Chiang (2012), equation 3
    // (`document_gains` of bleu.hpp), its factor is not the length of the document alone: it
    // includes the sentence, and with several references it differs between hypotheses that are
    // closest to different references.
    virtual void gains(std::span<const double> document, std::span<const double> rows,
                       std::span<double> out) const;
};

// The score of each row of `columns` statistics. Throws DataError if `columns` is not the
// dimension.
[[nodiscard]] std::vector<double> score_rows(const CorpusScore& score, std::span<const double> rows,
                                             std::size_t columns);

}  // namespace hopefear
