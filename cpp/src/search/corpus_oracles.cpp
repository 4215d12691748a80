#include "hopefear/search/corpus_oracles.hpp"

#include <algorithm>
#include <utility>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

// The statistics of one list at a time, and the sum over the chosen hypotheses.
class Choices {
  public:
    Choices(const NBest& nbest, const CorpusScore& score)
        : nbest_(nbest),
          score_(score),
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
