#include "hopefear/forest_reranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "hopefear/bleu.hpp"
#include "hopefear/edge_scores.hpp"
#include "hopefear/error.hpp"
#include "hopefear/reference_derivation.hpp"
#include "hopefear/semiring.hpp"
#include "hopefear/viterbi.hpp"

namespace hopefear {

namespace {

using State = ReferenceAutomaton::State;
using Counts = std::span<std::int32_t>;

// The states of an automaton in the order of their depths: a range for each k.
class KGrams {
  public:
    explicit KGrams(const ReferenceAutomaton& automaton)
        : automaton_(automaton), place_(automaton.size()) {
        for (int depth = 1; depth <= automaton.order(); ++depth) {
            end_[depth - 1] = limits_.size();
            for (std::size_t i = 1; i < automaton.size(); ++i) {
                const auto state = static_cast<State>(i);
                if (automaton.depth(state) != depth) continue;
                place_[state] = limits_.size();
                limits_.push_back(automaton.limit(state));
            }
            end_[depth] = limits_.size();
        }
    }

    [[nodiscard]] std::size_t size() const { return limits_.size(); }
    // Count the k-grams with k > `longer` that end where `state` is.
    void count(State state, int longer, Counts counts) const {
        for (; automaton_.depth(state) > longer; state = automaton_.shorter(state))
            ++counts[place_[state]];
    }
    // Clip, and sum up for each k. min(a + b, limit) = min(min(a, limit) + min(b, limit), limit):
    // parts may be clipped before they are put together.
    void clip(Counts counts, std::span<double> matches) const {
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::min(counts[i], limits_[i]);
        for (std::size_t k = 0; k < matches.size(); ++k) {
            std::int64_t sum = 0;
            for (std::size_t i = end_[k]; i < end_[k + 1]; ++i) sum += counts[i];
            matches[k] = static_cast<double>(sum);
        }
    }

  private:
    const ReferenceAutomaton& automaton_;
    std::vector<std::size_t> place_;
    std::vector<std::int32_t> limits_;
    std::array<std::size_t, ReferenceAutomaton::max_order + 1> end_{};
};

// A derivation of a node.
struct Item {
    double phi = impossible;
    double score = 0.0;
    EdgeId edge = 0;
    std::size_t ranks = 0;   // where those of its tails begin
    std::size_t counts = 0;  // where those of its k-grams begin
    std::int64_t length = 0;
    State right = ReferenceAutomaton::root;                             // after reading the string
    std::array<WordId, ReferenceAutomaton::max_order> left{};           // its first K - 1 words
    std::array<std::int32_t, ReferenceAutomaton::max_order> matches{};  // m_1 .. m_K
};

class Search {
  public:
    Search(const Forest& forest, const BleuReferences& references, std::size_t sentence,
           std::span<const WordId> numbers, std::span<const double> scores,
           const Reranking& reranking)
        : forest_(forest),
          references_(references),
          sentence_(sentence),
          numbers_(numbers),
          scores_(scores),
          reranking_(reranking),
          automaton_(references.automaton(sentence)),
          kgrams_(automaton_),
          before_(bleu(reranking.document)),
          sum_(reranking.document.size()) {
        const std::int32_t source = forest.covered(forest.root());
        const double average = references.references()->average_length(sentence);
        per_source_word_ = source > 0 ? average / source : 0.0;
    }

    DerivationList run() {
        first_.push_back(0);
        for (NodeId node = 0; node <= forest_.root(); ++node) {
            for (const EdgeId edge : forest_.edges(node)) {
                if (scores_[edge] == impossible) continue;
                chosen_.assign(forest_.tails(edge).size(), 0);
                choose(edge, 0, reranking_.kept);
            }
            keep();
        }
        if (first_[forest_.root()] == items_.size()) fail_impossible();
        return derivations();
    }

  private:
    // Every choice of derivations of the tails whose ranks r, from 0, have a product of r + 1 of at
    // most `kept`: what is beyond has that many before it already.
    void choose(EdgeId edge, std::size_t tail, std::size_t kept) {
        const auto tails = forest_.tails(edge);
        if (tail == tails.size()) {
            offer(edge);
            return;
        }
        const std::size_t available = first_[tails[tail] + 1] - first_[tails[tail]];
        for (std::size_t rank = 0; rank < std::min(kept, available); ++rank) {
            chosen_[tail] = static_cast<std::uint32_t>(rank);
            choose(edge, tail + 1, kept / (rank + 1));
        }
    }

    const Item& tail_item(EdgeId edge, std::size_t slot) const {
        return items_[first_[forest_.tails(edge)[slot]] + chosen_[slot]];
    }

    void offer(EdgeId edge) {
        Item item{.score = scores_[edge], .edge = edge};
        for (std::size_t slot = 0; slot < chosen_.size(); ++slot)
            item.score = add_scores(item.score, tail_item(edge, slot).score);
        if (top_.size() == reranking_.kept && bound(item) < top_.back().phi) return;
        counts_.assign(kgrams_.size(), 0);
        for (std::size_t slot = 0; slot < chosen_.size(); ++slot) {
            const std::int32_t* const own = item_counts_.data() + tail_item(edge, slot).counts;
            for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += own[i];
        }
        for (const Symbol symbol : forest_.target(edge)) {
            if (is_slot(symbol))
                add_tail(tail_item(edge, slot_of(symbol)), item);
            else
                add_word(numbers_[symbol], 0, item);
        }
        const BleuStatistics<double> b(sum_);
        kgrams_.clip(counts_, b.matches());
        for (std::size_t k = 0; k < b.order(); ++k)
            item.matches[k] = static_cast<std::int32_t>(b.matches()[k]);
        item.phi = item.score + reranking_.gain_weight * gain(item.edge, item.length);
        insert(item);
    }

    // Of the phi of a derivation, before its k-grams are counted. For a hope, all k-grams that are
    // in no tail match; for a fear none does, and those of the tails but one are clipped away.
    double bound(const Item& item) {
        const BleuStatistics<double> b(sum_);
        const bool hope = reranking_.gain_weight > 0.0;
        std::int64_t length = static_cast<std::int64_t>(forest_.target(item.edge).size()) -
                              static_cast<std::int64_t>(chosen_.size());
        for (std::size_t slot = 0; slot < chosen_.size(); ++slot)
            length += tail_item(item.edge, slot).length;
        for (std::size_t k = 1; k <= b.order(); ++k) {
            double matches = hope ? total(length, k) : 0.0;
            for (std::size_t slot = 0; slot < chosen_.size(); ++slot) {
                const Item& tail = tail_item(item.edge, slot);
                const double own = tail.matches[k - 1];
                matches = hope ? matches + own - total(tail.length, k) : std::max(matches, own);
            }
            b.matches(k) = matches;
        }
        // What is rounded in another way must not be cut off.
        return item.score + reranking_.gain_weight * gain(item.edge, length) + 1e-9;
    }

    static double total(std::int64_t length, std::size_t k) {
        return static_cast<double>(
            std::max<std::int64_t>(0, length - static_cast<std::int64_t>(k) + 1));
    }

    void add_word(WordId word, int within, Item& item) {
        item.right = automaton_.next(item.right, word);
        kgrams_.count(item.right, within, counts_);
        if (item.length < automaton_.order() - 1) item.left[item.length] = word;
        ++item.length;
    }

    void add_tail(const Item& tail, Item& item) {
        const int outer = automaton_.order() - 1;
        const auto size = static_cast<int>(std::min<std::int64_t>(tail.length, outer));
        const std::int64_t before = item.length;
        // Of the k-grams that end within the tail, those that begin there were counted there.
        for (int i = 0; i < size; ++i) add_word(tail.left[i], i + 1, item);
        if (tail.length > outer) item.right = tail.right;
        item.length = before + tail.length;
    }

    // B, from the matches in sum_.
    double gain(EdgeId edge, std::int64_t length) {
        const BleuStatistics<double> b(sum_);
        for (std::size_t k = 1; k <= b.order(); ++k) b.total(k) = total(length, k);
        b.reference_length() = reference_length(edge, length);
        for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += reranking_.document[i];
        const double size = BleuStatistics<const double>(reranking_.document).hypothesis_length();
        return size * (bleu(sum_) - before_);
    }

    double reference_length(EdgeId edge, std::int64_t length) const {
        const NodeId node = forest_.head(edge);
        if (node == forest_.root())
            return references_.reference_length(sentence_, static_cast<std::size_t>(length));
        return per_source_word_ > 0.0 ? per_source_word_ * forest_.covered(node)
                                      : static_cast<double>(length);
    }

    // Among the best of the node, in the order of phi; of equals the one that came first.
    void insert(Item& item) {
        if (top_.size() == reranking_.kept) {
            if (!(item.phi > top_.back().phi)) return;
            free_.push_back(top_.back().counts);
            top_.pop_back();
        }
        if (free_.empty()) {
            free_.push_back(top_counts_.size());
            top_counts_.resize(top_counts_.size() + kgrams_.size());
        }
        item.counts = free_.back();
        free_.pop_back();
        std::ranges::copy(counts_, top_counts_.begin() + static_cast<std::ptrdiff_t>(item.counts));
        item.ranks = ranks_.size();
        ranks_.insert(ranks_.end(), chosen_.begin(), chosen_.end());
        const auto at =
            std::ranges::upper_bound(top_, item.phi, std::ranges::greater(), &Item::phi);
        top_.insert(at, item);
    }

    void keep() {
        for (Item& item : top_) {
            const auto own = top_counts_.begin() + static_cast<std::ptrdiff_t>(item.counts);
            item.counts = item_counts_.size();
            item_counts_.insert(item_counts_.end(), own,
                                own + static_cast<std::ptrdiff_t>(kgrams_.size()));
            items_.push_back(item);
        }
        first_.push_back(items_.size());
        top_.clear();
        free_.clear();
        top_counts_.clear();
    }

    DerivationList derivations() const {
        DerivationList list;
        const auto item = [&](NodeId node, std::uint32_t rank) -> const Item& {
            return items_[first_[node] + rank];
        };
        const NodeId root = forest_.root();
        for (std::uint32_t rank = 0; first_[root] + rank < items_.size(); ++rank)
            list.push_back(collect_derivation(
                               forest_, rank,
                               [&](NodeId node, std::uint32_t r) {
                                   const Item& found = item(node, r);
                                   return Choice{found.edge, std::span(ranks_).subspan(
                                                                 found.ranks,
                                                                 forest_.tails(found.edge).size())};
                               }),
                           item(root, rank).phi);
        return list;
    }

    const Forest& forest_;
    const BleuReferences& references_;
    std::size_t sentence_;
    std::span<const WordId> numbers_;
    std::span<const double> scores_;
    Reranking reranking_;
    ReferenceAutomaton automaton_;
    KGrams kgrams_;
    double before_;
    double per_source_word_ = 0.0;

    std::vector<Item> items_;
    std::vector<std::size_t> first_;  // the items of node v are first_[v] .. first_[v + 1]
    std::vector<std::int32_t> item_counts_;
    std::vector<std::uint32_t> ranks_;

    // Of the node that is looked at.
    std::vector<Item> top_;
    std::vector<std::int32_t> top_counts_;
    std::vector<std::size_t> free_;  // places in top_counts_

    // Of the derivation that is looked at.
    std::vector<std::uint32_t> chosen_;
    std::vector<std::int32_t> counts_;
    std::vector<double> sum_;
};

}  // namespace

DerivationList rerank_forest(const Forest& forest, const BleuReferences& references,
                             std::size_t sentence, std::span<const WordId> numbers,
                             std::span<const double> scores, const Reranking& reranking) {
    check_forest_numbers(forest, numbers, sentence, *references.references());
    check_edge_scores(forest, scores);
    if (reranking.document.size() != references.dimension())
        fail<DataError>("the document has ", reranking.document.size(),
                        " statistics, the references give ", references.dimension());
    if (reranking.kept == 0) fail<ConfigError>("at least one derivation has to be kept, got 0");
    if (!std::isfinite(reranking.gain_weight))
        fail<ConfigError>("the weight of the gain has to be finite, got ", reranking.gain_weight);
    return Search(forest, references, sentence, numbers, scores, reranking).run();
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
