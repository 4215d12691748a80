// Weights that change a few features at a time: the cost of an operation depends on the features it
// touches, never on the number of features.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "hopefear/base/feature_rows.hpp"

namespace hopefear {

// w = origin + scale · v. Shrinking towards the origin changes only the scale (Shalev-Shwartz et
// al. 2007, Pegasos). The average over steps is computed lazily (Daumé 2006, figure 2.3): let s_t
// be the scale at step t times the weight of the step, and S_t = s_1 + ... + s_t. A change d made
// to v in step i contributes d (S_T - S_{i-1}) to the sum of all w_t, so only the sum of the d
// S_{i-1} has to be remembered.
class OnlineWeights {
  public:
    // Starts at `start`; shrinks towards `origin`, or towards zero if that is empty.
    OnlineWeights(std::span<const double> start, std::span<const double> origin)
        : origin_(origin.begin(), origin.end()),
          v_(start.begin(), start.end()),
          late_(start.size()),
          sum_(start.size()) {
        for (std::size_t i = 0; i < origin_.size(); ++i) v_[i] -= origin_[i];
    }

    [[nodiscard]] std::size_t size() const { return v_.size(); }
    [[nodiscard]] double operator[](FeatureId id) const {
        return scale_ * v_[id] + (origin_.empty() ? 0.0 : origin_[id]);
    }
    [[nodiscard]] double dot(const SparseView& row) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += v_[row.ids[i]] * row.values[i];
        return scale_ * sum + (origin_.empty() ? 0.0 : row.dot(origin_));
    }
    // w += step * row
    void add(const SparseView& row, double step) {
        for (std::size_t i = 0; i < row.size(); ++i) add(row.ids[i], step * row.values[i]);
    }
    void add(FeatureId id, double change) {
        change /= scale_;
        v_[id] += change;
        late_[id] += change * scale_sum_;
    }
    // w = origin + factor * (w - origin), 0 < factor <= 1
    void shrink(double factor) {
        scale_ *= factor;
        if (scale_ < 1e-4) fold();
    }
    // End a step: the present w enters the average with weight `times`.
    void count(double times = 1.0) {
        scale_sum_ += times * scale_;
        steps_ += times;
    }

    [[nodiscard]] std::vector<double> weights() const {
        std::vector<double> w(v_.size());
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = (*this)[static_cast<FeatureId>(i)];
        return w;
    }
    // The same without a copy, for weights that were never shrunk and have no origin.
    [[nodiscard]] std::span<const double> unscaled() const { return v_; }

    // A copy with at least `features` features; new ones have weight 0. Only for weights without an
    // origin.
    [[nodiscard]] OnlineWeights grown(std::size_t features) const {
        OnlineWeights larger = *this;
        for (auto* part : {&larger.v_, &larger.late_, &larger.sum_})
            if (part->size() < features) part->resize(features, 0.0);
        return larger;
    }

    // Weights that went from `before` to `target` in one step, which counts as the steps of these
    // since then.
    [[nodiscard]] OnlineWeights moved(std::span<const double> target,
                                      const OnlineWeights& before) const;

    // The mean of weights that took equally many steps: of w, and of the sums behind the average.
    [[nodiscard]] static OnlineWeights merged(std::span<const OnlineWeights* const> all);

    // w += step * row. Throws DataError if the row has an unknown feature.
    void checked_add(const SparseView& row, double step);
    // The same for w += rates * row, with a rate for every feature.
    void checked_add(const SparseView& row, std::span<const double> rates);

    // Take over the weights of these features in a copy of all weights. Throws DataError if it is
    // shorter than the features reach.
    void update(std::span<const FeatureId> ids, std::span<double> copy) const;

    // The whole state as one array, and the state from such an array.
    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] static OnlineWeights load(std::span<const double> saved);

    // The mean of w over the counted steps; w itself if there are none.
    [[nodiscard]] std::vector<double> average() const {
        if (steps_ == 0.0) return weights();
        std::vector<double> mean(v_.size());
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] = (sum_[i] + scale_sum_ * v_[i] - late_[i]) / steps_ +
                      (origin_.empty() ? 0.0 : origin_[i]);
        return mean;
    }

  private:
    // Restart with scale 1 before the scale loses precision, adding the sums so far to sum_.
    // Touches all features, but only after shrinking by 10^4.
    void fold() {
        for (std::size_t i = 0; i < v_.size(); ++i) {
            sum_[i] += scale_sum_ * v_[i] - late_[i];
            late_[i] = 0.0;
            v_[i] *= scale_;
        }
        scale_sum_ = 0.0;
        scale_ = 1.0;
    }

    std::vector<double> origin_;
    std::vector<double> v_;
    std::vector<double> late_;  // the sum of d S_{i-1}
    std::vector<double> sum_;   // of scale * v over the steps before the last fold
    double scale_ = 1.0;
    double scale_sum_ = 0.0;
    double steps_ = 0.0;  // the sum of their weights
};

}  // namespace hopefear
