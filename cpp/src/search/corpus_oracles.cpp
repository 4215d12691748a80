#include "hopefear/search/corpus_oracles.hpp"

#include <algorithm>
#include <utility>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

// The statistics of one list at a time, and the sum over the chosen hypotheses.
class Choices {
  public:
    Choices(const NBest& nbest, const CorpusScore& score, const OracleSearch& search)
        : nbest_(nbest),
          score_(score),
          search_(search),
          statistics_(nbest.checked_statistics(score.dimension())),
          total_(score.dimension()),
          others_(total_.size()),
          sum_(total_.size()) {}

    // Choose the first hypothesis of a sentence; returns its index in the list.
    std::size_t choose_first(std::int64_t sentence) {
        read(sentence);
        if (!rows_.empty()) add(total_, row(0), 1.0, total_);
        return 0;
    }
    // Choose the best hypothesis given those of all other sentences; the present one wins ties.
    std::size_t choose_best(std::int64_t sentence, std::size_t chosen) {
        read(sentence);
        if (rows_.empty()) return chosen;
        add(total_, row(chosen), -1.0, others_);
        double best = value(total_);
        for (std::size_t i = 0; i < rows_.size() / total_.size(); ++i) {
            add(others_, row(i), 1.0, sum_);
            const double other = value(sum_);
            if (!(other > best)) continue;
            best = other;
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
                rows.push_back(static_cast<std::int64_t>(number(nbest_.rows(sentence).begin + i)));
        std::ranges::sort(rows);
        return rows;
    }

  private:
    void read(std::int64_t sentence) {
        const auto [begin, end] = nbest_.rows(nbest_.checked_sentence(sentence));
        const std::size_t all = end - begin;
        const std::size_t count = search_.size ? std::min(search_.size, all) : all;
        rows_.resize(count * total_.size());
        if (search_.order.empty()) return statistics_.read(begin, begin + count, rows_);
        for (std::size_t i = 0; i < count; ++i)
            statistics_.read(number(begin + i),
                             std::span(rows_).subspan(i * total_.size(), total_.size()));
    }
    // The row at a place of the order.
    [[nodiscard]] std::size_t number(std::size_t place) const {
        return search_.order.empty() ? place : static_cast<std::size_t>(search_.order[place]);
    }
    [[nodiscard]] double value(std::span<const double> statistics) const {
        return search_.worst ? -score_(statistics) : score_(statistics);
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
    const OracleSearch& search_;
    const RowStatistics& statistics_;
    std::vector<double> total_;
    std::vector<double> others_;
    std::vector<double> sum_;
    std::vector<double> rows_;  // of the sentence that was read last
};

// Every place of the order has a row of the same list.
void check_order(const NBest& nbest, std::span<const std::int64_t> order) {
    if (order.empty()) return;
    if (order.size() != nbest.hypotheses())
        fail<DataError>("an order of ", order.size(), " rows, but there are ", nbest.hypotheses());
    for (std::size_t sentence = 0; sentence < nbest.sentences(); ++sentence) {
        const auto [begin, end] = nbest.rows(sentence);
        for (std::size_t place = begin; place < end; ++place)
            if (order[place] < static_cast<std::int64_t>(begin) ||
                order[place] >= static_cast<std::int64_t>(end))
                fail<DataError>("sentence ", sentence, " has rows ", begin, " to ", end,
                                ", but its order has row ", order[place]);
    }
}

}  // namespace

std::vector<std::vector<std::int64_t>> corpus_oracles(const NBest& nbest, const CorpusScore& score,
                                                      std::span<const std::int64_t> sentences,
                                                      const OracleSearch& search) {
    check_order(nbest, search.order);
    Choices choices(nbest, score, search);
    std::vector<std::size_t> chosen;
    for (const std::int64_t sentence : sentences) chosen.push_back(choices.choose_first(sentence));
    bool changed = true;
    for (std::size_t pass = 0; changed && pass < search.max_passes; ++pass) {
        changed = false;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            const std::size_t better = choices.choose_best(sentences[i], chosen[i]);
            changed |= std::exchange(chosen[i], better) != better;
        }
    }
    std::vector<std::vector<std::int64_t>> oracles;
    oracles.reserve(sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i)
        oracles.push_back(choices.equal(sentences[i], chosen[i]));
    return oracles;
}

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

}  // namespace hopefear
