#include "hopefear/learn/logistic_regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

// Σ_m log(1 + exp(-m)): one logarithm of a product of terms 1 + exp(-|m|) serves hundreds of rows.
class LossSum {
  public:
    // Returns exp(-|margin|), which cannot overflow.
    double add(double margin) {
        const double e = std::exp(-std::abs(margin));
        product_ *= 1.0 + e;
        if (product_ > 1e200) sum_ += std::log(std::exchange(product_, 1.0));
        sum_ += std::max(0.0, -margin);
        return e;
    }
    [[nodiscard]] double value() const { return sum_ + std::log(product_); }

  private:
    double sum_ = 0.0;
    double product_ = 1.0;
};

// The derivative of log(1 + exp(-margin)), from e = exp(-|margin|).
double slope(double margin, double e) {
    return -(margin > 0.0 ? e : 1.0) / (1.0 + e);
}

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(Vector& to, double factor, const Vector& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// The objective as a function of x = w * unit, around a point that moves along directions.
class Problem {
  public:
    Problem(const PairDifferences& rows, std::span<const double> start,
            std::span<const double> origin, std::span<const double> unit,
            const LogisticRegression& options)
        : rows_(rows),
          unit_(unit),
          strength_(options.strength),
          slopes_(rows.size()),
          bends_(rows.size()) {
        for (std::size_t i = 0; i < start.size(); ++i)
            distance_.push_back((start[i] - origin[i]) * unit[i]);
        margins_ = rows.dot(start);
        for (double& margin : margins_) margin -= options.margin;
    }

    // The value at the point; from then on gradient() and times_hessian() are those of the point.
    double evaluate() {
        LossSum sum;
        for (std::size_t p = 0; p < margins_.size(); ++p) {
            const double e = sum.add(margins_[p]);
            slopes_[p] = slope(margins_[p], e);
            bends_[p] = e / ((1.0 + e) * (1.0 + e));
        }
        return sum.value() + penalty(0.0, distance_);
    }
    [[nodiscard]] Vector gradient() const {
        Vector g = rows_.transposed_dot(slopes_, unit_.size());
        return finish(std::move(g), distance_);
    }
    [[nodiscard]] Vector times_hessian(const Vector& x) const {
        return finish(rows_.weighted_square_dot(bends_, by_unit(x)), x);
    }
    // The lower triangle, row by row.
    [[nodiscard]] Vector hessian() const {
        const std::size_t n = unit_.size();
        Vector h = rows_.weighted_square(bends_, n);
        for (std::size_t i = 0; i < n; ++i) {
            h[i * n + i] += strength_;
            for (std::size_t j = 0; j <= i; ++j) h[i * n + j] /= unit_[i] * unit_[j];
        }
        return h;
    }
    // The change of the rows' margins for a step of one in direction x.
    [[nodiscard]] Vector along(const Vector& x) const { return rows_.dot(by_unit(x)); }
    // The value at the point plus step * x.
    [[nodiscard]] double value_at(double step, const Vector& x, const Vector& margins) const {
        LossSum sum;
        for (std::size_t p = 0; p < margins_.size(); ++p) sum.add(margins_[p] + step * margins[p]);
        return sum.value() + penalty(step, x);
    }
    void move(double step, const Vector& x, const Vector& margins) {
        add(distance_, step, x);
        add(margins_, step, margins);
    }
    [[nodiscard]] Vector weights(std::span<const double> origin) const {
        Vector w(distance_.size());
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = origin[i] + distance_[i] / unit_[i];
        return w;
    }

  private:
    [[nodiscard]] Vector by_unit(const Vector& x) const {
        Vector w(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) w[i] = x[i] / unit_[i];
        return w;
    }
    // C/2 |w - origin|^2 at the point plus step * x
    [[nodiscard]] double penalty(double step, const Vector& x) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < distance_.size(); ++i) {
            const double difference = (distance_[i] + step * x[i]) / unit_[i];
            sum += difference * difference;
        }
        return strength_ / 2.0 * sum;
    }
    // From the derivative of the losses by w to that of the objective by x.
    [[nodiscard]] Vector finish(Vector by_weights, const Vector& x) const {
        for (std::size_t i = 0; i < x.size(); ++i)
            by_weights[i] = (by_weights[i] + strength_ * x[i] / unit_[i]) / unit_[i];
        return by_weights;
    }

    const PairDifferences& rows_;
    std::span<const double> unit_;
    double strength_;
    Vector distance_;  // x - origin * unit
    Vector margins_;
    Vector slopes_;  // first and second derivatives of the losses by the margins
    Vector bends_;
};

// Up to so many features, one pass for the whole Hessian costs less than one for each conjugate
// direction.
constexpr std::size_t few_features = 64;

// The direction d with H d = -gradient, by Cholesky decomposition of H, given by its lower
// triangle; none if H is not positive definite.
std::optional<Vector> exact_direction(Vector h, const Vector& gradient) {
    const std::size_t n = gradient.size();
    Vector direction(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double diagonal = h[i * n + i];
        double sum = -gradient[i];
        for (std::size_t j = 0; j < i; ++j) {
            double& entry = h[i * n + j];
            for (std::size_t k = 0; k < j; ++k) entry -= h[i * n + k] * h[j * n + k];
            entry /= h[j * n + j];
            h[i * n + i] -= entry * entry;
            sum -= entry * direction[j];
        }
        if (!(h[i * n + i] > 1e-12 * diagonal)) return std::nullopt;
        h[i * n + i] = std::sqrt(h[i * n + i]);
        direction[i] = sum / h[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) direction[i] -= h[k * n + i] * direction[k];
        direction[i] /= h[i * n + i];
    }
    return direction;
}

// The direction d with H d = -gradient, by conjugate gradients, until the residual is `forcing` of
// the gradient.
Vector nearly_exact_direction(const Problem& problem, const Vector& gradient, double forcing) {
    Vector direction(gradient.size());
    Vector residual = gradient;
    Vector conjugate(gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) conjugate[i] = -gradient[i];
    double squared = dot(residual, residual);
    const double enough = forcing * forcing * squared;
    for (std::size_t i = 0; i < 2 * gradient.size() && squared > enough; ++i) {
        const Vector product = problem.times_hessian(conjugate);
        const double curvature = dot(conjugate, product);
        // Without a penalty there may be directions without curvature.
        if (!(curvature > 0.0)) break;
        const double step = squared / curvature;
        add(direction, step, conjugate);
        add(residual, step, product);
        const double before = std::exchange(squared, dot(residual, residual));
        for (std::size_t k = 0; k < conjugate.size(); ++k)
            conjugate[k] = squared / before * conjugate[k] - residual[k];
    }
    return direction;
}

Vector newton_direction(const Problem& problem, const Vector& gradient, double forcing) {
    if (gradient.size() <= few_features)
        if (auto exact = exact_direction(problem.hessian(), gradient)) return *std::move(exact);
    return nearly_exact_direction(problem, gradient, forcing);
}

}  // namespace

double logistic_loss(const PairDifferences& rows, std::span<const double> weights,
                     std::span<double> gradient) {
    std::vector<double> margins = rows.dot(weights);
    LossSum sum;
    for (double& margin : margins) margin = slope(margin, sum.add(margin));
    std::ranges::copy(rows.transposed_dot(margins, gradient.size()), gradient.begin());
    return sum.value();
}

std::vector<double> logistic_regression(const PairDifferences& rows, std::span<const double> start,
                                        std::span<const double> origin,
                                        std::span<const double> unit,
                                        const LogisticRegression& options) {
    if (origin.size() != start.size() || unit.size() != start.size())
        fail<DataError>("start, origin and unit have ", start.size(), ", ", origin.size(), " and ",
                        unit.size(), " numbers");
    if (!std::ranges::all_of(unit, [](double u) { return u > 0.0; }))
        fail<DataError>("units must be positive");
    Problem problem(rows, start, origin, unit, options);
    for (std::size_t step = 0; step < options.steps; ++step) {
        const double value = problem.evaluate();
        const Vector gradient = problem.gradient();
        double largest = 0.0;
        for (const double g : gradient) largest = std::max(largest, std::abs(g));
        if (!(largest > options.tolerance)) break;
        // The nearer the end, the more exact the direction: convergence is superlinear.
        const double forcing = std::min(0.5, std::sqrt(largest / std::max(1.0, value)));
        const Vector direction = newton_direction(problem, gradient, forcing);
        const double descent = dot(gradient, direction);
        if (!(descent < 0.0)) break;
        const Vector margins = problem.along(direction);
        double length = 1.0;
        while (length > 1e-10 &&
               !(problem.value_at(length, direction, margins) <= value + 1e-4 * length * descent))
            length /= 2.0;
        // Shorter steps are lost in rounding.
        if (length <= 1e-10) break;
        problem.move(length, direction, margins);
    }
    return problem.weights(origin);
}

}  // namespace hopefear
