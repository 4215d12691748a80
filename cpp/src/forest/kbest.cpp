#include "hopefear/forest/kbest.hpp"

#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/base/threads.hpp"
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

ScoredForest::ScoredForest(const Forest& forest, std::vector<double> scores)
    : forest_(&forest), scores_(std::move(scores)), best_(best_scores(forest, scores_)) {
    if (best_.back() == impossible) fail_impossible();
}

EdgeId ScoredForest::best_edge(NodeId node) const {
    return hopefear::best_edge(*forest_, scores_, best_, node);
}

KBest::KBest(const Forest& forest, std::vector<double> scores, bool distinct, std::size_t limit)
    : forest_(forest, std::move(scores)) {
    search_.start(forest_, distinct, limit);
}

std::optional<ScoredDerivation> KBest::next() {
    if (!search_.next()) return std::nullopt;
    return ScoredDerivation{search_.edges(), search_.score()};
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
    const ScoredForest scored(forest, std::move(scores));
    KBestSearch<ScoredForest> search;
    search.start(scored, options.distinct, options.limit);
    const auto text = [&](Symbol word) { return forest.words()->text(word); };
    const auto features = [&](EdgeId edge, RowSum& sum) { sum.add(forest.features(edge)); };
    RowSum sum;
    return read_list(search, options.size, text, features, sum);
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
