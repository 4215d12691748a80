#include "hopefear/forest/forest.hpp"

#include <algorithm>
#include <iterator>

#include "hopefear/base/error.hpp"

namespace hopefear {

EdgeId Forest::checked_edge(EdgeId edge) const {
    if (edge < 0 || static_cast<std::size_t>(edge) >= edge_count())
        fail<ForestError>("there is no edge ", edge, "; the forest has ", edge_count(), " edges");
    return edge;
}

Forest Forest::scaled(std::span<const double> factors) const {
    if (factors.size() < feature_count())
        fail<DataError>(factors.size(), " factors for ", feature_count(), " features");
    Forest copy = *this;
    for (std::size_t edge = 0; edge < edge_count(); ++edge) {
        const auto ids = patterns_[pattern_[edge]];
        double* const values = copy.values_.data() + value_begin_[edge];
        for (std::size_t i = 0; i < ids.size(); ++i) values[i] *= factors[ids[i]];
    }
    return copy;
}

Forest Forest::with_features(std::shared_ptr<Vocabulary> names, const FeatureRows& rows) const {
    if (rows.size() != edge_count())
        fail<DataError>(rows.size(), " feature vectors for ", edge_count(), " edges");
    Forest copy = *this;
    copy.feature_names_ = std::move(names);
    copy.patterns_ = rows.patterns();
    copy.values_.clear();
    for (std::size_t edge = 0; edge < edge_count(); ++edge) {
        const SparseView row = rows[edge];
        copy.pattern_[edge] = rows.pattern(edge);
        copy.values_.insert(copy.values_.end(), row.values.begin(), row.values.end());
        copy.value_begin_[edge + 1] = static_cast<Offset>(copy.values_.size());
    }
    copy.values_.shrink_to_fit();
    return copy;
}

Forest Forest::without_words(std::span<const Symbol> words) const {
    Forest copy = *this;
    copy.targets_.clear();
    for (std::size_t edge = 0; edge < edge_count(); ++edge) {
        std::ranges::copy_if(target(static_cast<EdgeId>(edge)), std::back_inserter(copy.targets_),
                             [&](Symbol s) { return std::ranges::find(words, s) == words.end(); });
        copy.target_begin_[edge + 1] = static_cast<Offset>(copy.targets_.size());
    }
    copy.targets_.shrink_to_fit();
    return copy;
}

void Forest::shrink() {
    const auto fit = [](auto&... arrays) { (arrays.shrink_to_fit(), ...); };
    fit(source_begin_, covered_, edge_begin_, heads_, tails_, tail_begin_, targets_, target_begin_,
        pattern_, values_, value_begin_);
}

std::size_t Forest::bytes() const {
    const auto of = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
    return of(source_begin_) + of(covered_) + of(edge_begin_) + of(heads_) + of(tails_) +
           of(tail_begin_) + of(targets_) + of(target_begin_) + of(pattern_) + of(values_) +
           of(value_begin_) + patterns_.bytes();
}

}  // namespace hopefear
