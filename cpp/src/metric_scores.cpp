#include "hopefear/metric_scores.hpp"

namespace hopefear {

// Every hypothesis of every list is asked for its gain in every epoch of a learner. A document has
// matches of every order (it begins with a perfect sentence), so smoothing has nothing to do and
// one product serves all orders; a document that lacks some takes the general way.
void BleuScore::gains(std::span<const double> document, std::span<const double> rows,
                      std::span<double> out) const {
    const std::size_t dimension = this->dimension();
    for (std::size_t i = 0; i + 1 < dimension; ++i)
        if (!(document[i] > 0.0) || options_.smoothing == Smoothing::add_k)
            return CorpusScore::gains(document, rows, out);
    for (std::size_t row = 0; row < out.size(); ++row) {
        const double* const b = rows.data() + row * dimension;
        double matching = 1.0;
        double counting = 1.0;
        for (std::size_t k = 0; k < order_; ++k) {
            matching *= document[k] + b[k];
            counting *= document[order_ + k] + b[order_ + k];
        }
        const double reference_length = document[2 * order_] + b[2 * order_];
        const double hypothesis_length = document[order_] + b[order_];
        out[row] = reference_length *
                   bleu_of(matching, counting, order_, reference_length, hypothesis_length);
    }
}

}  // namespace hopefear
