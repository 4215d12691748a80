#include "hopefear/forest/kbest.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/viterbi.hpp"

namespace hopefear {

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t bases[2] = {mix(1) % prime, mix(2) % prime};

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t sum =
        static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a + b >= prime ? a + b - prime : a + b;
}

}  // namespace

void Yield::append(Symbol word) {
    for (int i = 0; i < 2; ++i) {
        hash_[i] = add(multiply(hash_[i], bases[i]), static_cast<std::uint64_t>(word) + 1);
        power_[i] = multiply(power_[i], bases[i]);
    }
}

void Yield::append(const Yield& other) {
    for (int i = 0; i < 2; ++i) {
        hash_[i] = add(multiply(hash_[i], other.power_[i]), other.hash_[i]);
        power_[i] = multiply(power_[i], other.power_[i]);
    }
}

KBest::KBest(const Forest& forest, std::vector<double> scores, bool distinct, std::size_t limit)
    : forest_(&forest),
      scores_(std::move(scores)),
      best_(best_scores(forest, scores_)),
      distinct_(distinct),
      limit_(limit),
      states_(forest.node_count()) {
    if (best_.back() == impossible) fail_impossible();
    std::size_t arity = 0;
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(forest.edge_count()); ++edge)
        arity = std::max(arity, forest.tails(edge).size());
    ranks_.assign(arity, 0);  // shared by the first candidates of all edges
}

bool KBest::worse(const Item& a, const Item& b) const {
    if (a.score != b.score) return a.score < b.score;
    if (a.edge != b.edge) return a.edge > b.edge;
    return std::ranges::lexicographical_compare(ranks(b), ranks(a));
}

KBest::State& KBest::open(NodeId node) {
    std::unique_ptr<State>& state = states_[node];
    if (state) return *state;
    state = std::make_unique<State>();
    const auto edge_score = [this](EdgeId edge) { return scores_[edge]; };
    for (const EdgeId edge : forest_->edges(node)) {
        const double score = edge_inside(*forest_, ViterbiSemiring(), edge_score, best_, edge);
        if (score != impossible) state->candidates.push_back({score, edge, 0});
    }
    std::ranges::make_heap(state->candidates,
                           [this](const Item& a, const Item& b) { return worse(a, b); });
    return *state;
}

// Recursion over tails with an explicit stack: forests can be deep. A node is on the stack at most
// once, as tails have lower numbers, so its state remembers where its work was interrupted.
void KBest::require(Need need) {
    stack_.assign(1, need);
    while (!stack_.empty()) {
        const Need top = stack_.back();
        State& state = open(top.node);
        if (state.exhausted || state.best.size() >= top.count) {
            stack_.pop_back();
            continue;
        }
        if (distinct_ && looked_at_ >= limit_) return;
        if (const auto first = advance(state)) stack_.push_back(*first);
    }
}

// Take one more candidate, unless a tail needs more derivations first.
std::optional<KBest::Need> KBest::advance(State& state) {
    if (state.expanding)
        if (const auto need = expand(state)) return need;
    if (state.candidates.empty()) {
        state.exhausted = true;
        return std::nullopt;
    }
    if (distinct_)
        if (const auto need = missing_tail(state.candidates.front())) return need;
    take(state);
    return std::nullopt;
}

// Add the successors of the last derivation: one rank raised by one. Each vector of ranks has a
// single predecessor, with its last nonzero rank lowered.
std::optional<KBest::Need> KBest::expand(State& state) {
    const Item item = *state.expanding;
    const auto tails = forest_->tails(item.edge);
    for (; state.slot < tails.size(); ++state.slot) {
        const NodeId tail = tails[state.slot];
        const std::size_t count = ranks(item)[state.slot] + 2;
        const State& below = open(tail);
        if (below.best.size() < count && !below.exhausted) return Need{tail, count};
        if (below.best.size() >= count) raise(state, item, state.slot);
    }
    state.expanding.reset();
    return std::nullopt;
}

void KBest::raise(State& state, const Item& item, std::size_t slot) {
    const auto tails = forest_->tails(item.edge);
    if (ranks_.size() > std::numeric_limits<std::uint32_t>::max() - tails.size())
        fail<ForestError>("the search for the next derivation examined too many derivations");
    Item successor{scores_[item.edge], item.edge, static_cast<std::uint32_t>(ranks_.size())};
    for (std::size_t i = 0; i < tails.size(); ++i) {
        const std::uint32_t rank = ranks_[item.ranks + i] + (i == slot ? 1 : 0);
        ranks_.push_back(rank);
        const double below = rank == 0 ? best_[tails[i]] : states_[tails[i]]->best[rank].score;
        successor.score = add_scores(successor.score, below);
    }
    state.candidates.push_back(successor);
    std::ranges::push_heap(state.candidates,
                           [this](const Item& a, const Item& b) { return worse(a, b); });
}

std::optional<KBest::Need> KBest::missing_tail(const Item& item) {
    const auto tails = forest_->tails(item.edge);
    for (std::size_t i = 0; i < tails.size(); ++i) {
        const std::size_t count = ranks(item)[i] + 1;
        if (open(tails[i]).best.size() < count) return Need{tails[i], count};
    }
    return std::nullopt;
}

void KBest::take(State& state) {
    std::ranges::pop_heap(state.candidates,
                          [this](const Item& a, const Item& b) { return worse(a, b); });
    const Item item = state.candidates.back();
    state.candidates.pop_back();
    ++looked_at_;
    state.expanding = item;
    const auto own_ranks = ranks(item);
    state.slot = own_ranks.size();
    while (state.slot > 0 && own_ranks[state.slot - 1] == 0) --state.slot;
    if (state.slot > 0) --state.slot;
    if (distinct_) {
        const Yield words = yield(item);
        if (!state.seen.insert(words).second) return;
        state.yields.push_back(words);
    }
    state.best.push_back(item);
}

Yield KBest::yield(const Item& item) {
    Yield words;
    const auto tails = forest_->tails(item.edge);
    for (const Symbol symbol : forest_->target(item.edge)) {
        if (is_slot(symbol)) {
            const std::int32_t slot = slot_of(symbol);
            words.append(states_[tails[slot]]->yields[ranks(item)[slot]]);
        } else {
            words.append(symbol);
        }
    }
    return words;
}

std::optional<ScoredDerivation> KBest::next() {
    require({forest_->root(), std::size_t{given_} + 1});
    const State& root = *states_[forest_->root()];
    if (root.best.size() <= given_) return std::nullopt;
    const std::uint32_t rank = given_++;
    Derivation edges = collect_derivation(*forest_, rank, [&](NodeId node, std::uint32_t i) {
        if (!states_[node] || states_[node]->best.empty())
            return Choice{best_edge(*forest_, scores_, best_, node)};
        const Item& item = states_[node]->best[i];
        return Choice{item.edge, ranks(item)};
    });
    return ScoredDerivation{std::move(edges), root.best[rank].score};
}

DerivationList kbest(const Forest& forest, std::vector<double> scores, std::size_t k, bool distinct,
                     std::size_t limit) {
    KBest search(forest, std::move(scores), distinct, limit);
    DerivationList found;
    while (found.scores.size() < k) {
        const auto next = search.next();
        if (!next) break;
        found.push_back(next->edges, next->score);
    }
    return found;
}

KBestList kbest_list(const Forest& forest, std::vector<double> scores, const ListOptions& options) {
    KBest search(forest, std::move(scores), options.distinct, options.limit);
    KBestList list;
    while (list.texts.size() < options.size) {
        const auto next = search.next();
        if (!next) break;
        std::string& text = list.texts.emplace_back();
        for (const Symbol word : derivation_words(forest, next->edges)) {
            if (!text.empty()) text += ' ';
            text += forest.words()->text(word);
        }
        const auto [ids, values] = derivation_features(forest, next->edges);
        list.features.append(ids, values);
    }
    list.features.freeze();
    return list;
}

std::size_t add_list(std::size_t sentence, const KBestList& list, NBestBuilder& builder) {
    std::size_t added = 0;
    for (std::size_t i = 0; i < list.texts.size(); ++i) {
        const SparseView row = list.features[i];
        added += builder.add(sentence, list.texts[i], row.ids, row.values);
    }
    return added;
}

std::size_t add_kbest(const ForestSet& forests, std::span<const double> scores,
                      std::span<const std::int64_t> sentences, const ListOptions& options,
                      std::size_t threads, NBestBuilder& builder) {
    forests.check_edges(scores, "scores");
    if (forests.feature_names() && builder.feature_names() != forests.feature_names())
        fail<DataError>("the n-best lists have other feature names than the forests");
    for (const std::int64_t sentence : sentences) (void)forests.checked_sentence(sentence);
    std::vector<KBestList> lists(sentences.size());
    parallel_blocks(sentences.size(), 1, threads, [&](std::size_t i, std::size_t) {
        const auto sentence = static_cast<std::size_t>(sentences[i]);
        const auto own = forests.edges(scores, sentence);
        if (const Forest* forest = forests[sentence])
            lists[i] = kbest_list(*forest, {own.begin(), own.end()}, options);
    });
    std::size_t added = 0;
    for (std::size_t i = 0; i < lists.size(); ++i)
        added += add_list(static_cast<std::size_t>(sentences[i]), lists[i], builder);
    return added;
}

}  // namespace hopefear
