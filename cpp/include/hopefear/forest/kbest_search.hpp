// The k best derivations of a hypergraph, one after the other.
//
// Huang & Chiang (2005), Better k-best parsing, algorithm 3 (lazy): a derivation of a node is an
// edge and, for each tail, a rank among the derivations of that tail. The next best derivation is
// found by raising one rank; only then are further derivations of the tail computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/semiring.hpp"

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
    [[nodiscard]] std::uint64_t hash() const { return hash_[0]; }

  private:
    std::uint64_t hash_[2] = {0, 0};
    std::uint64_t power_[2] = {1, 1};  // base to the length
};

// A hypergraph has
//   node_count(), and the root, which is its last node;
//   for_each_edge(node, use), by increasing number;
//   tails(edge), target(edge), and score(edge), which is minus infinity for an impossible edge;
//   is_word(symbol): whether a symbol of a target side is a word of the string;
//   best(node) and best_edge(node): the score of a node's best derivation, and the edge with which
//   the first such derivation begins.
// Memory is reused for the next hypergraph.
template <class Hypergraph>
class KBestSearch {
  public:
    // With `distinct`, only the best of all derivations with the same words is returned. Duplicates
    // are dropped at every node (what is worse at a node is worse at the root). The search stops
    // after `limit` derivations of any nodes, which bounds the memory at about 100 bytes each.
    // Without `distinct` there is no limit. `graph` must outlive the search.
    void start(const Hypergraph& graph, bool distinct, std::size_t limit);

    // Find the next derivation; false if there is none or `limit` was reached. Scores do not
    // increase; equal ones come in the order of the edges at the root.
    [[nodiscard]] bool next();

    // Of the derivation that `next` found.
    [[nodiscard]] double score() const { return found(root(), given_ - 1).score; }
    [[nodiscard]] Derivation edges() const;
    // Call use(word) for each of its words.
    template <class Use>
    void for_each_word(const Use& use);

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    struct Item {
        double score;
        EdgeId edge;
        std::uint32_t ranks;  // where in ranks_ those of the tails begin; none if all are 0
    };
    struct State {  // of a node
        std::vector<Item> best;
        std::vector<Item> candidates;   // a heap, the best on top
        std::vector<Yield> yields;      // of `best`, if they have to be distinct
        std::optional<Item> expanding;  // the last one taken; its successors are being added
        std::size_t slot = 0;           // the rank to raise next
        bool exhausted = false;

        void clear() {
            best.clear();
            candidates.clear();
            yields.clear();
            expanding.reset();
            exhausted = false;
        }
    };
    struct Need {  // so many derivations of a node
        NodeId node;
        std::size_t count;
    };
    struct Place {  // in a table of the strings of all nodes: derivation `rank` of a state
        std::uint32_t state;
        std::uint32_t rank;
    };
    struct Reading {
        Item item;
        std::size_t position;  // of the next symbol of the target side
    };

    [[nodiscard]] NodeId root() const { return static_cast<NodeId>(graph_->node_count()) - 1; }
    [[nodiscard]] std::uint32_t rank(const Item& item, std::size_t slot) const {
        return item.ranks == none ? 0 : ranks_[item.ranks + slot];
    }
    [[nodiscard]] bool worse(const Item& a, const Item& b) const;
    [[nodiscard]] Item found(NodeId node, std::uint32_t rank) const;
    std::uint32_t open(NodeId node);
    void require(Need need);
    [[nodiscard]] std::optional<Need> advance(std::uint32_t number);
    [[nodiscard]] std::optional<Need> expand(State& state);
    [[nodiscard]] std::optional<Need> missing_tail(const Item& item);
    void raise(State& state, const Item& item, std::size_t slot);
    void take(std::uint32_t number);
    [[nodiscard]] Yield yield(const Item& item) const;
    [[nodiscard]] bool add_string(std::uint32_t number, const Yield& words);
    void grow_table();

    const Hypergraph* graph_ = nullptr;
    bool distinct_ = false;
    std::size_t limit_ = 0;
    std::size_t looked_at_ = 0;
    std::uint32_t given_ = 0;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::uint32_t> state_of_;         // by node; none if it was not needed yet
    std::vector<std::unique_ptr<State>> states_;  // the first `used_` are in use
    std::uint32_t used_ = 0;
    // The strings of all nodes: open addressing, half empty; free places have no state.
    std::vector<Place> table_;
    std::size_t strings_ = 0;
    std::vector<Need> stack_;
    std::vector<Reading> reading_;
};

template <class Hypergraph>
void KBestSearch<Hypergraph>::start(const Hypergraph& graph, bool distinct, std::size_t limit) {
    graph_ = &graph;
    distinct_ = distinct;
    limit_ = limit;
    looked_at_ = 0;
    given_ = 0;
    ranks_.clear();
    state_of_.assign(graph.node_count(), none);
    used_ = 0;
    table_.assign(distinct ? 1024 : 0, {none, 0});
    strings_ = 0;
}

template <class Hypergraph>
bool KBestSearch<Hypergraph>::worse(const Item& a, const Item& b) const {
    if (a.score != b.score) return a.score < b.score;
    if (a.edge != b.edge) return a.edge > b.edge;
    for (std::size_t slot = 0; slot < graph_->tails(a.edge).size(); ++slot)
        if (rank(a, slot) != rank(b, slot)) return rank(a, slot) > rank(b, slot);
    return false;
}

// Derivation `rank` of a node. No ranks of a node that was not needed yet were raised.
template <class Hypergraph>
typename KBestSearch<Hypergraph>::Item KBestSearch<Hypergraph>::found(NodeId node,
                                                                      std::uint32_t rank) const {
    const std::uint32_t number = state_of_[node];
    if (number == none || states_[number]->best.empty())
        return {graph_->best(node), graph_->best_edge(node), none};
    return states_[number]->best[rank];
}

// The number of a node's state.
template <class Hypergraph>
std::uint32_t KBestSearch<Hypergraph>::open(NodeId node) {
    std::uint32_t& number = state_of_[node];
    if (number != none) return number;
    number = used_++;
    if (used_ > states_.size()) states_.push_back(std::make_unique<State>());
    State& state = *states_[number];
    state.clear();
    graph_->for_each_edge(node, [&](EdgeId edge) {
        double score = graph_->score(edge);
        for (const auto tail : graph_->tails(edge)) score = add_scores(score, graph_->best(tail));
        if (score != impossible) state.candidates.push_back({score, edge, none});
    });
    std::ranges::make_heap(state.candidates,
                           [this](const Item& a, const Item& b) { return worse(a, b); });
    return number;
}

// Recursion over tails with an explicit stack: forests can be deep. A node is on the stack at most
// once, as tails have lower numbers, so its state remembers where its work was interrupted.
template <class Hypergraph>
void KBestSearch<Hypergraph>::require(Need need) {
    stack_.assign(1, need);
    while (!stack_.empty()) {
        const Need top = stack_.back();
        const std::uint32_t number = open(top.node);
        const State& state = *states_[number];
        if (state.exhausted || state.best.size() >= top.count) {
            stack_.pop_back();
            continue;
        }
        if (distinct_ && looked_at_ >= limit_) return;
        if (const auto first = advance(number)) stack_.push_back(*first);
    }
}

// Take one more candidate, unless a tail needs more derivations first.
template <class Hypergraph>
auto KBestSearch<Hypergraph>::advance(std::uint32_t number) -> std::optional<Need> {
    State& state = *states_[number];
    if (state.expanding)
        if (const auto need = expand(state)) return need;
    if (state.candidates.empty()) {
        state.exhausted = true;
        return std::nullopt;
    }
    if (distinct_)
        if (const auto need = missing_tail(state.candidates.front())) return need;
    take(number);
    return std::nullopt;
}

// Add the successors of the last derivation: one rank raised by one. Each vector of ranks has a
// single predecessor, with its last nonzero rank lowered.
template <class Hypergraph>
auto KBestSearch<Hypergraph>::expand(State& state) -> std::optional<Need> {
    const Item item = *state.expanding;
    const auto tails = graph_->tails(item.edge);
    for (; state.slot < tails.size(); ++state.slot) {
        const auto tail = static_cast<NodeId>(tails[state.slot]);
        const std::size_t count = rank(item, state.slot) + std::size_t{2};
        const State& below = *states_[open(tail)];
        if (below.best.size() < count && !below.exhausted) return Need{tail, count};
        if (below.best.size() >= count) raise(state, item, state.slot);
    }
    state.expanding.reset();
    return std::nullopt;
}

template <class Hypergraph>
void KBestSearch<Hypergraph>::raise(State& state, const Item& item, std::size_t slot) {
    const auto tails = graph_->tails(item.edge);
    if (ranks_.size() >= none - tails.size())
        fail<ForestError>("the search for the next derivation examined too many derivations");
    Item successor{graph_->score(item.edge), item.edge, static_cast<std::uint32_t>(ranks_.size())};
    for (std::size_t i = 0; i < tails.size(); ++i) {
        const std::uint32_t raised = rank(item, i) + (i == slot ? 1 : 0);
        ranks_.push_back(raised);
        const double below =
            raised == 0 ? graph_->best(tails[i]) : states_[state_of_[tails[i]]]->best[raised].score;
        successor.score = add_scores(successor.score, below);
    }
    state.candidates.push_back(successor);
    std::ranges::push_heap(state.candidates,
                           [this](const Item& a, const Item& b) { return worse(a, b); });
}

template <class Hypergraph>
auto KBestSearch<Hypergraph>::missing_tail(const Item& item) -> std::optional<Need> {
    const auto tails = graph_->tails(item.edge);
    for (std::size_t i = 0; i < tails.size(); ++i) {
        const auto tail = static_cast<NodeId>(tails[i]);
        const std::size_t count = rank(item, i) + std::size_t{1};
        if (states_[open(tail)]->best.size() < count) return Need{tail, count};
    }
    return std::nullopt;
}

template <class Hypergraph>
void KBestSearch<Hypergraph>::take(std::uint32_t number) {
    State& state = *states_[number];
    std::ranges::pop_heap(state.candidates,
                          [this](const Item& a, const Item& b) { return worse(a, b); });
    const Item item = state.candidates.back();
    state.candidates.pop_back();
    ++looked_at_;
    state.expanding = item;
    state.slot = graph_->tails(item.edge).size();
    while (state.slot > 0 && rank(item, state.slot - 1) == 0) --state.slot;
    if (state.slot > 0) --state.slot;
    if (distinct_ && !add_string(number, yield(item))) return;
    state.best.push_back(item);
}

template <class Hypergraph>
Yield KBestSearch<Hypergraph>::yield(const Item& item) const {
    Yield words;
    const auto tails = graph_->tails(item.edge);
    for (const Symbol symbol : graph_->target(item.edge)) {
        if (is_slot(symbol)) {
            const std::int32_t slot = slot_of(symbol);
            words.append(states_[state_of_[tails[slot]]]->yields[rank(item, slot)]);
        } else if (graph_->is_word(symbol)) {
            words.append(symbol);
        }
    }
    return words;
}

// Add a string to those of a state; false if it is there already.
template <class Hypergraph>
bool KBestSearch<Hypergraph>::add_string(std::uint32_t number, const Yield& words) {
    std::vector<Yield>& own = states_[number]->yields;
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash_combine(words.hash(), number) & mask;
    for (; table_[at].state != none; at = (at + 1) & mask)
        if (table_[at].state == number && own[table_[at].rank] == words) return false;
    table_[at] = {number, static_cast<std::uint32_t>(own.size())};
    own.push_back(words);
    if (2 * ++strings_ > table_.size()) grow_table();
    return true;
}

template <class Hypergraph>
void KBestSearch<Hypergraph>::grow_table() {
    std::vector<Place> old(2 * table_.size(), {none, 0});
    old.swap(table_);
    const std::size_t mask = table_.size() - 1;
    for (const Place& place : old) {
        if (place.state == none) continue;
        const Yield& words = states_[place.state]->yields[place.rank];
        std::size_t at = hash_combine(words.hash(), place.state) & mask;
        while (table_[at].state != none) at = (at + 1) & mask;
        table_[at] = place;
    }
}

template <class Hypergraph>
bool KBestSearch<Hypergraph>::next() {
    require({root(), std::size_t{given_} + 1});
    if (states_[state_of_[root()]]->best.size() <= given_) return false;
    ++given_;
    return true;
}

template <class Hypergraph>
Derivation KBestSearch<Hypergraph>::edges() const {
    return collect_derivation(*graph_, given_ - 1, [this](NodeId node, std::uint32_t rank) {
        const Item item = found(node, rank);
        if (item.ranks == none) return Choice{item.edge};
        const std::size_t arity = graph_->tails(item.edge).size();
        return Choice{item.edge, std::span(ranks_).subspan(item.ranks, arity)};
    });
}

template <class Hypergraph>
template <class Use>
void KBestSearch<Hypergraph>::for_each_word(const Use& use) {
    reading_.clear();
    const auto enter = [this](NodeId node, std::uint32_t rank) {
        const Item item = found(node, rank);
        reading_.push_back({item, 0});
    };
    enter(root(), given_ - 1);
    while (!reading_.empty()) {
        auto& [item, position] = reading_.back();
        const auto symbols = graph_->target(item.edge);
        if (position == symbols.size()) {
            reading_.pop_back();
            continue;
        }
        const Symbol symbol = symbols[position++];
        if (is_slot(symbol)) {
            const std::int32_t slot = slot_of(symbol);
            enter(static_cast<NodeId>(graph_->tails(item.edge)[slot]), rank(item, slot));
        } else if (graph_->is_word(symbol)) {
            use(symbol);
        }
    }
}

}  // namespace hopefear
