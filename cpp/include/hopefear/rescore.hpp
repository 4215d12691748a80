// Puts non-local features into the parses of a sentence: cube pruning.
//
// Chiang (2007), Hierarchical phrase-based translation, 5.3; Huang & Chiang (2007), Forest
// rescoring: faster decoding with integrated language models. The nodes of the chart are split by
// what they have to remember, language models above all; of each node only the most promising
// derivations are looked at. Unlike the paper, a candidate is scored when it is taken, not when it
// is put in line: its place there is that of its rule's own words and of its parts, so that
// candidates come in the exact order of this estimate, and the language models see only those that
// are taken.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hopefear/chart.hpp"
#include "hopefear/rule_list.hpp"

namespace hopefear {

struct RescoreOptions {
    std::size_t pop_limit = 200;  // candidates to be scored for each node of the chart; 0: all
    // Derivations that are worse than the best of their node of the chart by more than this are
    // dropped; 0: none.
    double beam = 0.0;
};

struct NonlocalWeights {
    std::span<const double> log10;   // what a log10 of each language model counts
    std::span<const double> ngrams;  // by n-gram feature
};

class LanguageModels;

// What survives. Nodes are in topological order, the root is the last.
struct RescoredChart {
    static constexpr std::uint32_t none = 0xffffffff;

    struct Node {
        double score;  // of its best derivation
        std::uint32_t chart_node;
        std::uint32_t best_edge;
        std::uint32_t first_edge;  // the others follow by Edge::next
    };
    struct Edge {
        std::uint32_t bundle;
        std::uint32_t rule;  // in the list of the bundle
        std::uint32_t first_tail;
        std::uint32_t next;
    };

    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<std::uint32_t> tails;
    std::vector<float> log10;  // by edge and language model: what the edge adds
    // The n-gram features that an edge adds; `first_ngram` is by edge, and one more.
    std::vector<std::int32_t> ngrams;
    std::vector<std::uint32_t> first_ngram;

    [[nodiscard]] std::span<const std::int32_t> ngrams_of(std::uint32_t edge) const {
        return std::span(ngrams).subspan(first_ngram[edge],
                                         first_ngram[edge + 1] - first_ngram[edge]);
    }
    [[nodiscard]] const Node& root() const { return nodes.back(); }
    void clear();
};

// Visit what derivations of the root use, or the best of them alone: add_node(node) for each node,
// which gives its new number, and then add_edge(edge, new numbers of its tails) for each of its
// edges, in the order in which they were found. The root comes last.
template <class AddNode, class AddEdge>
void walk_rescored(const Chart& chart, const RescoredChart& rescored, bool only_best,
                   const AddNode& add_node, const AddEdge& add_edge) {
    const auto tails_of = [&](const RescoredChart::Edge& edge) {
        return std::span(rescored.tails)
            .subspan(edge.first_tail, chart.tails_of(chart.bundles[edge.bundle]).size());
    };
    const auto edges_of = [&](const RescoredChart::Node& node, std::vector<std::uint32_t>& edges) {
        edges.assign(only_best ? 1 : 0, node.best_edge);
        if (!only_best)
            for (auto edge = node.first_edge; edge != RescoredChart::none;
                 edge = rescored.edges[edge].next)
                edges.push_back(edge);
    };
    std::vector<NodeId> numbers(rescored.nodes.size(), -1);
    std::vector<std::uint32_t> edges;
    numbers.back() = 0;
    for (std::size_t node = rescored.nodes.size(); node-- > 0;) {
        if (numbers[node] < 0) continue;
        edges_of(rescored.nodes[node], edges);
        for (const std::uint32_t edge : edges)
            for (const std::uint32_t tail : tails_of(rescored.edges[edge])) numbers[tail] = 0;
    }
    std::vector<NodeId> tails;
    for (std::size_t node = 0; node < rescored.nodes.size(); ++node) {
        if (numbers[node] < 0) continue;
        numbers[node] = add_node(rescored.nodes[node]);
        edges_of(rescored.nodes[node], edges);
        for (std::size_t i = edges.size(); i-- > 0;) {
            tails.clear();
            for (const std::uint32_t tail : tails_of(rescored.edges[edges[i]]))
                tails.push_back(numbers[tail]);
            add_edge(edges[i], tails);
        }
    }
}

// One thread uses a rescorer at a time; what it allocates is used again for the next sentence.
class Rescorer {
  public:
    // Language models and n-grams have to live as long as this.
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
