#include "hopefear/ranking_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "hopefear/error.hpp"
#include "hopefear/loss.hpp"
#include "hopefear/random.hpp"
#include "hopefear/threads.hpp"

namespace hopefear {

namespace {

struct Pair {
    double difference;
    std::size_t drawn;  // when
    std::uint32_t better;
    std::uint32_t worse;

    // Larger differences first; of equal ones the pair drawn first.
    [[nodiscard]] bool before(const Pair& other) const {
        return difference != other.difference ? difference > other.difference : drawn < other.drawn;
    }
};

// The `kept` best of the pairs drawn, in a heap with the worst of them on top.
std::vector<Pair> sample_list(NBest::Rows rows, std::span<const double> gains,
                              const PairSampling& sampling, Random random) {
    std::vector<Pair> heap;
    if (rows.size() < 2) return heap;
    const auto order = [](const Pair& x, const Pair& y) { return x.before(y); };
    const std::span<const double> list = gains.subspan(rows.begin, rows.size());
    double least = sampling.threshold;  // one comparison, which mostly ends the same way
    for (std::size_t i = 0; i < sampling.samples; ++i) {
        const auto [a, b] = random.two_below(rows.size());
        const double difference = std::abs(list[a] - list[b]);
        if (!(difference > least)) continue;
        if (heap.size() == sampling.kept) {
            std::ranges::pop_heap(heap, order);
            heap.pop_back();
        }
        const bool first = list[a] > list[b];
        heap.push_back({difference, i, static_cast<std::uint32_t>(rows.begin + (first ? a : b)),
                        static_cast<std::uint32_t>(rows.begin + (first ? b : a))});
        std::ranges::push_heap(heap, order);
        if (heap.size() == sampling.kept) least = heap.front().difference;
    }
    std::ranges::sort(heap, order);
    return heap;
}

// Each oracle must be a row of its sentence, in increasing order.
void check_oracles(const NBest& nbest, std::span<const std::int64_t> sentences,
                   const std::vector<std::vector<std::int64_t>>& oracles) {
    if (oracles.size() != sentences.size())
        fail<DataError>(oracles.size(), " lists of oracles for ", sentences.size(), " sentences");
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto [begin, end] = nbest.rows(nbest.checked_sentence(sentences[i]));
        for (std::size_t j = 0; j < oracles[i].size(); ++j) {
            const std::int64_t row = oracles[i][j];
            const bool own =
                row >= static_cast<std::int64_t>(begin) && row < static_cast<std::int64_t>(end);
            if (!own || (j > 0 && oracles[i][j - 1] >= row))
                fail<DataError>("sentence ", sentences[i], " has rows ", begin, " to ", end,
                                ", but its oracle ", j, " is row ", row);
        }
    }
}

}  // namespace

RankingPairs sample_pairs(const NBest& nbest, std::span<const double> gains,
                          const PairSampling& sampling, std::uint64_t seed, std::size_t threads) {
    nbest.check_per_row(gains.size(), "gains");
    struct Kept {
        std::uint32_t better;
        std::uint32_t worse;
    };
    std::vector<std::vector<Kept>> found(nbest.sentences());
    parallel_blocks(nbest.sentences(), 16, threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t sentence = first; sentence < last; ++sentence) {
            const std::vector<Pair> list =
                sample_list(nbest.rows(sentence), gains, sampling, Random(seed, sentence));
            found[sentence].reserve(list.size());
            for (const Pair& pair : list) found[sentence].push_back({pair.better, pair.worse});
        }
    });
    std::size_t count = 0;
    for (const auto& list : found) count += list.size();
    RankingPairs pairs;
    pairs.better.reserve(count);
    pairs.worse.reserve(count);
    for (const auto& list : found)
        for (const auto [better, worse] : list) {
            pairs.better.push_back(better);
            pairs.worse.push_back(worse);
        }
    return pairs;
}

namespace {

// The statistics of the lists of a corpus, one list at a time, and the sum of what was chosen.
class Choices {
  public:
    Choices(const NBest& nbest, const CorpusScore& score)
        : nbest_(nbest),
          score_(score),
          statistics_(nbest.checked_statistics(score.dimension())),
          total_(score.dimension()),
          others_(total_.size()),
          sum_(total_.size()) {}

    // The first hypothesis of a sentence; its number in the list is returned.
    std::size_t choose_first(std::int64_t sentence) {
        read(sentence);
        if (!rows_.empty()) add(total_, row(0), 1.0, total_);
        return 0;
    }
    // The best hypothesis given those of all other sentences; the one so far stays if none is
    // better.
    std::size_t choose_best(std::int64_t sentence, std::size_t chosen) {
        read(sentence);
        if (rows_.empty()) return chosen;
        add(total_, row(chosen), -1.0, others_);
        double best = score_(total_);
        for (std::size_t i = 0; i < rows_.size() / total_.size(); ++i) {
            add(others_, row(i), 1.0, sum_);
            const double value = score_(sum_);
            if (!(value > best)) continue;
            best = value;
            chosen = i;
        }
        add(others_, row(chosen), 1.0, total_);
        return chosen;
    }
    // All rows of the corpus whose statistics are those of the chosen one.
    [[nodiscard]] std::vector<std::int64_t> equal(std::int64_t sentence, std::size_t chosen) {
        read(sentence);
        std::vector<std::int64_t> rows;
        for (std::size_t i = 0; i < rows_.size() / total_.size(); ++i)
            if (std::ranges::equal(row(i), row(chosen)))
                rows.push_back(static_cast<std::int64_t>(nbest_.rows(sentence).begin + i));
        return rows;
    }

  private:
    void read(std::int64_t sentence) {
        const auto [begin, end] = nbest_.rows(nbest_.checked_sentence(sentence));
        rows_.resize((end - begin) * total_.size());
        statistics_.read(begin, end, rows_);
    }
    [[nodiscard]] std::span<const double> row(std::size_t i) const {
        return std::span(rows_).subspan(i * total_.size(), total_.size());
    }
    static void add(std::span<const double> to, std::span<const double> row, double sign,
                    std::span<double> out) {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = to[k] + sign * row[k];
    }

    const NBest& nbest_;
    const CorpusScore& score_;
    const RowStatistics& statistics_;
    std::vector<double> total_;
    std::vector<double> others_;
    std::vector<double> sum_;
    std::vector<double> rows_;  // of the sentence that was read last
};

}  // namespace

std::vector<std::vector<std::int64_t>> corpus_oracles(const NBest& nbest, const CorpusScore& score,
                                                      std::span<const std::int64_t> sentences,
                                                      std::size_t max_passes) {
    Choices choices(nbest, score);
    std::vector<std::size_t> chosen;
    for (const std::int64_t sentence : sentences) chosen.push_back(choices.choose_first(sentence));
    bool changed = true;
    for (std::size_t pass = 0; changed && pass < max_passes; ++pass) {
        changed = false;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            const std::size_t better = choices.choose_best(sentences[i], chosen[i]);
            changed |= std::exchange(chosen[i], better) != better;
        }
    }
    std::vector<std::vector<std::int64_t>> oracles;
    for (std::size_t i = 0; i < sentences.size(); ++i)
        oracles.push_back(choices.equal(sentences[i], chosen[i]));
    return oracles;
}

RankingPairs oracle_pairs(const NBest& nbest, std::span<const std::int64_t> sentences,
                          const std::vector<std::vector<std::int64_t>>& oracles, std::size_t most) {
    check_oracles(nbest, sentences, oracles);
    RankingPairs pairs;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto [begin, end] = nbest.rows(sentences[i]);
        const std::size_t all = oracles[i].size();
        const std::size_t count = most == 0 ? all : std::min(most, all);
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t row = begin; row < end; ++row)
                if (!std::ranges::binary_search(oracles[i], static_cast<std::int64_t>(row))) {
                    pairs.better.push_back(oracles[i][j * all / count]);
                    pairs.worse.push_back(static_cast<std::int64_t>(row));
                }
    }
    return pairs;
}

SparseRows pair_differences(const NBest& nbest, const RankingPairs& pairs) {
    SparseRows rows;
    for (std::size_t i = 0; i < pairs.better.size(); ++i)
        rows.add_difference(nbest.features(pairs.better[i]), nbest.features(pairs.worse[i]));
    rows.freeze();
    return rows;
}

ViolatedPairs violated_pairs(const NBest& nbest, const RankingPairs& pairs,
                             std::span<const double> weights) {
    nbest.check_weights(weights.size());
    ViolatedPairs found{.sum = std::vector<double>(weights.size())};
    // Of the list whose pairs are looked at.
    NBest::Rows list{0, 0};
    std::vector<double> scores;
    std::vector<double> shares;  // how often a hypothesis is the better one, less how often not
    const auto leave = [&] {
        nbest.for_each(list, [&](std::size_t row, const SparseView& features) {
            const double share = shares[row - list.begin];
            if (share == 0.0) return;
            for (std::size_t i = 0; i < features.size(); ++i)
                found.sum[features.ids[i]] += share * features.values[i];
        });
    };
    const auto enter = [&](std::int64_t row) {
        const auto offsets = nbest.offsets();
        if (row >= offsets.back()) fail<DataError>("the pairs are of other lists");
        const auto next = std::ranges::upper_bound(offsets, row);
        list = nbest.rows(static_cast<std::size_t>(next - offsets.begin()) - 1);
        scores.clear();
        nbest.for_each(list, [&](std::size_t, const SparseView& features) {
            scores.push_back(features.dot(weights));
        });
        shares.assign(list.size(), 0.0);
    };
    for (std::size_t i = 0; i < pairs.better.size(); ++i) {
        const auto better = static_cast<std::size_t>(pairs.better[i]);
        if (better < list.begin || better >= list.end) {
            leave();
            enter(pairs.better[i]);
        }
        const std::size_t up = better - list.begin;
        const std::size_t down = static_cast<std::size_t>(pairs.worse[i]) - list.begin;
        if (down >= list.size()) fail<DataError>("the pairs are of other lists");
        if (!(scores[up] - scores[down] < 1.0)) continue;
        ++found.count;
        shares[up] += 1.0;
        shares[down] -= 1.0;
    }
    leave();
    return found;
}

SoftmaxTangents softmax_tangents(const NBest& nbest, std::span<const std::int64_t> sentences,
                                 const std::vector<std::vector<std::int64_t>>& oracles,
                                 std::span<const double> weights) {
    check_oracles(nbest, sentences, oracles);
    nbest.check_weights(weights.size());
    // -L = -log sum_oracles exp(s) + log sum exp(s)
    const Side soft{.soft = true};
    const Loss loss{.up = {.pool = Pool::fixed, .soft = true}, .down = soft};
    SoftmaxTangents tangents;
    std::map<FeatureId, double> gradient;
    std::vector<FeatureId> ids;
    std::vector<double> values;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto [begin, end] = nbest.rows(sentences[i]);
        std::vector<double> scores;
        for (std::size_t row = begin; row < end; ++row)
            scores.push_back(nbest.features(row).dot(weights));
        std::vector<std::size_t> fixed;
        for (const std::int64_t row : oracles[i]) fixed.push_back(row - begin);
        std::vector<double> slopes(end - begin);
        const std::vector<double> costs(end - begin);
        tangents.values.push_back(-evaluate(loss, scores, costs, fixed, slopes));
        gradient.clear();
        for (std::size_t row = begin; row < end; ++row) {
            const SparseView h = nbest.features(row);
            for (std::size_t j = 0; j < h.size(); ++j)
                gradient[h.ids[j]] -= slopes[row - begin] * h.values[j];
        }
        ids.clear();
        values.clear();
        for (const auto& [id, value] : gradient) {
            ids.push_back(id);
            values.push_back(value);
        }
        tangents.gradients.add({ids, values});
    }
    tangents.gradients.freeze();
    return tangents;
}

}  // namespace hopefear
