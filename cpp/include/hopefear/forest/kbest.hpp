// The k best derivations, one after the other.
//
// Huang & Chiang (2005), Better k-best parsing, algorithm 3 (lazy): a derivation of a node is an
// edge and, for each tail, a rank among the derivations of that tail. The next best derivation is
// found by raising one rank; only then are further derivations of the tail computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "hopefear/base/feature_rows.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/forest_set.hpp"
#include "hopefear/nbest/builder.hpp"

namespace hopefear {

// A fingerprint of a string of words; the fingerprint of a concatenation follows from those of its
// parts. Two bases modulo 2^61 - 1: two different strings collide with a probability of about
// length² 2^-120.
class Yield {
  public:
    void append(Symbol word);
    void append(const Yield& other);
    friend bool operator==(const Yield& a, const Yield& b) {
        return a.hash_[0] == b.hash_[0] && a.hash_[1] == b.hash_[1];
    }
    struct Hash {
        std::size_t operator()(const Yield& yield) const { return yield.hash_[0]; }
    };

  private:
    std::uint64_t hash_[2] = {0, 0};
    std::uint64_t power_[2] = {1, 1};  // base to the length
};

class KBest {
  public:
    // With `distinct`, only the best of all derivations with the same words is returned. Duplicates
    // are dropped at every node (what is worse at a node is worse at the root). The search stops
    // after `limit` derivations of any nodes, which bounds the memory at about 100 bytes each.
    // Without `distinct` there is no limit. `forest` must outlive this object.
    KBest(const Forest& forest, std::vector<double> scores, bool distinct, std::size_t limit);

    KBest(KBest&&) = default;
    KBest(const KBest&) = delete;

    // The next derivation, or nothing if there is none or `limit` was reached. Scores do not
    // increase; equal ones come in the order of the edges at the root.
    std::optional<ScoredDerivation> next();

  private:
    struct Item {
        double score;
        EdgeId edge;
        std::uint32_t ranks;  // where in ranks_ those of the tails begin
    };
    struct State {  // of a node
        std::vector<Item> best;
        std::vector<Item> candidates;  // a heap, the best on top
        std::vector<Yield> yields;     // of `best`, if they have to be distinct
        std::unordered_set<Yield, Yield::Hash> seen;
        std::optional<Item> expanding;  // the last one taken; its successors are being added
        std::size_t slot = 0;           // the rank to raise next
        bool exhausted = false;
    };
    struct Need {  // so many derivations of a node
        NodeId node;
        std::size_t count;
    };

    [[nodiscard]] std::span<const std::uint32_t> ranks(const Item& item) const {
        return std::span(ranks_).subspan(item.ranks, forest_->tails(item.edge).size());
    }
    [[nodiscard]] bool worse(const Item& a, const Item& b) const;
    State& open(NodeId node);
    void require(Need need);
    [[nodiscard]] std::optional<Need> advance(State& state);
    [[nodiscard]] std::optional<Need> expand(State& state);
    [[nodiscard]] std::optional<Need> missing_tail(const Item& item);
    void raise(State& state, const Item& item, std::size_t slot);
    void take(State& state);
    [[nodiscard]] Yield yield(const Item& item);

    const Forest* forest_;
    std::vector<double> scores_;
    std::vector<double> best_;  // Viterbi scores of nodes
    bool distinct_;
    std::size_t limit_;
    std::size_t looked_at_ = 0;
    std::uint32_t given_ = 0;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::unique_ptr<State>> states_;
    std::vector<Need> stack_;
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
