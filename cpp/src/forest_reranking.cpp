#include "hopefear/forest_reranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "hopefear/clipped_counts.hpp"
#include "hopefear/document_gain.hpp"
#include "hopefear/edge_scores.hpp"
#include "hopefear/error.hpp"
#include "hopefear/reference_derivation.hpp"
#include "hopefear/semiring.hpp"
#include "hopefear/viterbi.hpp"

namespace hopefear {

namespace {

using State = ReferenceAutomaton::State;
using ItemId = ClippedCounts::String;

// Strings of derivations can be exponentially longer than their forest: beyond this, all of them
// are of one length.
constexpr std::int64_t max_length = std::int64_t{1} << 30;
// Nodes that cover as many words share what is known of their lengths.
constexpr std::int32_t max_covered = 1024;

// A derivation of a node. All that is read of a tail is in one line of the cache.
template <std::size_t Lanes>
struct Item {
    double score;
    std::int32_t length;
    State right;                              // after reading the string
    std::array<std::int32_t, Lanes> matches;  // m_1 .. m_K
    std::array<WordId, Lanes - 1> left;       // the first K - 1 words
    EdgeId edge;
    std::uint32_t ranks;  // where those of its tails begin
    double phi;
};

}  // namespace

class ForestReranker::Search {
  public:
    virtual ~Search() = default;
    virtual Reranked find(std::span<const double> scores, double gain_weight, std::size_t kept) = 0;
};

// With Lanes >= K.
template <std::size_t Lanes>
class ForestReranker::SearchIn : public ForestReranker::Search {
  public:
    SearchIn(const Forest& forest, const BleuReferences& references, std::size_t sentence,
             std::span<const WordId> numbers, std::span<const double> document)
        : forest_(forest),
          references_(references),
          sentence_(sentence),
          automaton_(references.automaton(sentence)),
          gain_(document),
          order_(static_cast<int>(gain_.order())),
          counts_(automaton_),
          times_added_(automaton_.size(), 0) {
        const std::int32_t source = forest.covered(forest.root());
        const double average = references.references()->average_length(sentence);
        per_source_word_ = source > 0 ? average / source : 0.0;
        factors_.resize(std::min(source, max_covered) + 1);
        words_.reserve(forest.targets().size());
        for (const Symbol symbol : forest.targets())
            words_.push_back(is_slot(symbol) ? unknown_word : numbers[symbol]);
        for (std::size_t k = 0; k < Lanes; ++k)
            before_kgram_[k] = static_cast<std::int32_t>(k < gain_.order() ? k : max_length);
    }

    Reranked find(std::span<const double> scores, double gain_weight, std::size_t kept) override {
        check_edge_scores(forest_, scores);
        again_ = remembered_ && kept == 1 && gain_weight == gain_weight_ &&
                 std::ranges::find(scores, impossible) == scores.end();
        remembered_ = false;
        scores_ = scores;
        gain_weight_ = gain_weight;
        bleu_per_phi_ = 1.0 / (gain_weight * gain_.length());
        kept_ = kept;
        if (!again_) clear();
        for (NodeId node = 0; node <= forest_.root(); ++node) {
            begin_node(node);
            for (const EdgeId edge : forest_.edges(node)) {
                if (scores_[edge] == impossible) continue;
                set_edge(edge);
                choose(0, kept_);
            }
            again_ ? replace() : keep();
        }
        if (first_[forest_.root()] == items_.size()) fail_impossible();
        remembered_ = kept == 1 && items_.size() == forest_.node_count();
        return found();
    }

  private:
    using Matches = std::array<std::int32_t, Lanes>;

    // One that may be kept; of the k-grams that are in none of its tails, those that match.
    struct Candidate {
        Item<Lanes> item{};
        std::uint32_t first_added;
        std::uint32_t last_added;
        bool read;  // otherwise its string is not known yet
    };
    // What the last search, with the same tails, found out of BLEU^K of an edge.
    struct Judgement {
        enum Kind : std::int32_t { none, bounded, exact };
        double power = 0.0;
        Kind kind = none;
    };

    void clear() {
        items_.clear();
        counts_.clear();
        ranks_.clear();
        first_.assign(1, 0);
        items_.reserve(forest_.node_count());
        first_.reserve(forest_.node_count() + 1);
        if (kept_ == 1) judgements_.assign(forest_.edge_count(), {});
        changed_.assign(forest_.node_count(), 0);
    }

    void set_edge(EdgeId edge) {
        edge_ = edge;
        tails_ = forest_.tails(edge);
        chosen_.resize(tails_.size());
    }

    void begin_node(NodeId node) {
        node_ = node;
        const auto covered = static_cast<std::size_t>(forest_.covered(node));
        if (node == forest_.root()) {
            node_factors_ = &root_factors_;
        } else if (covered < factors_.size()) {
            node_factors_ = &factors_[covered];
        } else {
            other_factors_.clear();
            node_factors_ = &other_factors_;
        }
    }

    double length_factor(std::int64_t length) {
        return node_factors_->get(
            length, [&] { return gain_.length_factor(length, reference_length(length)); });
    }

    double reference_length(std::int64_t length) const {
        if (node_ == forest_.root())
            return references_.reference_length(sentence_, static_cast<std::size_t>(length));
        return per_source_word_ > 0.0 ? per_source_word_ * forest_.covered(node_)
                                      : static_cast<double>(length);
    }

    // Every choice of derivations of the tails whose ranks r, from 0, have a product of r + 1 of at
    // most `kept`: what is beyond has that many before it already.
    void choose(std::size_t slot, std::size_t kept) {
        if (slot == tails_.size()) {
            offer();
            return;
        }
        const ItemId first = first_[tails_[slot]];
        const std::size_t available = first_[tails_[slot] + 1] - first;
        for (std::size_t rank = 0; rank < std::min(kept, available); ++rank) {
            chosen_[slot] = first + static_cast<ItemId>(rank);
            choose(slot + 1, kept / (rank + 1));
        }
    }

    void offer() {
        double score = scores_[edge_];
        for (const ItemId tail : chosen_) score = add_scores(score, items_[tail].score);
        const bool full = top_.size() == kept_;
        const double needed = full ? power_for(top_.back().item.phi, score) : 0.0;
        const Judgement known = again_ && !changed() ? judgements_[edge_] : Judgement{};
        if (full && known.kind != Judgement::none && !reaches(known.power, needed)) return;
        double power = known.power;
        const bool read = known.kind != Judgement::exact;
        Item<Lanes> item{};
        if (read) {
            sum_tails(item);
            const double factor = length_factor(item.length);
            if (full && !reaches(judge(bound(item, factor), Judgement::bounded), needed)) return;
            item.right = read_target();
            power = judge(gain_.power(matches_, factor), Judgement::exact);
            if (full && !reaches(power, needed)) return;
            item.matches = matches_;
        }
        item.phi = score + gain_weight_ * gain_.gain(power);
        if (full && !(item.phi > top_.back().item.phi)) return;
        item.score = score;
        item.edge = edge_;
        insert(item, read);
    }

    // Whether a tail is not what it was in the search before.
    [[nodiscard]] bool changed() const {
        return std::ranges::any_of(tails_, [this](NodeId tail) { return changed_[tail] != 0; });
    }

    double judge(double power, typename Judgement::Kind kind) {
        if (kept_ == 1) judgements_[edge_] = {power, kind};
        return power;
    }

    // The length, and the matches within the tails.
    void sum_tails(Item<Lanes>& item) {
        auto length = static_cast<std::int64_t>(forest_.target(edge_).size() - tails_.size());
        matches_.fill(0);
        for (const ItemId tail : chosen_) {
            const Item<Lanes>& own = items_[tail];
            length += own.length;
            for (std::size_t k = 0; k < Lanes; ++k) matches_[k] += own.matches[k];
        }
        item.length = static_cast<std::int32_t>(std::min(length, max_length));
        if (chosen_.size() > 1)
            counts_.for_each_excess(chosen_, [&](int depth, std::int64_t more) {
                matches_[depth - 1] -= static_cast<std::int32_t>(more);
            });
    }

    // BLEU^K of a derivation with this score and phi. What is rounded in another way must not be
    // cut off.
    [[nodiscard]] double power_for(double phi, double score) const {
        return gain_.power_of((phi - 1e-9 - score) * bleu_per_phi_ + gain_.before());
    }
    [[nodiscard]] bool reaches(double power, double needed) const {
        return gain_weight_ >= 0.0 ? !(power < needed) : !(power > needed);
    }

    // Of BLEU^K, before k-grams are looked for that are in none of the tails: for a hope all of
    // them match, for a fear none.
    [[nodiscard]] double bound(const Item<Lanes>& item, double factor) const {
        if (gain_weight_ < 0.0) return gain_.power(matches_, factor);
        Matches most = matches_;
        add_kgrams(item.length, 1, most);
        for (const ItemId tail : chosen_) add_kgrams(items_[tail].length, -1, most);
        return gain_.power(most, factor);
    }

    void add_kgrams(std::int32_t length, std::int32_t sign, Matches& sum) const {
        for (std::size_t k = 0; k < Lanes; ++k)
            sum[k] += sign * std::max(length - before_kgram_[k], 0);
    }

    // Count the k-grams that are in none of the tails. The state is that after the whole string.
    State read_target() {
        for (const State added : added_) times_added_[added] = 0;
        added_.clear();
        State state = ReferenceAutomaton::root;
        const WordId* word = words_.data() + forest_.target_begin()[edge_];
        for (const Symbol symbol : forest_.target(edge_)) {
            state = is_slot(symbol) ? read_tail(items_[chosen_[slot_of(symbol)]], state)
                                    : read_word(*word, state);
            ++word;
        }
        return state;
    }

    State read_word(WordId word, State state) {
        state = automaton_.next(state, word);
        for (State s = state; s != ReferenceAutomaton::root; s = automaton_.shorter(s)) add(s);
        return state;
    }

    // Of the k-grams that end within the tail, those that begin there were counted there. Once
    // none goes on from before the tail, none will.
    State read_tail(const Item<Lanes>& tail, State state) {
        const int size = std::min(tail.length, order_ - 1);
        for (int i = 0; i < size; ++i) {
            state = automaton_.extend(state, i, tail.left[i]);
            if (state == ReferenceAutomaton::none) return tail.right;
            for (State s = state; automaton_.depth(s) > i + 1; s = automaton_.shorter(s)) add(s);
        }
        return tail.length > size ? tail.right : state;
    }

    void add(State state) {
        if (counts_.count(state, chosen_) + times_added_[state] >= automaton_.limit(state)) return;
        ++times_added_[state];
        ++matches_[automaton_.depth(state) - 1];
        added_.push_back(state);
    }

    // Among the best of the node, in the order of phi; of equals the one that came first.
    void insert(Item<Lanes>& item, bool read) {
        if (top_.size() == kept_) top_.pop_back();
        const auto first_added = static_cast<std::uint32_t>(top_added_.size());
        if (read) top_added_.insert(top_added_.end(), added_.begin(), added_.end());
        const auto last_added = static_cast<std::uint32_t>(top_added_.size());
        item.ranks = static_cast<std::uint32_t>(ranks_.size());
        if (kept_ > 1)  // otherwise all are 0
            for (std::size_t slot = 0; slot < tails_.size(); ++slot)
                ranks_.push_back(chosen_[slot] - first_[tails_[slot]]);
        const auto at = std::ranges::upper_bound(top_, item.phi, std::ranges::greater(),
                                                 [](const Candidate& one) { return one.item.phi; });
        top_.insert(at, {item, first_added, last_added, read});
    }

    // Go back to the edge and the tails of a candidate, and give the k-grams that it adds to them.
    std::span<const State> go_back(Candidate& one) {
        set_edge(one.item.edge);
        for (std::size_t slot = 0; slot < tails_.size(); ++slot)
            chosen_[slot] = first_[tails_[slot]] + (kept_ > 1 ? ranks_[one.item.ranks + slot] : 0);
        if (one.read)
            return std::span(top_added_).subspan(one.first_added, one.last_added - one.first_added);
        sum_tails(one.item);
        one.item.right = read_target();
        one.item.matches = matches_;
        return added_;
    }

    void keep() {
        for (Candidate& one : top_) {
            const auto added = go_back(one);
            counts_.push_back(chosen_, added);
            read_left(one.item);
            items_.push_back(one.item);
        }
        first_.push_back(static_cast<ItemId>(items_.size()));
        top_.clear();
        top_added_.clear();
    }

    // The same for a node whose best derivation the last search found: most stay as they are.
    void replace() {
        Candidate& one = top_.front();
        Item<Lanes>& before = items_[first_[node_]];
        set_edge(one.item.edge);
        changed_[node_] = before.edge != one.item.edge || changed();
        if (changed_[node_]) {
            const auto added = go_back(one);
            counts_.replace(first_[node_], chosen_, added);
            read_left(one.item);
            before = one.item;
        } else {
            before.score = one.item.score;
            before.phi = one.item.phi;
        }
        top_.clear();
        top_added_.clear();
    }

    void read_left(Item<Lanes>& item) const {
        const int size = std::min(item.length, order_ - 1);
        const WordId* word = words_.data() + forest_.target_begin()[item.edge];
        int done = 0;
        for (const Symbol symbol : forest_.target(item.edge)) {
            if (done == size) return;
            if (is_slot(symbol)) {
                const Item<Lanes>& tail = items_[chosen_[slot_of(symbol)]];
                for (int i = 0; i < tail.length && done < size; ++i)
                    item.left[done++] = tail.left[i];
            } else {
                item.left[done++] = *word;
            }
            ++word;
        }
    }

    Reranked found() const {
        Reranked result;
        const NodeId root = forest_.root();
        for (std::size_t i = first_[root]; i < items_.size(); ++i) {
            const Item<Lanes>& item = items_[i];
            const auto choose = [&](NodeId node, std::uint32_t rank) {
                const Item<Lanes>& one = items_[first_[node] + rank];
                const std::size_t size = kept_ > 1 ? forest_.tails(one.edge).size() : 0;
                return Choice{one.edge, std::span(ranks_).subspan(one.ranks, size)};
            };
            const auto rank = static_cast<std::uint32_t>(i - first_[root]);
            if (item.length == max_length) fail_derivation_size();
            result.derivations.push_back(collect_derivation(forest_, rank, choose), item.phi);
            result.scores.push_back(item.score);
            auto& rows = result.statistics;
            for (int k = 0; k < order_; ++k) rows.push_back(item.matches[k]);
            for (int k = 0; k < order_; ++k) rows.push_back(std::max(item.length - k, 0));
            rows.push_back(
                references_.reference_length(sentence_, static_cast<std::size_t>(item.length)));
        }
        return result;
    }

    const Forest& forest_;
    const BleuReferences& references_;
    std::size_t sentence_;
    ReferenceAutomaton automaton_;
    DocumentGain<Lanes> gain_;
    int order_;
    double per_source_word_ = 0.0;
    std::vector<WordId> words_;  // by symbol of all target sides, in the references' numbers
    std::array<std::int32_t, Lanes> before_kgram_;  // words: n_k is the length without them
    std::vector<LengthFactors> factors_;            // by source words covered
    LengthFactors root_factors_;
    LengthFactors other_factors_;  // of a node that covers more than there are words

    // Of a search.
    std::span<const double> scores_;
    double gain_weight_ = 0.0;
    double bleu_per_phi_ = 0.0;
    std::size_t kept_ = 0;
    bool remembered_ = false;            // the last search can be gone on from
    bool again_ = false;                 // and is
    std::vector<Judgement> judgements_;  // by edge
    std::vector<char> changed_;          // by node: not the derivation of the search before
    std::vector<Item<Lanes>> items_;
    ClippedCounts counts_;       // of items
    std::vector<ItemId> first_;  // the items of node v are first_[v] .. first_[v + 1]
    std::vector<std::uint32_t> ranks_;

    // Of the node that is looked at.
    NodeId node_ = 0;
    LengthFactors* node_factors_ = nullptr;
    std::vector<Candidate> top_;
    std::vector<State> top_added_;

    // Of the derivation that is looked at.
    EdgeId edge_ = 0;
    std::span<const NodeId> tails_;
    std::vector<ItemId> chosen_;
    Matches matches_;
    std::vector<State> added_;               // the k-grams that are in none of its tails and match
    std::vector<std::int32_t> times_added_;  // of each state
};

ForestReranker::ForestReranker(const Forest& forest, const BleuReferences& references,
                               std::size_t sentence, std::span<const WordId> numbers,
                               std::span<const double> document) {
    check_forest_numbers(forest, numbers, sentence, *references.references());
    if (document.size() != references.dimension())
        fail<DataError>("the document has ", document.size(), " statistics, the references give ",
                        references.dimension());
    const auto make = [&]<std::size_t Lanes>() {
        search_ =
            std::make_unique<SearchIn<Lanes>>(forest, references, sentence, numbers, document);
    };
    if (references.order() <= 4)
        make.operator()<4>();
    else
        make.operator()<ReferenceAutomaton::max_order>();
}
ForestReranker::~ForestReranker() = default;
ForestReranker::ForestReranker(ForestReranker&&) noexcept = default;

Reranked ForestReranker::find(std::span<const double> scores, double gain_weight,
                              std::size_t kept) {
    if (kept == 0) fail<ConfigError>("at least one derivation has to be kept, got 0");
    if (!std::isfinite(gain_weight))
        fail<ConfigError>("the weight of the gain has to be finite, got ", gain_weight);
    return search_->find(scores, gain_weight, kept);
}

}  // namespace hopefear
