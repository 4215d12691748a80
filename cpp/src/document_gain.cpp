#include "hopefear/document_gain.hpp"

namespace hopefear {

DocumentGain::DocumentGain(std::span<const double> document)
    : matches_(document.begin(),
               document.begin() + static_cast<std::ptrdiff_t>(document.size() / 2)),
      totals_(document.begin() + static_cast<std::ptrdiff_t>(document.size() / 2),
              document.end() - 1),
      reference_length_(document.back()),
      length_(totals_.front()),
      before_(bleu(document)) {}

double DocumentGain::length_factor(std::int64_t length, double reference_length) const {
    double counting = 1.0;
    for (std::size_t k = 1; k <= order(); ++k) {
        const double total = totals_[k - 1] + kgrams(length, k);
        if (total <= 0.0) return 0.0;
        counting *= total;
    }
    return bleu_of(1.0, counting, order(), reference_length_ + reference_length,
                   length_ + static_cast<double>(length));
}

}  // namespace hopefear
