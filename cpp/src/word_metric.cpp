#include "hopefear/word_metric.hpp"

#include "hopefear/error.hpp"
#include "hopefear/threads.hpp"

namespace hopefear {

std::vector<double> WordMetric::statistics(const Hypotheses& hypotheses,
                                           std::size_t threads) const {
    std::vector<double> rows(hypotheses.size * dimension(), 0.0);
    fill(hypotheses, threads, rows);
    return rows;
}

void WordMetric::set_statistics(NBest& lists, const Hypotheses& hypotheses,
                                std::size_t threads) const {
    if (lists.hypotheses() != hypotheses.size)
        fail<DataError>("statistics of ", hypotheses.size, " hypotheses for n-best lists with ",
                        lists.hypotheses());
    auto rows = lists.new_statistics(dimension());
    if (hypotheses.size > 0)
        fill(hypotheses, threads, {(*rows)[0].data(), hypotheses.size * dimension()});
    lists.set_statistics(std::move(rows));
}

void WordMetric::fill(const Hypotheses& hypotheses, std::size_t threads,
                      std::span<double> out) const {
    if (hypotheses.references != references_)
        fail<DataError>("the hypotheses were numbered for other references");
    const std::size_t columns = dimension();
    // A block is of one sentence or little work: several together share what a Count holds.
    constexpr std::size_t blocks = 4;
    parallel_blocks(hypotheses.blocks, blocks, threads, [&](std::size_t begin, std::size_t end) {
        const Count count = make_count();
        for (std::size_t block = begin; block < end; ++block)
            hypotheses.read(
                block, [&](std::size_t row, std::size_t sentence, std::span<const WordId> words) {
                    count(sentence, words, out.subspan(row * columns, columns));
                });
    });
}

}  // namespace hopefear
