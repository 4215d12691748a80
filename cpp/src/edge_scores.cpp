#include "hopefear/edge_scores.hpp"

#include <cmath>

#include "hopefear/error.hpp"
#include "hopefear/semiring.hpp"

namespace hopefear {

namespace {

void check_size(const Forest& forest, std::span<const double> values, const char* name) {
    if (values.size() != forest.edge_count())
        fail<ForestError>(values.size(), " ", name, " for a forest of ", forest.edge_count(),
                          " edges");
}

}  // namespace

std::vector<double> score_edges(const Forest& forest, std::span<const double> weights) {
    for (std::size_t id = 0; id < weights.size(); ++id)
        if (!std::isfinite(weights[id]))
            fail<DataError>("the weight of feature ", id, " is ", weights[id],
                            "; weights have to be finite");
    std::vector<double> padded;
    if (weights.size() < forest.feature_count()) {
        padded.assign(weights.begin(), weights.end());
        padded.resize(forest.feature_count(), 0.0);
        weights = padded;
    }
    std::vector<double> scores(forest.edge_count());
    for (std::size_t edge = 0; edge < scores.size(); ++edge)
        scores[edge] = forest.features(static_cast<EdgeId>(edge)).dot(weights);
    check_edge_values(forest, scores, "edge scores");
    return scores;
}

void check_edge_scores(const Forest& forest, std::span<const double> scores) {
    check_size(forest, scores, "edge scores");
    for (std::size_t edge = 0; edge < scores.size(); ++edge)
        if (!(scores[edge] < -impossible))
            fail<ForestError>("the score of edge ", edge, " is ", scores[edge],
                              "; it has to be a number, or minus infinity for an impossible edge");
}

void check_edge_values(const Forest& forest, std::span<const double> values, const char* name) {
    check_size(forest, values, name);
    for (std::size_t edge = 0; edge < values.size(); ++edge)
        if (!std::isfinite(values[edge]))
            fail<ForestError>("among the ", name, ", that of edge ", edge, " is ", values[edge],
                              "; it has to be finite");
}

}  // namespace hopefear
