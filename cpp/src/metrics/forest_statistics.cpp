#include "hopefear/metrics/forest_statistics.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/forest/builder.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/metrics/kgram_composer.hpp"

namespace hopefear {

namespace {

// All that the context of a string needs to know about it.
struct Outside {
    KgramEnds ends;
    // The length of the string if the sentence may be shorter than K - 1 words; otherwise `plenty`.
    std::int32_t length = 0;

    static constexpr std::int32_t plenty = std::numeric_limits<std::int32_t>::max();
    friend bool operator==(const Outside&, const Outside&) = default;
};

struct OutsideHash {
    std::size_t operator()(const Outside& o) const {
        return hash_combine(o.ends.hash(), static_cast<std::uint64_t>(o.length));
    }
};

std::int32_t word_count(const Forest& forest, EdgeId edge) {
    return static_cast<std::int32_t>(forest.target(edge).size() - forest.tails(edge).size());
}

// For each node, the fewest words around its string in any derivation.
std::vector<std::int64_t> fewest_words_around(const Forest& forest) {
    constexpr std::int64_t many = std::numeric_limits<std::int64_t>::max();
    const std::size_t nodes = forest.node_count();
    std::vector<std::int64_t> inside(nodes, many);
    const auto with_tails = [&](EdgeId edge) {
        std::int64_t sum = word_count(forest, edge);
        for (const NodeId tail : forest.tails(edge)) sum += inside[tail];
        return sum;
    };
    for (std::size_t edge = 0; edge < forest.edge_count(); ++edge) {
        std::int64_t& least = inside[forest.head(static_cast<EdgeId>(edge))];
        least = std::min(least, with_tails(static_cast<EdgeId>(edge)));
    }
    std::vector<std::int64_t> around(nodes, many);
    around[forest.root()] = 0;
    for (std::size_t i = forest.edge_count(); i > 0; --i) {
        const auto edge = static_cast<EdgeId>(i - 1);
        const std::int64_t sum = around[forest.head(edge)] + with_tails(edge);
        for (const NodeId tail : forest.tails(edge))
            around[tail] = std::min(around[tail], sum - inside[tail]);
    }
    return around;
}

class Intersection {
  public:
    Intersection(const Forest& forest, const ReferenceAutomaton& automaton,
                 std::span<const WordId> numbers, double reference_length, std::size_t max_edges)
        : forest_(forest),
          numbers_(numbers),
          order_(automaton.order()),
          dimension_(2 * static_cast<std::size_t>(automaton.order()) + 1),
          max_edges_(max_edges),
          automaton_(automaton),
          composer_(automaton),
          around_(fewest_words_around(forest)),
          builder_(forest.words(), forest.feature_names()) {
        const std::int32_t source = forest.covered(forest.root());
        // If the source spans are unknown, rho goes to the root's edges.
        per_source_word_ = source > 0 ? reference_length / source : 0.0;
        rho_at_root_ = source > 0 ? 0.0 : reference_length;
    }

    ForestStatistics run() && {
        first_.push_back(0);
        for (NodeId node = 0; node <= forest_.root(); ++node) {
            split(node);
            first_.push_back(static_cast<NodeId>(outsides_.size()));
        }
        builder_.set_root(static_cast<NodeId>(outsides_.size()) - 1);
        return {std::move(builder_).build(), std::move(edges_), std::move(statistics_)};
    }

  private:
    // An edge into one of the parts of the node that is being split.
    struct Part {
        std::size_t head;
        EdgeId edge;
        std::size_t tails;       // beginning in part_tails_
        std::size_t statistics;  // beginning in part_statistics_
    };

    void split(NodeId node) {
        parts_.clear();
        part_tails_.clear();
        part_statistics_.clear();
        head_of_.clear();
        const std::size_t begin = outsides_.size();
        for (const EdgeId edge : forest_.edges(node)) add_parts(edge);
        for (std::size_t i = begin; i < outsides_.size(); ++i)
            builder_.add_node(forest_.source(node));
        // Edges must be sorted by head, so that `build` moves nothing.
        std::ranges::stable_sort(parts_, {}, &Part::head);
        for (const Part& part : parts_) {
            builder_.add_edge(
                static_cast<NodeId>(part.head),
                std::span(part_tails_).subspan(part.tails, forest_.tails(part.edge).size()),
                forest_.features(part.edge), forest_.target(part.edge));
            edges_.push_back(part.edge);
            const auto row = std::span(part_statistics_).subspan(part.statistics, dimension_);
            statistics_.insert(statistics_.end(), row.begin(), row.end());
        }
    }

    // One part for each choice of parts of the tails.
    void add_parts(EdgeId edge) {
        const auto tails = forest_.tails(edge);
        chosen_.clear();
        for (const NodeId tail : tails) chosen_.push_back(first_[tail]);
        for (;;) {
            if (edges_.size() + parts_.size() >= max_edges_)
                fail<ForestTooLarge>("intersected with the references the forest of ",
                                     forest_.edge_count(), " edges has more than ", max_edges_,
                                     "; prune it, or raise the limit");
            add_part(edge);
            std::size_t i = 0;
            for (; i < tails.size() && ++chosen_[i] == first_[tails[i] + 1]; ++i)
                chosen_[i] = first_[tails[i]];
            if (i == tails.size()) return;
        }
    }

    void add_part(EdgeId edge) {
        const std::size_t at = part_statistics_.size();
        part_statistics_.resize(at + dimension_, 0.0);
        const BleuStatistics<double> b{std::span(part_statistics_).subspan(at)};
        const auto match = [&, matches = b.matches()](KgramEnds::State state) {
            matches[automaton_.depth(state) - 1] += 1.0;
        };
        composer_.start();
        std::int64_t length = 0;
        for (const Symbol symbol : forest_.target(edge)) {
            if (is_slot(symbol)) {
                const Outside& tail = outsides_[chosen_[slot_of(symbol)]];
                composer_.add_string(tail.ends, match);
                length += tail.length;
            } else {
                composer_.add_word(numbers_[symbol], match);
                ++length;
            }
        }
        const NodeId node = forest_.head(edge);
        if (around_[node] + length >= order_ - 1) length = Outside::plenty;
        for (std::size_t k = 1; k <= b.order(); ++k) b.total(k) = word_count(forest_, edge);
        b.reference_length() = per_source_word_ * forest_.covered_by_edge(edge);
        if (node == forest_.root()) finish_sentence(b, length);
        const Outside outside{composer_.ends(), static_cast<std::int32_t>(length)};
        parts_.push_back({head_of(node, outside), edge, part_tails_.size(), at});
        part_tails_.insert(part_tails_.end(), chosen_.begin(), chosen_.end());
    }

    // n_k is not the number of words but max(0, words - k + 1).
    void finish_sentence(BleuStatistics<double> b, std::int64_t length) const {
        for (std::size_t k = 1; k <= b.order(); ++k)
            b.total(k) -= static_cast<double>(std::min(static_cast<std::int64_t>(k) - 1, length));
        b.reference_length() += rho_at_root_;
    }

    // The part of `node` with this outside. The root is never split.
    std::size_t head_of(NodeId node, const Outside& outside) {
        const Outside key = node == forest_.root() ? Outside() : outside;
        const auto [at, added] = head_of_.try_emplace(key, outsides_.size());
        if (added) outsides_.push_back(key);
        return at->second;
    }

    const Forest& forest_;
    std::span<const WordId> numbers_;
    std::int64_t order_;
    std::size_t dimension_;
    std::size_t max_edges_;
    double per_source_word_;
    double rho_at_root_;
    const ReferenceAutomaton& automaton_;
    KgramComposer composer_;
    std::vector<std::int64_t> around_;

    std::vector<NodeId> first_;  // the parts of node v are first_[v] .. first_[v + 1]
    std::vector<Outside> outsides_;
    ForestBuilder builder_;
    std::vector<EdgeId> edges_;
    std::vector<double> statistics_;

    // For the node being split.
    std::unordered_map<Outside, std::size_t, OutsideHash> head_of_;
    std::vector<Part> parts_;
    std::vector<NodeId> part_tails_;
    std::vector<double> part_statistics_;
    std::vector<NodeId> chosen_;  // the part of each tail
};

}  // namespace

ForestStatistics forest_statistics(const Forest& forest, const ReferenceAutomaton& automaton,
                                   std::span<const WordId> numbers, double reference_length,
                                   std::size_t max_edges) {
    if (numbers.size() < forest.words()->size())
        fail<DataError>("word numbers for ", numbers.size(), " words, but the vocabulary has ",
                        forest.words()->size());
    return Intersection(forest, automaton, numbers, reference_length, max_edges).run();
}

std::vector<double> derivation_statistics(const WordMetric& metric, const Forest& forest,
                                          std::size_t sentence, std::span<const WordId> numbers,
                                          std::span<const EdgeId> edges,
                                          std::span<const std::int64_t> begin) {
    check_forest_numbers(forest, numbers, sentence, *metric.references());
    if (begin.empty() || begin.front() != 0 || !std::ranges::is_sorted(begin) ||
        begin.back() != static_cast<std::int64_t>(edges.size()))
        fail<DataError>("the offsets of derivations do not match ", edges.size(), " edges");
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

void check_forest_numbers(const Forest& forest, std::span<const WordId> numbers,
                          std::size_t sentence, const ReferenceWords& references) {
    if (numbers.size() < forest.words()->size())
        fail<DataError>("word numbers for ", numbers.size(), " words, but the vocabulary has ",
                        forest.words()->size());
    if (sentence >= references.size())
        fail<DataError>("the forest belongs to sentence ", sentence,
                        ", but there are references for ", references.size(), " sentences");
}

}  // namespace hopefear
