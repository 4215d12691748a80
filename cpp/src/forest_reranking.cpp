#include "hopefear/forest_reranking.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "hopefear/document_gain.hpp"
#include "hopefear/edge_scores.hpp"
#include "hopefear/error.hpp"
#include "hopefear/reference_derivation.hpp"
#include "hopefear/semiring.hpp"
#include "hopefear/viterbi.hpp"

namespace hopefear {

namespace {

using State = ReferenceAutomaton::State;
using Bits = std::uint64_t;  // of a set of k-grams: a bit for each state of the automaton
constexpr std::size_t block_size = 64;

// Strings of derivations can be exponentially longer than their forest: beyond this length, all
// are of one length.
constexpr std::int64_t max_length = std::int64_t{1} << 40;

// A derivation of a node.
struct Item {
    double phi = impossible;
    double score = 0.0;
    std::int64_t length = 0;
    EdgeId edge = 0;
    State right = ReferenceAutomaton::root;  // after reading the string
    std::size_t ranks = 0;                   // where those of its tails begin
};

// An item that may be kept; of the k-grams that are in no tail, those that match.
struct Candidate : Item {
    std::size_t matches = 0;  // where m_1 .. m_K begin
    std::size_t first_added = 0;
    std::size_t last_added = 0;
};

// The items of all nodes, and by their numbers what is known of their strings.
struct Items {
    std::vector<Item> items;
    std::vector<double> matches;       // m_1 .. m_K
    std::vector<WordId> left;          // the first K - 1 words
    std::vector<std::int32_t> counts;  // of each k-gram, clipped
    std::vector<Bits> present;         // the k-grams whose count is not 0

    void clear() {
        items.clear();
        matches.clear();
        left.clear();
        counts.clear();
        present.clear();
    }
};

// The factors of DocumentGain by length, for nodes that share their reference length.
class LengthFactors {
  public:
    template <class Compute>
    double get(std::int64_t length, const Compute& compute) {
        const auto at = static_cast<std::size_t>(length);
        if (at < factors_.size() && factors_[at] >= 0.0) [[likely]]
            return factors_[at];
        const double factor = compute(length);
        if (at >= max_size) return factor;
        if (at >= factors_.size()) factors_.resize(at + 1, -1.0);
        return factors_[at] = factor;
    }
    void clear() { factors_.clear(); }

  private:
    static constexpr std::size_t max_size = 1024;
    std::vector<double> factors_;  // -1: not known yet
};

}  // namespace

class ForestReranker::Search {
  public:
    Search(const Forest& forest, const BleuReferences& references, std::size_t sentence,
           std::span<const WordId> numbers, std::span<const double> document)
        : forest_(forest),
          references_(references),
          sentence_(sentence),
          automaton_(references.automaton(sentence)),
          gain_(document),
          order_(gain_.order()),
          blocks_(automaton_.size() / block_size + 1),
          matches_(order_),
          bound_(order_) {
        const std::int32_t source = forest.covered(forest.root());
        const double average = references.references()->average_length(sentence);
        per_source_word_ = source > 0 ? average / source : 0.0;
        factors_.resize(std::min(source, max_rows) + 1);
        words_.reserve(forest.targets().size());
        for (const Symbol symbol : forest.targets())
            words_.push_back(is_slot(symbol) ? unknown_word : numbers[symbol]);
    }

    Reranked find(std::span<const double> scores, double gain_weight, std::size_t kept) {
        check_edge_scores(forest_, scores);
        scores_ = scores;
        gain_weight_ = gain_weight;
        kept_ = kept;
        kept_items_.clear();
        ranks_.clear();
        first_.assign(1, 0);
        for (NodeId node = 0; node <= forest_.root(); ++node) {
            begin_node(node);
            for (const EdgeId edge : forest_.edges(node)) {
                if (scores_[edge] == impossible) continue;
                edge_ = edge;
                tails_ = forest_.tails(edge);
                chosen_.resize(tails_.size());
                choose(0, kept_);
            }
            keep();
        }
        if (first_[forest_.root()] == kept_items_.items.size()) fail_impossible();
        return found();
    }

  private:
    static constexpr std::int32_t max_rows = 1024;

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
            length, [this](std::int64_t n) { return gain_.length_factor(n, reference_length(n)); });
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
        const std::size_t first = first_[tails_[slot]];
        const std::size_t available = first_[tails_[slot] + 1] - first;
        for (std::size_t rank = 0; rank < std::min(kept, available); ++rank) {
            chosen_[slot] = first + rank;
            choose(slot + 1, kept / (rank + 1));
        }
    }

    void offer() {
        Candidate item;
        item.score = scores_[edge_];
        item.edge = edge_;
        const auto target = forest_.target(edge_);
        item.length = static_cast<std::int64_t>(target.size() - tails_.size());
        std::ranges::fill(matches_, 0.0);
        for (const std::size_t tail : chosen_) {
            const Item& own = kept_items_.items[tail];
            item.score = add_scores(item.score, own.score);
            item.length += own.length;
            const double* const matches = &kept_items_.matches[tail * order_];
            for (std::size_t k = 0; k < order_; ++k) matches_[k] += matches[k];
        }
        item.length = std::min(item.length, max_length);
        if (chosen_.size() > 1) clip_tails();
        const double factor = length_factor(item.length);
        const bool full = top_.size() == kept_;
        if (full && bound(item, factor) < top_.back().phi) return;
        added_.clear();
        const WordId* word = words_.data() + forest_.target_begin()[edge_];
        for (const Symbol symbol : target) {
            if (is_slot(symbol))
                read_tail(chosen_[slot_of(symbol)], item.right);
            else
                read_word(*word, item.right);
            ++word;
        }
        item.phi = item.score + gain_weight_ * gain_(matches_.data(), factor);
        if (!full || item.phi > top_.back().phi) insert(item);
    }

    // min(a + b, limit) = min(min(a, limit) + min(b, limit), limit): parts may be clipped before
    // they are put together. What is more than the limit is in several of them.
    void clip_tails() {
        for (std::size_t block = 0; block < blocks_; ++block) {
            Bits any = 0;
            Bits several = 0;
            for (const std::size_t tail : chosen_) {
                const Bits own = kept_items_.present[tail * blocks_ + block];
                several |= any & own;
                any |= own;
            }
            for (; several != 0; several &= several - 1) {
                const auto state =
                    static_cast<State>(block * block_size + std::countr_zero(several));
                const std::int64_t more = in_tails(state) - automaton_.limit(state);
                if (more > 0) matches_[automaton_.depth(state) - 1] -= static_cast<double>(more);
            }
        }
    }

    // How often a k-gram is in tails.
    [[nodiscard]] std::int64_t in_tails(State state) const {
        std::int64_t sum = 0;
        for (const std::size_t tail : chosen_)
            sum += kept_items_.counts[tail * automaton_.size() + state];
        return sum;
    }

    // Of the phi of a derivation, before k-grams are looked for that are in none of its tails: for
    // a hope all of them match, for a fear none.
    double bound(const Item& item, double factor) {
        const double* matches = matches_.data();
        if (gain_weight_ > 0.0) {
            for (std::size_t k = 1; k <= order_; ++k) {
                double more = DocumentGain::kgrams(item.length, k);
                for (const std::size_t tail : chosen_)
                    more -= DocumentGain::kgrams(kept_items_.items[tail].length, k);
                bound_[k - 1] = matches_[k - 1] + more;
            }
            matches = bound_.data();
        }
        // What is rounded in another way must not be cut off.
        return item.score + gain_weight_ * gain_(matches, factor) + 1e-9;
    }

    // A k-gram that is in no tail.
    void add(State state) {
        const auto again = std::ranges::count(added_, state);
        if (in_tails(state) + again >= automaton_.limit(state)) return;
        matches_[automaton_.depth(state) - 1] += 1.0;
        added_.push_back(state);
    }

    void read_word(WordId word, State& state) {
        state = automaton_.next(state, word);
        for (State s = state; s != ReferenceAutomaton::root; s = automaton_.shorter(s)) add(s);
    }

    // Of the k-grams that end within the tail, those that begin there were counted there. Once
    // none goes on from before the tail, none will.
    void read_tail(std::size_t tail, State& state) {
        const Item& item = kept_items_.items[tail];
        const auto outer = static_cast<int>(order_) - 1;
        const auto size = static_cast<int>(std::min<std::int64_t>(item.length, outer));
        const WordId* const left = kept_items_.left.data() + tail * (order_ - 1);
        for (int i = 0; i < size; ++i) {
            state = left[i] == unknown_word ? ReferenceAutomaton::none
                                            : automaton_.extend(state, i, left[i]);
            if (state == ReferenceAutomaton::none) {
                state = item.right;
                return;
            }
            for (State s = state; automaton_.depth(s) > i + 1; s = automaton_.shorter(s)) add(s);
        }
        if (item.length > outer) state = item.right;
    }

    // Among the best of the node, in the order of phi; of equals the one that came first.
    void insert(Candidate& item) {
        if (top_.size() == kept_) top_.pop_back();
        item.matches = top_matches_.size();
        top_matches_.insert(top_matches_.end(), matches_.begin(), matches_.end());
        item.first_added = top_added_.size();
        top_added_.insert(top_added_.end(), added_.begin(), added_.end());
        item.last_added = top_added_.size();
        item.ranks = ranks_.size();
        for (std::size_t slot = 0; slot < tails_.size(); ++slot)
            ranks_.push_back(static_cast<std::uint32_t>(chosen_[slot] - first_[tails_[slot]]));
        const auto at =
            std::ranges::upper_bound(top_, item.phi, std::ranges::greater(), &Item::phi);
        top_.insert(at, item);
    }

    void keep() {
        for (const Candidate& item : top_) {
            tails_ = forest_.tails(item.edge);
            chosen_.resize(tails_.size());
            for (std::size_t slot = 0; slot < tails_.size(); ++slot)
                chosen_[slot] = first_[tails_[slot]] + ranks_[item.ranks + slot];
            const double* const matches = top_matches_.data() + item.matches;
            kept_items_.matches.insert(kept_items_.matches.end(), matches, matches + order_);
            keep_counts(std::span(top_added_)
                            .subspan(item.first_added, item.last_added - item.first_added));
            keep_left(item.edge);
            kept_items_.items.push_back(item);
        }
        first_.push_back(kept_items_.items.size());
        top_.clear();
        top_matches_.clear();
        top_added_.clear();
    }

    void keep_counts(std::span<const State> added) {
        const std::size_t size = automaton_.size();
        auto& [items, all_matches, left, counts, present] = kept_items_;
        const std::size_t begin = counts.size();
        counts.resize(begin + size, 0);
        const std::size_t first_block = present.size();
        present.resize(first_block + blocks_, 0);
        for (const std::size_t tail : chosen_) {
            for (std::size_t i = 0; i < size; ++i) counts[begin + i] += counts[tail * size + i];
            for (std::size_t i = 0; i < blocks_; ++i)
                present[first_block + i] |= present[tail * blocks_ + i];
        }
        if (chosen_.size() > 1)
            for (std::size_t i = 0; i < size; ++i)
                counts[begin + i] =
                    std::min(counts[begin + i], automaton_.limit(static_cast<State>(i)));
        for (const State state : added) {
            const auto at = static_cast<std::size_t>(state);
            ++counts[begin + at];
            present[first_block + at / block_size] |= Bits{1} << at % block_size;
        }
    }

    void keep_left(EdgeId edge) {
        auto& left = kept_items_.left;
        const std::size_t end = left.size() + order_ - 1;
        const WordId* word = words_.data() + forest_.target_begin()[edge];
        for (const Symbol symbol : forest_.target(edge)) {
            if (left.size() == end) break;
            if (is_slot(symbol)) {
                const std::size_t tail = chosen_[slot_of(symbol)];
                const auto length = static_cast<std::size_t>(kept_items_.items[tail].length);
                const std::size_t taken = std::min(length, end - left.size());
                for (std::size_t i = 0; i < taken; ++i)
                    left.push_back(left[tail * (order_ - 1) + i]);
            } else {
                left.push_back(*word);
            }
            ++word;
        }
        left.resize(end, unknown_word);
    }

    Reranked found() const {
        Reranked result;
        const NodeId root = forest_.root();
        for (std::size_t i = first_[root]; i < kept_items_.items.size(); ++i) {
            const Item& item = kept_items_.items[i];
            const auto choose = [&](NodeId node, std::uint32_t rank) {
                const Item& one = kept_items_.items[first_[node] + rank];
                return Choice{one.edge,
                              std::span(ranks_).subspan(one.ranks, forest_.tails(one.edge).size())};
            };
            const auto rank = static_cast<std::uint32_t>(i - first_[root]);
            result.derivations.push_back(collect_derivation(forest_, rank, choose), item.phi);
            result.scores.push_back(item.score);
            const double* const matches = kept_items_.matches.data() + i * order_;
            auto& rows = result.statistics;
            rows.insert(rows.end(), matches, matches + order_);
            for (std::size_t k = 1; k <= order_; ++k)
                rows.push_back(DocumentGain::kgrams(item.length, k));
            rows.push_back(
                references_.reference_length(sentence_, static_cast<std::size_t>(item.length)));
        }
        return result;
    }

    const Forest& forest_;
    const BleuReferences& references_;
    std::size_t sentence_;
    ReferenceAutomaton automaton_;
    DocumentGain gain_;
    std::size_t order_;
    std::size_t blocks_;
    double per_source_word_ = 0.0;
    std::vector<WordId> words_;  // by symbol of all target sides, in the references' numbers
    std::vector<LengthFactors> factors_;  // by source words covered
    LengthFactors root_factors_;
    LengthFactors other_factors_;  // of a node that covers more than there are words

    // Of a search.
    std::span<const double> scores_;
    double gain_weight_ = 0.0;
    std::size_t kept_ = 0;
    Items kept_items_;
    std::vector<std::size_t> first_;  // the items of node v are first_[v] .. first_[v + 1]
    std::vector<std::uint32_t> ranks_;

    // Of the node that is looked at.
    NodeId node_ = 0;
    LengthFactors* node_factors_ = nullptr;
    std::vector<Candidate> top_;
    std::vector<double> top_matches_;
    std::vector<State> top_added_;

    // Of the derivation that is looked at.
    EdgeId edge_ = 0;
    std::span<const NodeId> tails_;
    std::vector<std::size_t> chosen_;  // items of the tails
    std::vector<double> matches_;
    std::vector<double> bound_;
    std::vector<State> added_;  // the k-grams that are in no tail and match
};

ForestReranker::ForestReranker(const Forest& forest, const BleuReferences& references,
                               std::size_t sentence, std::span<const WordId> numbers,
                               std::span<const double> document) {
    check_forest_numbers(forest, numbers, sentence, *references.references());
    if (document.size() != references.dimension())
        fail<DataError>("the document has ", document.size(), " statistics, the references give ",
                        references.dimension());
    search_ = std::make_unique<Search>(forest, references, sentence, numbers, document);
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

std::vector<double> derivation_statistics(const WordMetric& metric, const Forest& forest,
                                          std::size_t sentence, std::span<const WordId> numbers,
                                          std::span<const EdgeId> edges,
                                          std::span<const std::int64_t> begin) {
    check_forest_numbers(forest, numbers, sentence, *metric.references());
    if (begin.empty() || begin.front() != 0 || !std::ranges::is_sorted(begin) ||
        begin.back() != static_cast<std::int64_t>(edges.size()))
        fail<DataError>("where derivations begin does not fit ", edges.size(), " edges");
    const WordMetric::Count count = metric.make_count();
    std::vector<double> rows((begin.size() - 1) * metric.dimension(), 0.0);
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
        std::vector<Symbol> words = derivation_words(
            forest, edges.subspan(static_cast<std::size_t>(begin[i]),
                                  static_cast<std::size_t>(begin[i + 1] - begin[i])));
        for (Symbol& word : words) word = numbers[word];
        count(sentence, words, std::span(rows).subspan(i * metric.dimension(), metric.dimension()));
    }
    return rows;
}

}  // namespace hopefear
