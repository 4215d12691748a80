// BLEU and its relatives, from statistics [m_1 .. m_K, n_1 .. n_K, rho]. All values are in [0, 1].
//
// Papineni et al. (2002), BLEU. Chen & Cherry (2014), A systematic comparison of smoothing
// techniques: the numbering of the smoothings. Chiang (2012), Hope and fear, 2.3, 2.4 and A.3: the
// oracle document and linear BLEU.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace hopefear {

// m_k matching k-grams, n_k k-grams, rho reference words: 2K + 1 numbers, additive over sentences.
template <class T>
class BleuStatistics {
  public:
    explicit BleuStatistics(std::span<T> values) : values_(values) {}

    static constexpr std::size_t dimension(std::size_t order) { return 2 * order + 1; }
    [[nodiscard]] std::size_t order() const { return values_.size() / 2; }
    [[nodiscard]] std::span<T> matches() const { return values_.first(order()); }
    [[nodiscard]] T& matches(std::size_t k) const { return values_[k - 1]; }
    [[nodiscard]] T& total(std::size_t k) const { return values_[order() + k - 1]; }
    [[nodiscard]] T& hypothesis_length() const { return total(1); }
    [[nodiscard]] T& reference_length() const { return values_[2 * order()]; }

  private:
    std::span<T> values_;
};

// How to treat m_k = 0.
enum class Smoothing {
    none,         // BLEU is 0
    floor,        // method 1: m_k = value
    add_k,        // method 2: value is added to m_k and n_k for k > 1, whether 0 or not
    exponential,  // method 3: the first such m_k is 1/2, the second 1/4, ... (NIST, sacreBLEU)
};

struct BleuOptions {
    Smoothing smoothing = Smoothing::none;
    double value = 0.0;
    // Average over the orders k with n_k > 0 only, so that short sentences can score.
    bool effective_order = false;
};

// The K-th root.
[[nodiscard]] inline double root_of(double product, std::size_t orders) {
    return orders == 4 ? std::sqrt(std::sqrt(product))
                       : std::pow(product, 1.0 / static_cast<double>(orders));
}

// exp(1/K sum_k log(m_k/n_k) + min(0, 1 - rho/n_1)) from the products over k of m_k and of n_k: K
// logarithms would take most of the time of a learner that asks for the gain of every hypothesis.
[[nodiscard]] inline double bleu_of(double matching, double counting, std::size_t orders,
                                    double reference_length, double hypothesis_length) {
    const double mean = root_of(matching / counting, orders);
    return reference_length > hypothesis_length
               ? mean * std::exp(1.0 - reference_length / hypothesis_length)
               : mean;
}

// BLEU of one vector of statistics. An empty hypothesis, or one without any match, has BLEU 0.
[[nodiscard]] double bleu(std::span<const double> statistics, const BleuOptions& options = {});

// Sentence BLEU+1 (Lin & Och 2004): one added to m_k and n_k for k > 1.
inline constexpr BleuOptions bleu_plus_one{.smoothing = Smoothing::add_k, .value = 1.0};

// The oracle document before the first example: one sentence of K words without a mistake, that is
// m_k = n_k = K - k + 1 and rho = K. Small, positive in every component and possible, so that a
// first sentence without a match of K words has a finite gain.
[[nodiscard]] std::vector<double> perfect_sentence(std::size_t order);

// B(b) = nbar_1 (BLEU(bbar + b) - BLEU(bbar)), equation 3, for each row of `dimension` statistics.
[[nodiscard]] std::vector<double> document_gains(std::span<const double> document,
                                                 std::span<const double> rows,
                                                 std::size_t dimension);

// Whether all are finite and not negative.
[[nodiscard]] bool are_counts(std::span<const double> statistics);

// The gain of one row.
[[nodiscard]] double document_gain(std::span<const double> document, std::span<const double> row);

// The document after a sentence with these statistics: decay · (bbar + b), but no component below
// `least`.
[[nodiscard]] std::vector<double> next_document(std::span<const double> document,
                                                std::span<const double> row, double decay,
                                                double least);

// The coefficients c of linear BLEU: B(b) ~ c . b, the first order expansion of the gain at bbar
// (A.3). At nbar_1 = rhobar, where the brevity penalty has no derivative, H is 1 as in the paper.
// Throws DataError if a component of m or n is not positive.
[[nodiscard]] std::vector<double> linear_bleu(std::span<const double> document);

// The coefficients c of the linear gain c · b: the first-order expansion of rho BLEU of the
// document with the sentence, by which batch MIRA judges. The point of expansion is the document
// with one more perfect sentence, so that no count of matches is near zero.
[[nodiscard]] std::vector<double> linear_gain(std::span<const double> document);

}  // namespace hopefear
