// What a metric makes of the statistics of a whole corpus.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hopefear {

// From the sum of the sentences' statistics to the score; higher is better. Safe to call from
// several threads.
struct CorpusScore {
    virtual ~CorpusScore() = default;
    [[nodiscard]] virtual std::size_t dimension() const = 0;
    [[nodiscard]] virtual double operator()(std::span<const double> statistics) const = 0;
    // How much text the statistics stand for, in the metric's own unit (reference words, say).
    [[nodiscard]] virtual double size(std::span<const double> statistics) const = 0;

    // A small document without a mistake, in whose context a first sentence can be judged.
    [[nodiscard]] virtual std::vector<double> first_document() const = 0;

    // What each of `rows` is worth to a document: size(d + b) score(d + b), as Cherry and Foster's
    // k-best MIRA has it. Unlike the gain of Chiang (2012), equation 3, which is `document_gains`
    // of bleu.hpp, its factor is not the length of the document alone: it counts the sentence too,
    // and with several references it differs between hypotheses for which other references count.
    virtual void gains(std::span<const double> document, std::span<const double> rows,
                       std::span<double> out) const;
};

// The score of each row of `columns` statistics. Throws DataError if that is not the dimension.
[[nodiscard]] std::vector<double> score_rows(const CorpusScore& score, std::span<const double> rows,
                                             std::size_t columns);

}  // namespace hopefear
