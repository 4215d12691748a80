#include "hopefear/search/forest_reranking.hpp"

#include <algorithm>
#include <cmath>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/semiring.hpp"
#include "hopefear/forest/viterbi.hpp"
#include "hopefear/metrics/forest_statistics.hpp"
#include "hopefear/search/part_gain.hpp"
#include "hopefear/search/string_composer.hpp"

namespace hopefear {

namespace {

using State = ReferenceAutomaton::State;
using ItemId = ClippedCounts::String;

// A derivation of a node. All that is read of a tail lies in one cache line.
template <std::size_t Lanes>
struct Item : ComposedString<Lanes> {
    EdgeId edge;
    double score;
    double phi;
    std::uint32_t ranks;  // beginning of the ranks of its tails
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
          gain_(document),
          lengths_(forest, references, sentence),
          strings_(forest, references.automaton(sentence), numbers) {}

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
            node_ = node;
            lengths_.begin(node);
            for (const EdgeId edge : forest_.edges(node)) {
                if (scores_[edge] == impossible) continue;
                set_edge(edge);
                kept_ == 1 ? choose_first() : choose(0, kept_);
            }
            again_ ? replace() : keep();
        }
        if (first_[forest_.root()] == items_.size()) fail_impossible();
        remembered_ = kept == 1 && items_.size() == forest_.node_count();
        return found();
    }

  private:
    // A derivation that may be kept, and its matching k-grams that are in none of its tails.
    struct Candidate {
        Item<Lanes> item{};
        std::uint32_t first_added;
        std::uint32_t last_added;
        bool read;  // whether its string has been read
    };
    // What the previous search found about BLEU^K of an edge with the same tails.
    struct Judgement {
        enum Kind : std::int32_t { none, bounded, exact };
        double power = 0.0;
        Kind kind = none;
    };

    void clear() {
        items_.clear();
        strings_.counts().clear();
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

    // Try every choice of derivations of the tails whose ranks r, counted from 0, have a product of
    // r + 1 of at most `kept`: any other choice has that many better ones.
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

    // The same if one derivation is kept.
    void choose_first() {
        for (std::size_t slot = 0; slot < tails_.size(); ++slot) {
            chosen_[slot] = first_[tails_[slot]];
            if (chosen_[slot] == first_[tails_[slot] + 1]) return;
        }
        offer();
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
            strings_.add_tails(edge_, chosen_, items_, item);
            const double factor = lengths_.factor(gain_, item.length);
            if (full && !reaches(judge(bound(item, factor), Judgement::bounded), needed)) return;
            strings_.read(edge_, chosen_, items_, item);
            power = judge(gain_.power(item.matches, factor), Judgement::exact);
            if (full && !reaches(power, needed)) return;
        }
        item.phi = score + gain_weight_ * gain_.gain(power);
        if (full && !(item.phi > top_.back().item.phi)) return;
        item.score = score;
        item.edge = edge_;
        insert(item, read);
    }

    // Whether a tail has changed since the previous search.
    [[nodiscard]] bool changed() const {
        return std::ranges::any_of(tails_, [this](NodeId tail) { return changed_[tail] != 0; });
    }

    double judge(double power, typename Judgement::Kind kind) {
        if (kept_ == 1) judgements_[edge_] = {power, kind};
        return power;
    }

    // The BLEU^K of a derivation with this score and φ, with a margin for rounding.
    [[nodiscard]] double power_for(double phi, double score) const {
        return gain_.power_of((phi - 1e-9 - score) * bleu_per_phi_ + gain_.before());
    }
    [[nodiscard]] bool reaches(double power, double needed) const {
        return gain_weight_ >= 0.0 ? !(power < needed) : !(power > needed);
    }

    // A bound on BLEU^K before the k-grams that are in none of the tails are read: for a hope all
    // of them match, for a fear none.
    [[nodiscard]] double bound(const Item<Lanes>& item, double factor) const {
        return gain_weight_ < 0.0
                   ? gain_.power(item.matches, factor)
                   : gain_.power(strings_.most_matches(chosen_, items_, item), factor);
    }

    // Insert into the best of the node, sorted by φ; ties go to the first.
    void insert(Item<Lanes>& item, bool read) {
        if (top_.size() == kept_) top_.pop_back();
        const auto first_added = static_cast<std::uint32_t>(top_added_.size());
        const auto added = strings_.added();
        if (read) top_added_.insert(top_added_.end(), added.begin(), added.end());
        const auto last_added = static_cast<std::uint32_t>(top_added_.size());
        item.ranks = static_cast<std::uint32_t>(ranks_.size());
        if (kept_ > 1)  // otherwise all are 0
            for (std::size_t slot = 0; slot < tails_.size(); ++slot)
                ranks_.push_back(chosen_[slot] - first_[tails_[slot]]);
        const auto at = std::ranges::upper_bound(top_, item.phi, std::ranges::greater(),
                                                 [](const Candidate& one) { return one.item.phi; });
        top_.insert(at, {item, first_added, last_added, read});
    }

    // Return to the edge and the tails of a candidate; returns the k-grams that it adds to them.
    std::span<const State> go_back(Candidate& one) {
        set_edge(one.item.edge);
        for (std::size_t slot = 0; slot < tails_.size(); ++slot)
            chosen_[slot] = first_[tails_[slot]] + (kept_ > 1 ? ranks_[one.item.ranks + slot] : 0);
        if (one.read)
            return std::span(top_added_).subspan(one.first_added, one.last_added - one.first_added);
        strings_.add_tails(edge_, chosen_, items_, one.item);
        strings_.read(edge_, chosen_, items_, one.item);
        return strings_.added();
    }

    void keep() {
        for (Candidate& one : top_) {
            const auto added = go_back(one);
            strings_.counts().push_back(chosen_, added);
            strings_.read_left(edge_, chosen_, items_, one.item);
            items_.push_back(one.item);
        }
        first_.push_back(static_cast<ItemId>(items_.size()));
        top_.clear();
        top_added_.clear();
    }

    // The same for a node whose best derivation is known from the previous search: most do not
    // change.
    void replace() {
        Candidate& one = top_.front();
        Item<Lanes>& before = items_[first_[node_]];
        set_edge(one.item.edge);
        changed_[node_] = before.edge != one.item.edge || changed();
        if (changed_[node_]) {
            const auto added = go_back(one);
            strings_.counts().replace(first_[node_], chosen_, added);
            strings_.read_left(edge_, chosen_, items_, one.item);
            before = one.item;
        } else {
            before.score = one.item.score;
            before.phi = one.item.phi;
        }
        top_.clear();
        top_added_.clear();
    }

    [[nodiscard]] Reranked found() const {
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
            if (item.length == strings_.max_length) fail_derivation_size();
            result.derivations.push_back(collect_derivation(forest_, rank, choose), item.phi);
            result.scores.push_back(item.score);
            auto& rows = result.statistics;
            for (int k = 0; k < strings_.order(); ++k) rows.push_back(item.matches[k]);
            for (int k = 0; k < strings_.order(); ++k) rows.push_back(std::max(item.length - k, 0));
            rows.push_back(
                references_.reference_length(sentence_, static_cast<std::size_t>(item.length)));
        }
        return result;
    }

    const Forest& forest_;
    const BleuReferences& references_;
    std::size_t sentence_;
    DocumentGain<Lanes> gain_;
    PartLengths lengths_;
    StringComposer<Lanes> strings_;  // numbered like items

    // For the present search.
    std::span<const double> scores_;
    double gain_weight_ = 0.0;
    double bleu_per_phi_ = 0.0;
    std::size_t kept_ = 0;
    bool remembered_ = false;            // the previous search can be continued
    bool again_ = false;                 // and is continued now
    std::vector<Judgement> judgements_;  // by edge
    std::vector<char> changed_;  // by node: the derivation has changed since the previous search
    std::vector<Item<Lanes>> items_;
    std::vector<ItemId> first_;  // the items of node v are first_[v] .. first_[v + 1]
    std::vector<std::uint32_t> ranks_;

    // For the present node.
    NodeId node_ = 0;
    std::vector<Candidate> top_;
    std::vector<State> top_added_;

    // For the present derivation.
    EdgeId edge_ = 0;
    std::span<const NodeId> tails_;
    std::vector<ItemId> chosen_;
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
    if (kept == 0) fail<ConfigError>("the number of derivations to keep must be at least 1, got 0");
    if (!std::isfinite(gain_weight))
        fail<ConfigError>("the weight of the gain must be finite, got ", gain_weight);
    return search_->find(scores, gain_weight, kept);
}

}  // namespace hopefear
