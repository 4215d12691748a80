#include "hopefear/search/hope_fear.hpp"

#include "hopefear/base/error.hpp"
#include "hopefear/forest/viterbi.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/nbest/products.hpp"
#include "hopefear/search/forest_reranking.hpp"

namespace hopefear {

namespace {

void check_gains(const NBest& lists, const ScaledGains& gains) {
    check_finite({&gains.scale, 1}, "gain scale");
    if (gains.scale == 0.0) return;
    lists.check_per_row(gains.gains.size(), "gains");
    check_finite(gains.gains, "gain");
}

}  // namespace

std::vector<std::int64_t> best_rows(const NBest& lists, std::span<const double> weights,
                                    const ScaledGains& gains, std::size_t threads) {
    check_finite_weights(lists, weights);
    check_gains(lists, gains);
    const auto value = [&](std::size_t row, const SparseView& features) {
        const double score = finite_score(lists, row, features, weights);
        return gains.scale == 0.0 ? score : score + gains.scale * gains.gains[row];
    };
    std::vector<std::int64_t> best(lists.sentences(), -1);
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        const auto [begin, end] = lists.rows(sentence);
        if (begin == end) return;
        BestRow found{begin, value(begin, lists.features(begin))};
        lists.for_each({begin + 1, end}, [&](std::size_t row, const SparseView& features) {
            found.offer(row, value(row, features));
        });
        best[sentence] = static_cast<std::int64_t>(found.row);
    });
    return best;
}

std::vector<std::int64_t> best_rows_of(const NBest& lists, std::span<const double> scores,
                                       const ScaledGains& gains) {
    lists.check_per_row(scores.size(), "scores");
    check_finite(scores, "score");
    check_gains(lists, gains);
    const auto value = [&](std::size_t row) {
        return gains.scale == 0.0 ? scores[row] : scores[row] + gains.scale * gains.gains[row];
    };
    std::vector<std::int64_t> best(lists.sentences(), -1);
    for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
        const auto [begin, end] = lists.rows(sentence);
        if (begin == end) continue;
        BestRow found{begin, value(begin)};
        for (std::size_t row = begin + 1; row < end; ++row) found.offer(row, value(row));
        best[sentence] = static_cast<std::int64_t>(found.row);
    }
    return best;
}

ForestHopeFear::ForestHopeFear(const ForestSet& forests, const BleuForests& split)
    : forests_(forests), split_(split), count_(split.references().make_count()) {
    if (forests.size() != split.size())
        fail<DataError>(forests.size(), " forests, but ", split.size(), " with statistics of BLEU");
}

void ForestHopeFear::find(std::size_t sentence, std::span<const double> weights,
                          std::span<const double> gain, std::span<const double> document) {
    const Forest& forest = *forests_[sentence];
    scores_.resize(forest.edge_count());
    for (std::size_t edge = 0; edge < scores_.size(); ++edge)
        scores_[edge] = forest.features(static_cast<EdgeId>(edge)).dot(weights);
    if (split_[sentence].empty())
        find_by_reranking(sentence, document);
    else
        find_on_edges(sentence, gain);
}

template <class Choose>
void ForestHopeFear::read(std::size_t sentence, std::size_t lane, const Choose& choose) {
    const Forest& forest = *forests_[sentence];
    const BleuForest& split = split_[sentence];
    read_derivation(
        split.root(), split.tails, choose,
        [&](EdgeId edge) { return forest.target(split.edges[edge].original); }, text_);
    Found& found = found_[lane];
    found.score = best_.score(lane);
    found.edges.clear();
    for (const EdgeId edge : text_.edges) found.edges.push_back(split.edges[edge].original);
    found.words = text_.words;
    count(sentence, found);
}

void ForestHopeFear::find_on_edges(std::size_t sentence, std::span<const double> gain) {
    const BleuForest& split = split_[sentence];
    gains_.assign(split.rows.size() / gain.size(), 0.0);
    for (std::size_t row = 0; row < gains_.size(); ++row)
        for (std::size_t i = 0; i < gain.size(); ++i)
            gains_[row] += gain[i] * split.rows[row * gain.size() + i];
    const auto score = [&](EdgeId edge) { return scores_[split.edges[edge].original]; };
    const auto bonus = [&](EdgeId edge) { return gains_[split.edges[edge].statistics]; };
    with_wide_vectors([&]() HOPEFEAR_INLINE {
        best_.find(split.edge_begin, split.tails,
                   [&](EdgeId edge, Lanes<lanes>& sum) HOPEFEAR_INLINE {
                       const double s = score(edge);
                       const double b = bonus(edge);
                       sum.set({s + b, s - b, s, s});
                   });
    });
    constexpr std::array signs{1.0, -1.0, 0.0};
    for (std::size_t lane = 0; lane < found_.size(); ++lane) {
        const auto value = [&](EdgeId edge) { return score(edge) + signs[lane] * bonus(edge); };
        read(sentence, lane, [&](NodeId node) {
            return best_.edge(split.edge_begin, split.tails, value, node, lane);
        });
    }
}

void ForestHopeFear::find_by_reranking(std::size_t sentence, std::span<const double> document) {
    const Forest& forest = *forests_[sentence];
    const std::size_t dimension = split_.references().dimension();
    // A better part need not make a better whole, the less so the more the model disagrees: try
    // several weights of the gain.
    Found& model = found_[2];
    const ScoredDerivation best = viterbi(forest, scores_);
    take(sentence, best.edges, model);
    model.score = best.score;
    ForestReranker reranker(forest, split_.references(), sentence, split_.numbers(), document);
    for (const std::size_t lane : {0, 1}) {
        const double sign = lane == 0 ? 1.0 : -1.0;
        const auto judged = [&](const Found& found) {
            return derivation_score(forest, found.edges, scores_) +
                   sign * document_gains(document, found.statistics, dimension)[0];
        };
        Found& chosen = found_[lane];
        chosen = model;
        chosen.score = judged(chosen);
        for (const double gain_weight : {1.0, 4.0, 16.0}) {
            const Reranked reranked = reranker.find(scores_, sign * gain_weight, 1);
            Found other;
            take(sentence, reranked.derivations.edges, other);
            other.score = judged(other);
            if (other.score > chosen.score) chosen = std::move(other);
        }
    }
}

void ForestHopeFear::take(std::size_t sentence, std::span<const EdgeId> edges, Found& found) {
    found.edges.assign(edges.begin(), edges.end());
    const std::vector<Symbol> words = derivation_words(*forests_[sentence], edges);
    found.words.assign(words.begin(), words.end());
    count(sentence, found);
}

void ForestHopeFear::count(std::size_t sentence, Found& found) {
    numbers_.clear();
    for (const WordId word : found.words) numbers_.push_back(split_.number(word));
    found.statistics.assign(split_.references().dimension(), 0.0);
    count_(sentence, numbers_, found.statistics);
}

std::vector<double> oracle_statistics(const ForestSet& forests, const BleuForests& split,
                                      const CorpusScore& score) {
    const std::size_t dimension = split.references().dimension();
    if (score.dimension() != dimension)
        fail<DataError>("the metric takes ", score.dimension(), " statistics, the forests have ",
                        dimension);
    ForestHopeFear search(forests, split);
    const std::vector<double> none(forests.feature_count(), 0.0);
    std::vector<std::vector<double>> chosen(forests.size());
    std::vector<double> total(dimension, 0.0);
    const auto with = [&](const std::vector<double>& own) {
        std::vector<double> sum = total;
        for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
        return sum;
    };
    // The first round uses the preceding sentences as context, the second all others.
    for (int round = 0; round < 2; ++round)
        for (std::size_t sentence = 0; sentence < forests.size(); ++sentence) {
            if (!forests[sentence]) continue;
            std::vector<double>& own = chosen[sentence];
            for (std::size_t i = 0; i < own.size(); ++i) total[i] -= own[i];
            const std::vector<double> document = with(perfect_sentence(dimension / 2));
            search.find(sentence, none, linear_gain(total), document);
            const auto& found = search.hope().statistics;
            if (own.empty() || score(with(found)) > score(with(own))) own = found;
            total = with(own);
        }
    return total;
}

}  // namespace hopefear
