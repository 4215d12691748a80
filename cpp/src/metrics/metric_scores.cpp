#include "hopefear/metrics/metric_scores.hpp"

#include <type_traits>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

// A template, so that the loop over a constant order is unrolled.
template <class Order>
void all_gains(Order order, std::span<const double> document, std::span<const double> rows,
               std::span<double> out) {
    const double* b = rows.data();
    for (std::size_t row = 0; row < out.size(); ++row, b += 2 * order + 1) {
        double matching = 1.0;
        double counting = 1.0;
        for (std::size_t k = 0; k < order; ++k) {
            matching *= document[k] + b[k];
            counting *= document[order + k] + b[order + k];
        }
        const double reference_length = document[2 * order] + b[2 * order];
        const double hypothesis_length = document[order] + b[order];
        out[row] = reference_length *
                   bleu_of(matching, counting, order, reference_length, hypothesis_length);
    }
}

}  // namespace

// Learners compute this for every hypothesis in every epoch. A document has matches of every order
// (it begins with a perfect sentence), so smoothing has no effect and one product serves all
// orders; a document that lacks some takes the general path.
void BleuScore::gains(std::span<const double> document, std::span<const double> rows,
                      std::span<double> out) const {
    const std::size_t dimension = this->dimension();
    for (std::size_t i = 0; i + 1 < dimension; ++i)
        if (!(document[i] > 0.0) || options_.smoothing == Smoothing::add_k)
            return CorpusScore::gains(document, rows, out);
    if (order_ == 4)
        return all_gains(std::integral_constant<std::size_t, 4>(), document, rows, out);
    all_gains(order_, document, rows, out);
}

void CorpusScore::gains(std::span<const double> document, std::span<const double> rows,
                        std::span<double> out) const {
    std::vector<double> sum(document.size());
    for (std::size_t row = 0; row < out.size(); ++row) {
        for (std::size_t k = 0; k < sum.size(); ++k)
            sum[k] = document[k] + rows[row * sum.size() + k];
        out[row] = size(sum) * (*this)(sum);
    }
}

std::vector<double> score_rows(const CorpusScore& score, std::span<const double> rows,
                               std::size_t columns) {
    const std::size_t dimension = score.dimension();
    if (columns != dimension)
        fail<DataError>("expected rows of ", dimension, " statistics, got ", columns);
    std::vector<double> scores(rows.size() / dimension);
    for (std::size_t row = 0; row < scores.size(); ++row)
        scores[row] = score(rows.subspan(row * dimension, dimension));
    return scores;
}

}  // namespace hopefear
