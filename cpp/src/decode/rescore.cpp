#include "hopefear/decode/rescore.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/part_scorer.hpp"
#include "hopefear/decode/pop_shares.hpp"
#include "hopefear/metrics/kgram_composer.hpp"

namespace hopefear {

void RescoredChart::clear() {
    nodes.clear();
    edges.clear();
    tails.clear();
    log10.clear();
    ngrams.clear();
    first_ngram.clear();
}

void RescoredChart::fail_log10() {
    fail<ForestError>("a language model returned a log probability that is not finite");
}

class Rescorer::Search {
  public:
    Search(const LanguageModels& models, const NgramFeatures& ngrams, RescoreOptions options);
    const RescoredChart& rescore(const Chart& chart, const SentenceWords& words,
                                 const NonlocalWeights& weights);

  private:
    // A way to build a node: a rule of a bundle and a split node for each of its tails, all by
    // their ranks: `ranks_` has a row for each number. The larger `order` is, the better: by
    // priority, and among equals the earlier number. An integer, as comparisons of doubles and then
    // of numbers take several times as long.
    class Candidate {
      public:
        Candidate(double priority, std::uint32_t number, std::uint32_t bundle)
            : order_(static_cast<Order>(ordered(priority)) << 64 |
                     static_cast<Order>(~number) << 32 | bundle) {}

        [[nodiscard]] double priority() const {
            const auto bits = static_cast<std::uint64_t>(order_ >> 64);
            return std::bit_cast<double>(bits >> 63 != 0 ? bits ^ sign : ~bits);
        }
        [[nodiscard]] std::uint32_t number() const {
            return ~static_cast<std::uint32_t>(order_ >> 32);
        }
        [[nodiscard]] std::uint32_t bundle() const { return static_cast<std::uint32_t>(order_); }
        [[nodiscard]] bool operator<(const Candidate& other) const { return order_ < other.order_; }

      private:
        __extension__ using Order = unsigned __int128;
        static constexpr std::uint64_t sign = std::uint64_t{1} << 63;

        // A number that is larger the larger the double is.
        static std::uint64_t ordered(double x) {
            const auto bits = std::bit_cast<std::uint64_t>(x);
            return bits >> 63 != 0 ? ~bits : bits | sign;
        }

        Order order_;
    };
    // What the rank of a rule or a tail of a bundle counts.
    struct Choice {
        std::uint32_t first;  // of the split nodes in order_
        std::uint32_t count;
    };
    static constexpr std::size_t first_table_size = 512;
    // Enough for rules of three nonterminals: a row of a known length is copied at once.
    static constexpr std::size_t usual_stride = 4;

    void mark_needed();
    void rescore_node(std::uint32_t node);
    void begin_node(const Chart::Node& node);
    Candidate pop();
    void replace_top(const Candidate& candidate);
    void push(const Candidate& candidate);
    void take(const Candidate& candidate, std::uint32_t chart_node);
    double score_states(const Chart::Bundle& bundle, const ScoredRule& rule,
                        std::span<const std::uint32_t> tails);
    double score_ngrams(const Chart::Bundle& bundle, const ScoredRule& rule,
                        std::span<const std::uint32_t> tails);
    std::uint32_t find_node(std::uint32_t chart_node);
    [[nodiscard]] bool has_new_states(std::uint32_t node) const;
    void grow_table();
    void finish_node(std::uint32_t node);

    const LanguageModels* models_;
    const NgramFeatures* ngrams_;
    std::size_t model_count_;
    bool has_ngrams_;
    bool only_key_;  // a state is one key, whose hash no other key has
    KgramComposer composer_;
    RescoreOptions options_;

    const Chart* chart_ = nullptr;
    const SentenceWords* words_ = nullptr;
    std::vector<LanguageModels::Numbers> numbers_;  // of its words, by language model
    NonlocalWeights weights_;
    RescoredChart out_;
    std::vector<char> needed_;  // by node of the chart: is it part of a derivation of the root?
    PopShares pops_;
    std::vector<PartScorer> scorers_;   // by language model
    std::vector<PartState> states_;     // by split node and language model
    std::vector<KgramEnds> ends_;       // by split node, if there are n-grams
    std::vector<std::uint32_t> order_;  // the split nodes of each node of the chart, best first
    std::vector<double> scores_;        // of the nodes in order_
    std::vector<Choice> splits_;        // by node of the chart

    // The candidates of the present node.
    std::vector<Candidate> heap_;    // the best on top
    std::vector<Candidate> popped_;  // in this order
    std::uint32_t candidates_ = 0;
    std::size_t width_ = 0;   // of the following rows: one for the rule, one for each tail
    std::size_t stride_ = 0;  // from one row of ranks to the next
    std::vector<std::uint32_t> ranks_;  // a row for each candidate, and room for more
    std::vector<Choice> choices_;       // a row for each bundle
    std::uint32_t first_bundle_ = 0;
    std::vector<PartState> new_states_;
    KgramEnds new_ends_;
    std::vector<float> new_log10_;
    // The split nodes of the present node by their states: open addressing, half empty.
    std::vector<std::uint32_t> table_;
    std::vector<std::uint64_t> hashes_;  // of the split nodes of the present node
    std::vector<std::pair<double, std::uint32_t>> sorted_;
    std::size_t first_ = 0;  // of them
    double best_ = 0.0;      // the best score among them
};

Rescorer::Search::Search(const LanguageModels& models, const NgramFeatures& ngrams,
                         RescoreOptions options)
    : models_(&models),
      ngrams_(&ngrams),
      model_count_(models.size()),
      has_ngrams_(ngrams.size() > 0),
      only_key_(model_count_ == 1 && !has_ngrams_),
      composer_(ngrams.automaton()),
      options_(options) {
    if (options.pop_limit == 0) options_.pop_limit = std::numeric_limits<std::size_t>::max();
    if (!(options.beam >= 0.0))
        fail<ConfigError>("the beam must not be negative, got ", options.beam);
    for (std::size_t i = 0; i < model_count_; ++i) scorers_.emplace_back((*models_)[i]);
    new_states_.resize(model_count_);
    new_log10_.resize(model_count_);
}

const RescoredChart& Rescorer::Search::rescore(const Chart& chart, const SentenceWords& words,
                                               const NonlocalWeights& weights) {
    chart_ = &chart;
    words_ = &words;
    weights_ = weights;
    out_.clear();
    if (has_ngrams_) out_.first_ngram.push_back(0);
    numbers_.clear();
    for (std::size_t i = 0; i < model_count_; ++i) numbers_.push_back(models_->numbers(i, words));
    states_.clear();
    ends_.clear();
    order_.clear();
    scores_.clear();
    for (PartScorer& scorer : scorers_) scorer.begin();
    splits_.assign(chart.nodes.size(), {0, 0});
    mark_needed();
    pops_.share(chart, needed_, options_.pop_limit);
    for (std::uint32_t node = 0; node <= chart.root; ++node)
        if (needed_[node]) rescore_node(node);
    return out_;
}

void Rescorer::Search::mark_needed() {
    needed_.assign(chart_->nodes.size(), 0);
    needed_[chart_->root] = 1;
    for (std::uint32_t node = chart_->root + 1; node-- > 0;) {
        if (!needed_[node]) continue;
        for (const Chart::Bundle& bundle : chart_->bundles_of(chart_->nodes[node]))
            for (const std::uint32_t tail : chart_->tails_of(bundle)) needed_[tail] = 1;
    }
}

void Rescorer::Search::rescore_node(std::uint32_t node) {
    first_ = out_.nodes.size();
    table_.assign(first_table_size, RescoredChart::none);
    hashes_.clear();
    begin_node(chart_->nodes[node]);
    best_ = -std::numeric_limits<double>::infinity();
    if (options_.beam > 0.0) {
        // Later candidates promise even less than the first of the heap.
        for (std::size_t taken = 0; !heap_.empty() && taken < pops_[node] &&
                                    heap_.front().priority() >= best_ - options_.beam;
             ++taken)
            take(pop(), node);
    } else {
        // Their order does not depend on their scores. All at once, they stay in the cache.
        popped_.clear();
        while (!heap_.empty() && popped_.size() < pops_[node]) popped_.push_back(pop());
        for (const Candidate& candidate : popped_) take(candidate, node);
    }
    finish_node(node);
}

// Push the best candidate of each bundle.
void Rescorer::Search::begin_node(const Chart::Node& node) {
    heap_.clear();
    choices_.clear();
    candidates_ = 0;
    first_bundle_ = node.first_bundle;
    width_ = 1;
    for (const Chart::Bundle& bundle : chart_->bundles_of(node))
        width_ = std::max(width_, static_cast<std::size_t>(bundle.arity) + 1);
    for (std::uint32_t bundle = node.first_bundle; bundle < node.last_bundle; ++bundle) {
        const Chart::Bundle& own = chart_->bundles[bundle];
        double priority = own.priority;
        choices_.push_back({0, own.rule_count});
        for (const std::uint32_t tail : chart_->tails_of(own)) {
            choices_.push_back(splits_[tail]);
            priority += scores_[splits_[tail].first];
        }
        choices_.resize((bundle - node.first_bundle + 1) * width_, {0, 1});
        heap_.emplace_back(priority, candidates_++, bundle);
    }
    std::make_heap(heap_.begin(), heap_.end());
    stride_ = std::max(width_, usual_stride);
    ranks_.resize(std::max(ranks_.size(), candidates_ * stride_));
    std::fill_n(ranks_.begin(), candidates_ * stride_, 0u);
}

// Take the best candidate from the heap and put its successors there, in which one rank is raised
// by one. Each row of ranks has a single predecessor, with its last nonzero rank lowered. The first
// successor takes the place of the candidate on top of the heap.
Rescorer::Search::Candidate Rescorer::Search::pop() {
    const Candidate candidate = heap_.front();
    const Choice* const choices = &choices_[(candidate.bundle() - first_bundle_) * width_];
    const std::size_t row = candidate.number() * stride_;
    std::size_t slot = width_ - 1;
    while (slot > 0 && ranks_[row + slot] == 0) --slot;
    bool on_top = true;
    // Room for all successors at once: never smaller again, and not filled.
    if ((candidates_ + width_) * stride_ > ranks_.size())
        ranks_.resize(2 * (candidates_ + width_) * stride_);
    for (; slot < width_; ++slot) {
        const std::uint32_t rank = ranks_[row + slot];
        if (rank + 1 == choices[slot].count) continue;
        double priority = candidate.priority();
        if (slot == 0) {
            const ScoredRule* const rule = &chart_->bundles[candidate.bundle()].rules->rules[rank];
            priority += static_cast<double>(rule[1].priority) - rule[0].priority;
        } else {
            const double* const scores = &scores_[choices[slot].first + rank];
            priority += scores[1] - scores[0];
        }
        std::uint32_t* const ranks = &ranks_[candidates_ * stride_];
        std::memcpy(ranks, &ranks_[row], usual_stride * sizeof *ranks);
        for (std::size_t i = usual_stride; i < width_; ++i) ranks[i] = ranks_[row + i];
        ++ranks[slot];
        const Candidate successor(priority, candidates_++, candidate.bundle());
        if (std::exchange(on_top, false))
            replace_top(successor);
        else
            push(successor);
    }
    if (on_top) {
        const Candidate last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) replace_top(last);
    }
    return candidate;
}

void Rescorer::Search::replace_top(const Candidate& candidate) {
    Candidate* const heap = heap_.data();
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    std::size_t below = 1;
    for (; below + 1 < size; below = 2 * at + 1) {
        below += heap[below] < heap[below + 1] ? 1 : 0;
        if (!(candidate < heap[below])) break;
        heap[at] = heap[below];
        at = below;
    }
    if (below + 1 == size && candidate < heap[below]) {
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = candidate;
}

void Rescorer::Search::push(const Candidate& candidate) {
    std::size_t at = heap_.size();
    heap_.push_back(candidate);
    while (at > 0) {
        const std::size_t above = (at - 1) / 2;
        if (!(heap_[above] < candidate)) break;
        heap_[at] = heap_[above];
        at = above;
    }
    heap_[at] = candidate;
}

void Rescorer::Search::take(const Candidate& candidate, std::uint32_t chart_node) {
    const Chart::Bundle& bundle = chart_->bundles[candidate.bundle()];
    const std::uint32_t* const ranks = &ranks_[candidate.number() * stride_];
    const Choice* const choices = &choices_[(candidate.bundle() - first_bundle_) * width_];
    const std::uint32_t rank = ranks[0];
    const ScoredRule& rule = bundle.rules->rules[rank];
    const auto first_tail = static_cast<std::uint32_t>(out_.tails.size());
    const std::int32_t arity = bundle.arity;
    for (std::int32_t slot = 1; slot <= arity; ++slot)
        out_.tails.push_back(order_[choices[slot].first + ranks[slot]]);
    const auto parts = std::span(out_.tails).subspan(first_tail);
    double own = rule.score + score_states(bundle, rule, parts);
    if (has_ngrams_) {
        own += score_ngrams(bundle, rule, parts);
        out_.first_ngram.push_back(static_cast<std::uint32_t>(out_.ngrams.size()));
    }
    double score = own;
    for (std::int32_t slot = 1; slot <= arity; ++slot)
        score += scores_[choices[slot].first + ranks[slot]];
    const auto edge = static_cast<std::uint32_t>(out_.edges.size());
    RescoredChart::Node& node = out_.nodes[find_node(chart_node)];
    out_.edges.push_back({own, candidate.bundle(), rank, first_tail, node.first_edge});
    for (const float log10 : new_log10_) out_.log10.push_back(log10);
    node.first_edge = edge;
    best_ = std::max(best_, score);
    if (node.best_edge != RescoredChart::none && score <= node.score) return;
    node.score = score;
    node.best_edge = edge;
}

// The weighted score that the language models add; the new states go to new_states_.
double Rescorer::Search::score_states(const Chart::Bundle& bundle, const ScoredRule& rule,
                                      std::span<const std::uint32_t> tails) {
    const auto target = bundle.rules->target(rule);
    double sum = 0.0;
    for (std::size_t i = 0; i < model_count_; ++i) {
        const auto tail = [&](std::int32_t slot) {
            return states_[tails[slot] * model_count_ + i];
        };
        new_log10_[i] = scorers_[i].score(target, numbers_[i], tail, new_states_[i]);
        sum += weights_.log10[i] * static_cast<double>(new_log10_[i]);
    }
    return sum;
}

// The weighted count of n-grams that end in the rule's words or cross its parts.
double Rescorer::Search::score_ngrams(const Chart::Bundle& bundle, const ScoredRule& rule,
                                      std::span<const std::uint32_t> tails) {
    double sum = 0.0;
    const auto found = [&](KgramEnds::State state) {
        const std::int32_t feature = ngrams_->feature(state);
        if (feature == NgramFeatures::none) return;
        out_.ngrams.push_back(feature);
        sum += weights_.ngrams[feature];
    };
    composer_.start();
    for (const Symbol symbol : bundle.rules->target(rule)) {
        if (is_slot(symbol))
            composer_.add_string(ends_[tails[slot_of(symbol)]], found);
        else
            composer_.add_word(ngrams_->number(symbol, words_->ngrams), found);
    }
    new_ends_ = composer_.ends();
    return sum;
}

// The split node with new_states_ and new_ends_. The root needs no state.
std::uint32_t Rescorer::Search::find_node(std::uint32_t chart_node) {
    const bool root = chart_node == chart_->root;
    if (root && out_.nodes.size() > first_) return static_cast<std::uint32_t>(first_);
    std::uint64_t hash = 0;
    for (const PartState& state : new_states_) hash = hash_combine(hash, state.key());
    if (has_ngrams_) hash = hash_combine(hash, new_ends_.hash());
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    for (; table_[at] != RescoredChart::none; at = (at + 1) & mask)
        if (hashes_[table_[at] - first_] == hash && (only_key_ || has_new_states(table_[at])))
            return table_[at];
    const auto node = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes.push_back({0.0, chart_node, RescoredChart::none, RescoredChart::none});
    states_.insert(states_.end(), new_states_.begin(), new_states_.end());
    if (has_ngrams_) ends_.push_back(new_ends_);
    table_[at] = node;
    hashes_.push_back(hash);
    if (2 * hashes_.size() > table_.size()) grow_table();
    return node;
}

bool Rescorer::Search::has_new_states(std::uint32_t node) const {
    for (std::size_t i = 0; i < model_count_; ++i)
        if (states_[node * model_count_ + i].key() != new_states_[i].key()) return false;
    return !has_ngrams_ || ends_[node] == new_ends_;
}

void Rescorer::Search::grow_table() {
    table_.assign(2 * table_.size(), RescoredChart::none);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
        std::size_t at = hashes_[i] & mask;
        while (table_[at] != RescoredChart::none) at = (at + 1) & mask;
        table_[at] = static_cast<std::uint32_t>(first_ + i);
    }
}

void Rescorer::Search::finish_node(std::uint32_t node) {
    sorted_.clear();
    for (std::size_t i = first_; i < out_.nodes.size(); ++i)
        sorted_.emplace_back(-out_.nodes[i].score, static_cast<std::uint32_t>(i));
    std::ranges::sort(sorted_);
    const auto begin = static_cast<std::uint32_t>(order_.size());
    for (const auto& [negative, split] : sorted_) {
        if (options_.beam > 0.0 && -negative < -sorted_.front().first - options_.beam) break;
        order_.push_back(split);
        scores_.push_back(-negative);
    }
    splits_[node] = {begin, static_cast<std::uint32_t>(order_.size()) - begin};
}

Rescorer::Rescorer(const LanguageModels& models, const NgramFeatures& ngrams,
                   RescoreOptions options)
    : search_(std::make_unique<Search>(models, ngrams, options)) {}
Rescorer::~Rescorer() = default;
Rescorer::Rescorer(Rescorer&&) noexcept = default;

const RescoredChart& Rescorer::rescore(const Chart& chart, const SentenceWords& words,
                                       const NonlocalWeights& weights) {
    return search_->rescore(chart, words, weights);
}

KeptPart::KeptPart(const Chart& chart, const RescoredChart& rescored, bool only_best) {
    const auto old_tails = [&](std::uint32_t number) {
        const RescoredChart::Edge& edge = rescored.edges[number];
        return std::span(rescored.tails)
            .subspan(edge.first_tail, chart.tails_of(chart.bundles[edge.bundle]).size());
    };
    // Top down, so everything comes in reverse order.
    std::vector<NodeId> numbers(rescored.nodes.size(), -1);
    std::size_t tail_count = 0;
    if (!only_best) {
        nodes.reserve(rescored.nodes.size());
        first_edge.reserve(rescored.nodes.size() + 1);
        edges.reserve(rescored.edges.size());
    }
    numbers.back() = 0;
    for (std::size_t i = rescored.nodes.size(); i-- > 0;) {
        if (numbers[i] < 0) continue;
        const RescoredChart::Node& node = rescored.nodes[i];
        nodes.push_back(static_cast<std::uint32_t>(i));
        first_edge.push_back(static_cast<std::uint32_t>(edges.size()));
        auto edge = only_best ? node.best_edge : node.first_edge;
        while (edge != RescoredChart::none) {
            edges.push_back(edge);
            for (const std::uint32_t tail : old_tails(edge)) {
                numbers[tail] = 0;
                ++tail_count;
            }
            edge = only_best ? RescoredChart::none : rescored.edges[edge].next;
        }
    }
    std::ranges::reverse(nodes);
    std::ranges::reverse(edges);
    const auto count = static_cast<std::uint32_t>(edges.size());
    for (std::uint32_t& first : first_edge) first = count - first;
    first_edge.push_back(0);
    std::ranges::reverse(first_edge);

    for (std::size_t i = 0; i < nodes.size(); ++i) numbers[nodes[i]] = static_cast<NodeId>(i);
    tails.reserve(tail_count);
    first_tail.reserve(edges.size() + 1);
    first_tail.push_back(0);
    for (const std::uint32_t edge : edges) {
        for (const std::uint32_t tail : old_tails(edge)) tails.push_back(numbers[tail]);
        first_tail.push_back(static_cast<std::uint32_t>(tails.size()));
    }
}

}  // namespace hopefear
