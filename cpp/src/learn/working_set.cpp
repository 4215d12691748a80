#include "hopefear/learn/working_set.hpp"

#include <algorithm>
#include <iterator>

#include "hopefear/base/error.hpp"
#include "hopefear/learn/simplex_qp.hpp"

namespace hopefear {

namespace {

void check_row(SparseView features) {
    if (features.ids.size() != features.values.size())
        fail<DataError>(features.ids.size(), " feature ids, but ", features.values.size(),
                        " values");
    if (std::ranges::adjacent_find(features.ids, std::ranges::greater_equal()) !=
            features.ids.end() ||
        (!features.ids.empty() && features.ids.front() < 0))
        fail<DataError>("feature ids have to be increasing");
}

void check_reach(std::span<const FeatureId> ids, std::span<const double> values, const char* name) {
    if (!ids.empty() && static_cast<std::size_t>(ids.back()) >= values.size())
        fail<DataError>("there are ", values.size(), " ", name, ", too few for feature ",
                        ids.back());
}

// What is known of the features `from`, spread over those of `to`; `from` is among `to`.
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

void WorkingSet::add(SparseView features, double gain) {
    check_row(features);
    widen(features.ids);
    const std::size_t begin = rows_.size();
    spread(features.ids, features.values, ids_, rows_);
    for (std::size_t i = 0; i < ids_.size(); ++i) rows_[begin + i] = hope_[i] - rows_[begin + i];
    losses_.push_back(gain_ - gain);
}

// Features that are new are 0 in what was there before.
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

std::vector<double> WorkingSet::solve(std::span<const double> weights,
                                      std::span<const double> rates, double tolerance,
                                      std::size_t max_iterations) const {
    check_reach(ids_, rates, "rates");
    std::vector<double> gram(size() * size());
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < ids_.size(); ++k)
                sum += row(i)[k] * rates[ids_[k]] * row(j)[k];
            gram[i * size() + j] = gram[j * size() + i] = sum;
        }
    const SimplexQpSolution solution =
        solve_simplex_qp(gram, violations(weights), 1.0, tolerance, max_iterations);
    std::vector<double> x(ids_.size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += solution.alpha[i] * row(i)[k];
    return x;
}

}  // namespace hopefear
