#include "hopefear/metrics/bleu.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

using View = BleuStatistics<const double>;

void check_dimension(std::size_t dimension) {
    if (dimension < 3 || dimension % 2 == 0)
        fail<DataError>("statistics of BLEU are 2K + 1 numbers, got ", dimension);
}

void check_document(std::span<const double> document, std::size_t dimension) {
    if (document.size() != dimension)
        fail<DataError>("the document has ", document.size(), " statistics, the hypotheses have ",
                        dimension);
}

}  // namespace

double bleu(std::span<const double> statistics, const BleuOptions& options) {
    const View b(statistics);
    const std::size_t order = b.order();
    const double added = options.smoothing == Smoothing::add_k ? options.value : 0.0;
    bool any = false;
    for (std::size_t k = 1; k <= order; ++k) any = any || b.matches(k) > 0.0;
    if (!any || b.hypothesis_length() <= 0.0) return 0.0;

    double matching = 1.0;
    double counting = 1.0;
    double half = 1.0;
    std::size_t counted = 0;
    for (std::size_t k = 1; k <= order; ++k) {
        double matches = b.matches(k) + (k > 1 ? added : 0.0);
        const double total = b.total(k) + (k > 1 ? added : 0.0);
        if (total <= 0.0) break;
        if (matches <= 0.0) {
            half /= 2.0;
            matches = options.smoothing == Smoothing::exponential ? half
                      : options.smoothing == Smoothing::floor     ? options.value
                                                                  : 0.0;
        }
        if (matches <= 0.0) return 0.0;
        matching *= matches;
        counting *= total;
        ++counted;
    }
    if (!options.effective_order && counted < order) return 0.0;
    return bleu_of(matching, counting, counted, b.reference_length(), b.hypothesis_length());
}

std::vector<double> perfect_sentence(std::size_t order) {
    std::vector<double> statistics(View::dimension(order));
    const BleuStatistics<double> b(statistics);
    for (std::size_t k = 1; k <= order; ++k)
        b.matches(k) = b.total(k) = static_cast<double>(order - k + 1);
    b.reference_length() = static_cast<double>(order);
    return statistics;
}

std::vector<double> document_gains(std::span<const double> document, std::span<const double> rows,
                                   std::size_t dimension) {
    check_dimension(dimension);
    check_document(document, dimension);
    const double length = View(document).hypothesis_length();
    const double before = bleu(document);
    std::vector<double> gains(rows.size() / dimension);
    std::vector<double> sum(dimension);
    for (std::size_t row = 0; row < gains.size(); ++row) {
        for (std::size_t i = 0; i < dimension; ++i)
            sum[i] = document[i] + rows[row * dimension + i];
        gains[row] = length * (bleu(sum) - before);
    }
    return gains;
}

bool are_counts(std::span<const double> statistics) {
    return std::ranges::all_of(statistics, [](double x) { return x >= 0.0 && std::isfinite(x); });
}

double document_gain(std::span<const double> document, std::span<const double> row) {
    return document_gains(document, row, row.size()).front();
}

std::vector<double> next_document(std::span<const double> document, std::span<const double> row,
                                  double decay, double least) {
    check_document(document, row.size());
    std::vector<double> next(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
        next[i] = std::max(decay * (document[i] + row[i]), least);
    return next;
}

std::vector<double> linear_bleu(std::span<const double> document) {
    check_dimension(document.size());
    const View b(document);
    for (std::size_t i = 0; i + 1 < document.size(); ++i)
        if (!(document[i] > 0.0))
            fail<DataError>("linear BLEU needs a document with positive counts, but its component ",
                            i, " is ", document[i]);
    const double order = static_cast<double>(b.order());
    const double length = b.hypothesis_length();
    const double scale = length * bleu(document);
    std::vector<double> coefficients(document.size(), 0.0);
    const BleuStatistics<double> c(coefficients);
    for (std::size_t k = 1; k <= b.order(); ++k) {
        c.matches(k) = scale / (order * b.matches(k));
        c.total(k) = -scale / (order * b.total(k));
    }
    if (b.reference_length() >= length) {
        c.hypothesis_length() += scale * b.reference_length() / (length * length);
        c.reference_length() = -scale / length;
    }
    return coefficients;
}

std::vector<double> linear_gain(std::span<const double> document) {
    std::vector<double> point = perfect_sentence(document.size() / 2);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += document[i];
    const BleuStatistics<const double> b(point);
    // Linear BLEU expands n₁ BLEU; the gain is rho BLEU.
    std::vector<double> gain = linear_bleu(point);
    for (double& x : gain) x *= b.reference_length() / b.hypothesis_length();
    return gain;
}

}  // namespace hopefear
