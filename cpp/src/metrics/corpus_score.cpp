#include "hopefear/metrics/corpus_score.hpp"

#include "hopefear/base/error.hpp"

namespace hopefear {

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
