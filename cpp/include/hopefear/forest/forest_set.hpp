// The forests of a data set, and functions of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/tail_pairs.hpp"

namespace hopefear {

class ForestSet {
  public:
    // forests[i] is the forest of sentence i, or null. Throws DataError unless all share their
    // vocabularies.
    explicit ForestSet(std::vector<std::shared_ptr<const Forest>> forests);

    [[nodiscard]] std::size_t size() const { return forests_.size(); }
    // Null if the sentence has no forest.
    [[nodiscard]] const Forest* operator[](std::size_t sentence) const {
        return forests_[sentence].get();
    }
    [[nodiscard]] const TailPairs& tails(std::size_t sentence) const { return tails_[sentence]; }

    // The numbers of the edges of `sentence` in an array with one number for each edge of all
    // forests.
    template <class T>
    [[nodiscard]] std::span<T> edges(std::span<T> all, std::size_t sentence) const {
        return all.subspan(first_edge_[sentence],
                           first_edge_[sentence + 1] - first_edge_[sentence]);
    }
    [[nodiscard]] std::size_t edge_count() const { return first_edge_.back(); }
    // One more than the largest feature id; the minimum number of weights.
    [[nodiscard]] std::size_t feature_count() const { return features_; }
    // Null if there is no forest.
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }

    // Returns the argument; throws DataError if there is no such sentence.
    [[nodiscard]] std::size_t checked_sentence(std::int64_t sentence) const;
    // The same; also throws DataError if the sentence has no forest.
    [[nodiscard]] std::size_t checked_forest(std::int64_t sentence) const;
    // Throws DataError unless there is a finite number for each edge, or for each feature.
    void check_edges(std::span<const double> values, const char* what) const;
    void check_weights(std::span<const double> weights) const;

  private:
    std::vector<std::shared_ptr<const Forest>> forests_;
    std::vector<TailPairs> tails_;
    std::vector<std::size_t> first_edge_{0};
    std::size_t features_ = 0;
    std::shared_ptr<Vocabulary> feature_names_;
};

// w . h of every edge of every forest.
[[nodiscard]] std::vector<double> score_edges(const ForestSet& forests,
                                              std::span<const double> weights, std::size_t threads);

// In how many forests each of `features` features is on some edge.
[[nodiscard]] std::vector<std::int64_t> count_features(const ForestSet& forests,
                                                       std::size_t features);

// A feature of an edge.
struct EdgeValue {
    std::size_t sentence;
    EdgeId edge;
    FeatureId feature;
    double value;
};

// The first value whose absolute value exceeds `bound`, if any.
[[nodiscard]] std::optional<EdgeValue> find_value_above(const ForestSet& forests, double bound);

// A checksum of the forests; words and features count by their ids.
[[nodiscard]] std::uint64_t checksum(const ForestSet& forests);

// How much each feature varies; zero for a feature that is the same in all derivations of every
// forest.
struct FeatureSpread {
    // Among the derivations of a forest: the square root of the variance if all derivations are
    // equally probable, averaged over the forests.
    std::vector<double> derivations;
    // Among the edges of a node, including the average of what is below them: the square root of
    // the variance if all edges are equally probable, averaged over the nodes where it varies. It
    // does not become small if few derivations have the feature.
    std::vector<double> edges;
};
[[nodiscard]] FeatureSpread feature_spread(const ForestSet& forests, std::size_t features,
                                           std::size_t threads);

}  // namespace hopefear
