// Cube pruning: adds non-local features to the parses of a sentence.
//
// Chiang (2007), Hierarchical phrase-based translation, 5.3; Huang & Chiang (2007), Forest
// rescoring: faster decoding with integrated language models. The nodes of the chart are split by
// their states, mainly those of language models, and only the most promising derivations of each
// node are examined. Unlike the paper, a candidate is scored when it is popped, not when it is
// pushed: its priority is an estimate from its rule's own words and its parts, so candidates come
// in the exact order of this estimate and the language models see only those that are popped.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/decode/chart.hpp"
#include "hopefear/decode/rule_list.hpp"

namespace hopefear {

struct RescoreOptions {
    std::size_t pop_limit = 200;  // candidates scored for each node of the chart; 0 means all
    // Drop derivations and candidates that are worse than the best derivation of their chart node
    // by more than this; 0 means none.
    double beam = 0.0;
};

struct NonlocalWeights {
    std::span<const double> log10;   // weight of a log10 probability of each language model
    std::span<const double> ngrams;  // by n-gram feature
};

class LanguageModels;

// The part that survives. Nodes are in topological order; the root is the last.
struct RescoredChart {
    static constexpr std::uint32_t none = 0xffffffff;

    struct Node {
        double score;  // of its best derivation
        std::uint32_t chart_node;
        std::uint32_t best_edge;
        std::uint32_t first_edge;  // linked by Edge::next
    };
    struct Edge {
        double score;  // without its tails
        std::uint32_t bundle;
        std::uint32_t rule;  // in the list of the bundle
        std::uint32_t first_tail;
        std::uint32_t next;
    };

    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<std::uint32_t> tails;
    std::vector<float> log10;  // by edge and language model: what the edge adds
    // The n-gram features that an edge adds; `first_ngram` has an entry for each edge and one more,
    // or no entry if there are no such features.
    std::vector<std::int32_t> ngrams;
    std::vector<std::uint32_t> first_ngram;

    [[nodiscard]] std::span<const std::int32_t> ngrams_of(std::uint32_t edge) const {
        if (first_ngram.empty()) return {};
        return std::span(ngrams).subspan(first_ngram[edge],
                                         first_ngram[edge + 1] - first_ngram[edge]);
    }
    [[nodiscard]] const Node& root() const { return nodes.back(); }
    void clear();
    // Throw ForestError: a log probability is not finite.
    [[noreturn]] static void fail_log10();
};

// The part of a rescored chart that derivations of the root use, or only the best one.
struct KeptPart {
    KeptPart(const Chart& chart, const RescoredChart& rescored, bool only_best);

    // The nodes, by new number; the root is the last.
    std::vector<std::uint32_t> nodes;
    // The edges of node i are edges[first_edge[i]] .. edges[first_edge[i + 1]], in the order in
    // which they were found.
    std::vector<std::uint32_t> edges;
    std::vector<std::uint32_t> first_edge;
    // The new numbers of the tails of each edge, from first_tail on.
    std::vector<NodeId> tails;
    std::vector<std::uint32_t> first_tail;

    [[nodiscard]] std::span<const NodeId> tails_of(std::size_t edge) const {
        return std::span(tails).subspan(first_tail[edge], first_tail[edge + 1] - first_tail[edge]);
    }
};

// Not thread-safe; memory is reused for the next sentence.
class Rescorer {
  public:
    // Language models and n-grams must outlive this object.
    Rescorer(const LanguageModels& models, const NgramFeatures& ngrams, RescoreOptions options);
    ~Rescorer();
    Rescorer(Rescorer&&) noexcept;

    // The result is valid until the next call.
    const RescoredChart& rescore(const Chart& chart, const SentenceWords& words,
                                 const NonlocalWeights& weights);

  private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace hopefear
