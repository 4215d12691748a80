#include "hopefear/corpus_score.hpp"

#include <vector>

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

}  // namespace hopefear
