// The k best derivations of a forest, and n-best lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/base/row_sum.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/forest_set.hpp"
#include "hopefear/forest/kbest_search.hpp"
#include "hopefear/nbest/builder.hpp"

namespace hopefear {

// A forest whose edges have scores, as KBestSearch reads it.
class ScoredForest {
  public:
    // Throws ForestError if no derivation is possible. The forest must outlive this object.
    ScoredForest(const Forest& forest, std::vector<double> scores);

    [[nodiscard]] std::size_t node_count() const { return forest_->node_count(); }
    template <class Use>
    void for_each_edge(NodeId node, const Use& use) const {
        for (const EdgeId edge : forest_->edges(node)) use(edge);
    }
    [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const { return forest_->tails(edge); }
    [[nodiscard]] std::span<const Symbol> target(EdgeId edge) const {
        return forest_->target(edge);
    }
    [[nodiscard]] static bool is_word(Symbol symbol) { return !is_slot(symbol); }
    [[nodiscard]] double score(EdgeId edge) const { return scores_[edge]; }
    [[nodiscard]] double best(NodeId node) const { return best_[node]; }
    [[nodiscard]] EdgeId best_edge(NodeId node) const;

  private:
    const Forest* forest_;
    std::vector<double> scores_;
    std::vector<double> best_;  // by node
};

// The derivations of a forest, one after the other: see KBestSearch.
class KBest {
  public:
    KBest(const Forest& forest, std::vector<double> scores, bool distinct, std::size_t limit);
    KBest(const KBest&) = delete;

    // The next derivation, or nothing if there is none or `limit` was reached.
    std::optional<ScoredDerivation> next();

  private:
    ScoredForest forest_;
    KBestSearch<ScoredForest> search_;
};

// The k best derivations, or fewer if there are no more.
[[nodiscard]] DerivationList kbest(const Forest& forest, std::vector<double> scores, std::size_t k,
                                   bool distinct, std::size_t limit);

// N-best lists from forests.
struct ListOptions {
    std::size_t size = 100;       // k
    bool distinct = true;         // keep only the best derivation of each string
    std::size_t limit = 1000000;  // of derivations examined in a forest, if they must be distinct
};

// The list of one sentence, by decreasing score.
struct KBestList {
    std::vector<std::string> texts;
    FeatureRows features;
};

// The list of the derivations that a search finds; text(symbol) is a word, and features(edge, sum)
// adds the features of an edge to a sum.
template <class Hypergraph, class Text, class Features>
[[nodiscard]] KBestList read_list(KBestSearch<Hypergraph>& search, std::size_t size,
                                  const Text& text, const Features& features, RowSum& sum) {
    KBestList list;
    while (list.texts.size() < size && search.next()) {
        for (const EdgeId edge : search.edges()) features(edge, sum);
        const SparseView row = sum.take();
        list.features.append(row.ids, row.values);
        std::string& words = list.texts.emplace_back();
        search.for_each_word([&](Symbol symbol) {
            if (!words.empty()) words += ' ';
            words += text(symbol);
        });
    }
    list.features.freeze();
    return list;
}

// The k best derivations of a forest as a list; `scores` are those of its edges.
[[nodiscard]] KBestList kbest_list(const Forest& forest, std::vector<double> scores,
                                   const ListOptions& options);

// Add the list of a sentence; returns how many hypotheses were new. The builder must use the
// feature names of the list's forest.
std::size_t add_list(std::size_t sentence, const KBestList& list, NBestBuilder& builder);

// Add the k best derivations of the forests of `sentences` to n-best lists, in this order and by
// decreasing score; returns how many were new. The builder must use the feature names of the
// forests.
std::size_t add_kbest(const ForestSet& forests, std::span<const double> scores,
                      std::span<const std::int64_t> sentences, const ListOptions& options,
                      std::size_t threads, NBestBuilder& builder);

}  // namespace hopefear
