#include "hopefear/metrics/word_metric.hpp"

#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"

namespace hopefear {

std::vector<double> WordMetric::statistics(const Hypotheses& hypotheses,
                                           std::size_t threads) const {
    std::vector<double> rows(hypotheses.size * dimension(), 0.0);
    fill(hypotheses, 0, hypotheses.blocks, threads, rows);
    return rows;
}

void WordMetric::set_statistics(NBest& lists, const Hypotheses& hypotheses,
                                std::size_t threads) const {
    if (lists.hypotheses() != hypotheses.size)
        fail<DataError>("statistics of ", hypotheses.size, " hypotheses for n-best lists with ",
                        lists.hypotheses());
    // A batch: enough for all threads, and small compared with the lists.
    const std::size_t together = 4096 * thread_count(threads);
    RowStatistics statistics = lists.new_statistics(dimension());
    std::vector<double> rows;
    for (std::size_t begin = 0, end = 0; begin < hypotheses.blocks; begin = end) {
        const std::size_t first = hypotheses.first_row(begin);
        while (end < hypotheses.blocks && hypotheses.first_row(end) < first + together) ++end;
        rows.assign((hypotheses.first_row(end) - first) * dimension(), 0.0);
        fill(hypotheses, begin, end, threads, rows);
        statistics.append(rows);
    }
    lists.set_statistics(std::move(statistics));
}

void WordMetric::fill(const Hypotheses& hypotheses, std::size_t first, std::size_t last,
                      std::size_t threads, std::span<double> out) const {
    if (hypotheses.references != references_)
        fail<DataError>("the hypotheses were prepared for other references");
    if (first == last) return;
    const std::size_t columns = dimension();
    const std::size_t first_row = hypotheses.first_row(first);
    // Blocks are small: several together share the cache of a Count.
    constexpr std::size_t blocks = 4;
    parallel_blocks(last - first, blocks, threads, [&](std::size_t begin, std::size_t end) {
        const Count count = make_count();
        for (std::size_t block = first + begin; block < first + end; ++block)
            hypotheses.read(
                block, [&](std::size_t row, std::size_t sentence, std::span<const WordId> words) {
                    count(sentence, words, out.subspan((row - first_row) * columns, columns));
                });
    });
}

}  // namespace hopefear
