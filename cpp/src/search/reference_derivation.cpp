#include "hopefear/search/reference_derivation.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "hopefear/forest/semiring.hpp"
#include "hopefear/forest/viterbi.hpp"
#include "hopefear/metrics/forest_statistics.hpp"

namespace hopefear {

namespace {

// Derivations of parts of a reference: for each node, those of every span of words it can yield.
class Spans {
  public:
    Spans(const Forest& forest, std::span<const WordId> reference, std::span<const WordId> numbers,
          std::span<const double> scores)
        : forest_(forest), reference_(reference), numbers_(numbers), scores_(scores) {}

    std::optional<ScoredDerivation> run() {
        for (NodeId node = 0; node <= forest_.root(); ++node) {
            at_.clear();
            first_.push_back(items_.size());
            for (const EdgeId edge : forest_.edges(node))
                if (scores_[edge] != impossible) add(edge);
        }
        for (std::size_t i = first_.back(); i < items_.size(); ++i)
            if (items_[i].begin == 0 && items_[i].end == reference_.size()) return derivation(i);
        return std::nullopt;
    }

  private:
    struct Item {
        std::size_t begin;
        std::size_t end;
        double score;
        EdgeId edge;
        std::size_t tails;  // beginning of the items of its tails
    };
    // A span covered by the first symbols of a target side; before the first word it may be
    // anywhere.
    struct Part {
        bool somewhere = false;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<std::size_t> tails;
    };

    void add(EdgeId edge) {
        std::vector<Part> parts(1);
        parts[0].tails.resize(forest_.tails(edge).size());
        for (const Symbol symbol : forest_.target(edge)) {
            std::vector<Part> longer;
            for (const Part& part : parts) {
                if (is_slot(symbol))
                    extend_by_tail(part, edge, slot_of(symbol), longer);
                else
                    extend_by_word(part, numbers_[symbol], longer);
            }
            parts = std::move(longer);
        }
        for (const Part& part : parts) {
            if (part.somewhere) {
                keep(edge, part, part.begin, part.end);
                continue;
            }
            for (std::size_t at = 0; at <= reference_.size(); ++at) keep(edge, part, at, at);
        }
    }

    void extend_by_word(const Part& part, WordId word, std::vector<Part>& longer) const {
        const std::size_t from = part.somewhere ? part.end : 0;
        const std::size_t to = part.somewhere ? part.end + 1 : reference_.size();
        for (std::size_t at = from; at < std::min(to, reference_.size()); ++at) {
            if (reference_[at] != word) continue;
            Part next = part;
            if (!part.somewhere) next.begin = at;
            next.somewhere = true;
            next.end = at + 1;
            longer.push_back(std::move(next));
        }
    }

    void extend_by_tail(const Part& part, EdgeId edge, std::int32_t slot,
                        std::vector<Part>& longer) const {
        const NodeId tail = forest_.tails(edge)[slot];
        for (std::size_t i = first_[tail]; i < first_[tail + 1]; ++i) {
            if (part.somewhere && items_[i].begin != part.end) continue;
            Part next = part;
            if (!part.somewhere) next.begin = items_[i].begin;
            next.somewhere = true;
            next.end = items_[i].end;
            next.tails[slot] = i;
            longer.push_back(std::move(next));
        }
    }

    void keep(EdgeId edge, const Part& part, std::size_t begin, std::size_t end) {
        double score = scores_[edge];
        for (const std::size_t tail : part.tails) score = add_scores(score, items_[tail].score);
        const auto [found, added] =
            at_.try_emplace(begin * (reference_.size() + 1) + end, items_.size());
        if (!added && !(score > items_[found->second].score)) return;
        const Item item{begin, end, score, edge, tails_.size()};
        tails_.insert(tails_.end(), part.tails.begin(), part.tails.end());
        if (added)
            items_.push_back(item);
        else
            items_[found->second] = item;
    }

    ScoredDerivation derivation(std::size_t root) const {
        ScoredDerivation found{{}, items_[root].score};
        std::vector<std::size_t> stack{root};
        while (!stack.empty()) {
            const Item& item = items_[stack.back()];
            stack.pop_back();
            if (found.edges.size() == max_derivation_size) fail_derivation_size();
            found.edges.push_back(item.edge);
            for (std::size_t i = forest_.tails(item.edge).size(); i-- > 0;)
                stack.push_back(tails_[item.tails + i]);
        }
        return found;
    }

    const Forest& forest_;
    std::span<const WordId> reference_;
    std::span<const WordId> numbers_;
    std::span<const double> scores_;
    std::vector<Item> items_;
    std::vector<std::size_t> first_;  // the items of node v are first_[v] .. first_[v + 1]
    std::vector<std::size_t> tails_;
    std::unordered_map<std::size_t, std::size_t> at_;  // the item of each span of the node
};

}  // namespace

std::optional<ScoredDerivation> reference_derivation(const Forest& forest,
                                                     const ReferenceWords& references,
                                                     std::size_t sentence,
                                                     std::span<const WordId> numbers,
                                                     std::span<const double> scores) {
    check_forest_numbers(forest, numbers, sentence, references);
    check_edge_scores(forest, scores);
    std::optional<ScoredDerivation> best;
    for (std::size_t r = 0; r < references.count(sentence); ++r) {
        auto found = Spans(forest, references.words(sentence, r), numbers, scores).run();
        if (found && (!best || found->score > best->score)) best = std::move(found);
    }
    return best;
}

}  // namespace hopefear
