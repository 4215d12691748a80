#include "hopefear/learn/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hopefear/base/error.hpp"

namespace hopefear {

SimplexQpSolution solve_simplex_qp(std::span<const double> gram, std::span<const double> linear,
                                   double budget, double tolerance, std::size_t max_iterations) {
    const std::size_t n = linear.size();
    if (n == 0 || gram.size() != n * n)
        fail<DataError>("the Gram matrix has ", gram.size(), " entries, expected ", n, " x ", n);
    if (!(budget > 0.0) || !(tolerance > 0.0))
        fail<ConfigError>("budget and tolerance must be > 0, got ", budget, " and ", tolerance);
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::ranges::all_of(gram, finite) || !std::ranges::all_of(linear, finite))
        fail<DataError>("the quadratic program has coefficients that are not finite");

    SimplexQpSolution solution;
    std::vector<double>& alpha = solution.alpha;
    alpha.assign(n, 0.0);
    alpha[0] = budget;
    std::vector<double> gradient(n);  // linear - gram alpha
    for (std::size_t i = 0; i < n; ++i) gradient[i] = linear[i] - gram[i * n] * budget;

    for (;; ++solution.iterations) {
        // At the optimum, all elements with α > 0 share the largest gradient. Move along the most
        // violating pair.
        std::size_t up = 0;
        std::size_t down = n;
        for (std::size_t i = 0; i < n; ++i) {
            if (gradient[i] > gradient[up]) up = i;
            if (alpha[i] > 0.0 && (down == n || gradient[i] < gradient[down])) down = i;
        }
        solution.gap = gradient[up] - gradient[down];
        if (solution.gap <= tolerance || solution.iterations >= max_iterations) return solution;

        const double curvature =
            gram[up * n + up] + gram[down * n + down] - 2.0 * gram[up * n + down];
        double delta = alpha[down];
        if (curvature > 0.0) delta = std::min(delta, solution.gap / curvature);
        alpha[up] += delta;
        alpha[down] = delta == alpha[down] ? 0.0 : alpha[down] - delta;
        for (std::size_t i = 0; i < n; ++i)
            gradient[i] -= delta * (gram[i * n + up] - gram[i * n + down]);
    }
}

namespace {

void check_row(SparseView features) {
    if (features.ids.size() != features.values.size())
        fail<DataError>(features.ids.size(), " feature ids, but ", features.values.size(),
                        " values");
    if (std::ranges::adjacent_find(features.ids, std::ranges::greater_equal()) !=
            features.ids.end() ||
        (!features.ids.empty() && features.ids.front() < 0))
        fail<DataError>("feature ids must be increasing");
}

void check_reach(std::span<const FeatureId> ids, std::span<const double> values, const char* name) {
    if (!ids.empty() && static_cast<std::size_t>(ids.back()) >= values.size())
        fail<DataError>("there are ", values.size(), " ", name, ", too few for feature ",
                        ids.back());
}

// Spread values of the features `from` over the features `to`, which include them.
void spread(std::span<const FeatureId> from, std::span<const double> values,
            std::span<const FeatureId> to, std::vector<double>& out) {
    std::size_t at = 0;
    for (const FeatureId id : to) {
        const bool known = at < from.size() && from[at] == id;
        out.push_back(known ? values[at] : 0.0);
        at += known;
    }
}

}  // namespace

WorkingSet::WorkingSet(SparseView hope, double gain) : losses_{0.0}, gain_(gain) {
    check_row(hope);
    ids_.assign(hope.ids.begin(), hope.ids.end());
    hope_.assign(hope.values.begin(), hope.values.end());
    rows_.assign(ids_.size(), 0.0);
}

WorkingSet::WorkingSet(std::span<const FeatureId> ids, std::span<const double> rows,
                       std::span<const double> losses)
    : ids_(ids.begin(), ids.end()), hope_(ids.size(), 0.0), losses_{0.0}, gain_(0.0) {
    check_row({ids, hope_});
    if (rows.size() != ids.size() * losses.size())
        fail<DataError>("a working set has ", rows.size(), " values in ", losses.size(),
                        " rows for ", ids.size(), " features");
    rows_.assign(ids.size(), 0.0);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    losses_.insert(losses_.end(), losses.begin(), losses.end());
}

void WorkingSet::add(SparseView features, double gain) {
    check_row(features);
    widen(features.ids);
    const std::size_t begin = rows_.size();
    spread(features.ids, features.values, ids_, rows_);
    for (std::size_t i = 0; i < ids_.size(); ++i) rows_[begin + i] = hope_[i] - rows_[begin + i];
    losses_.push_back(gain_ - gain);
}

// New features are 0 in the existing rows.
void WorkingSet::widen(std::span<const FeatureId> ids) {
    if (std::ranges::includes(ids_, ids)) return;
    std::vector<FeatureId> all;
    std::ranges::set_union(ids_, ids, std::back_inserter(all));
    std::vector<double> hope;
    spread(ids_, hope_, all, hope);
    std::vector<double> rows;
    rows.reserve((size() + 1) * all.size());
    for (std::size_t i = 0; i < size(); ++i) spread(ids_, row(i), all, rows);
    ids_ = std::move(all);
    hope_ = std::move(hope);
    rows_ = std::move(rows);
}

std::vector<double> WorkingSet::violations(std::span<const double> weights) const {
    check_reach(ids_, weights, "weights");
    std::vector<double> violations = losses_;
    for (std::size_t i = 1; i < size(); ++i) violations[i] -= SparseView{ids_, row(i)}.dot(weights);
    return violations;
}

double WorkingSet::violation(SparseView features, double gain,
                             std::span<const double> weights) const {
    check_row(features);
    check_reach(features.ids, weights, "weights");
    check_reach(ids_, weights, "weights");
    return gain_ - gain - SparseView{ids_, hope_}.dot(weights) + features.dot(weights);
}

std::vector<double> WorkingSet::gram(std::span<const double> rates) const {
    check_reach(ids_, rates, "rates");
    std::vector<double> gram(size() * size());
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < ids_.size(); ++k)
                sum += row(i)[k] * rates[ids_[k]] * row(j)[k];
            gram[i * size() + j] = gram[j * size() + i] = sum;
        }
    return gram;
}

std::vector<double> WorkingSet::combined(std::span<const double> alpha) const {
    std::vector<double> x(ids_.size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += alpha[i] * row(i)[k];
    return x;
}

std::vector<double> WorkingSet::solve(std::span<const double> weights,
                                      std::span<const double> rates, double tolerance,
                                      std::size_t max_iterations) const {
    return combined(
        solve_simplex_qp(gram(rates), violations(weights), 1.0, tolerance, max_iterations).alpha);
}

namespace {

std::vector<std::vector<double>> solve_in_turn(std::span<const WorkingSet* const> sets,
                                               std::span<const double> weights,
                                               std::span<const double> rates,
                                               const JointOptions& options) {
    std::vector<std::vector<double>> found;
    // All weights that a set touches, in a small array, and their places in the large one.
    std::vector<FeatureId> ids;
    for (const WorkingSet* set : sets) ids.insert(ids.end(), set->ids().begin(), set->ids().end());
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    check_reach(ids, weights, "weights");
    check_reach(ids, rates, "rates");
    std::vector<double> trial(ids.size());
    std::ranges::transform(ids, trial.begin(), [&](FeatureId id) { return weights[id]; });

    struct Part {
        std::vector<std::size_t> places;
        std::vector<double> gram;
    };
    std::vector<Part> parts;
    for (const WorkingSet* set : sets) {
        Part& part = parts.emplace_back();
        for (const FeatureId id : set->ids())
            part.places.push_back(
                static_cast<std::size_t>(std::ranges::lower_bound(ids, id) - ids.begin()));
        part.gram = set->gram(rates);
        found.emplace_back(set->ids().size(), 0.0);
    }
    const auto move = [&](std::size_t i, double sign) {
        for (std::size_t k = 0; k < found[i].size(); ++k)
            trial[parts[i].places[k]] += sign * rates[sets[i]->ids()[k]] * found[i][k];
    };
    for (std::size_t round = 0; round < options.max_rounds; ++round) {
        double change = 0.0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            move(i, -1.0);
            const WorkingSet& set = *sets[i];
            const std::size_t width = found[i].size();
            std::vector<double> linear(set.losses().begin(), set.losses().end());
            for (std::size_t d = 1; d < set.size(); ++d)
                for (std::size_t k = 0; k < width; ++k)
                    linear[d] -= set.rows()[d * width + k] * trial[parts[i].places[k]];
            std::vector<double> x = set.combined(
                solve_simplex_qp(parts[i].gram, linear, 1.0, options.gap, options.max_iterations)
                    .alpha);
            for (std::size_t k = 0; k < width; ++k)
                change = std::max(change, std::abs(x[k] - found[i][k]));
            found[i] = std::move(x);
            move(i, 1.0);
        }
        if (change <= options.tolerance) break;
    }
    return found;
}

}  // namespace

std::vector<std::vector<double>> solve_together(std::span<const WorkingSet* const> sets,
                                                std::span<const double> weights,
                                                std::span<const double> rates,
                                                const JointOptions& options,
                                                std::span<double> trial) {
    std::vector<std::vector<double>> found;
    if (sets.size() == 1)
        found.push_back(sets.front()->solve(weights, rates, options.gap, options.max_iterations));
    else
        found = solve_in_turn(sets, weights, rates, options);
    for (const WorkingSet* set : sets) {
        check_reach(set->ids(), trial, "weights to try");
        for (const FeatureId id : set->ids()) trial[id] = weights[id];
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto ids = sets[i]->ids();
        for (std::size_t k = 0; k < ids.size(); ++k) trial[ids[k]] += rates[ids[k]] * found[i][k];
    }
    return found;
}

}  // namespace hopefear
