#include "hopefear/metrics/derivation_statistics.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/derivation.hpp"
#include "hopefear/search/reference_derivation.hpp"

namespace hopefear {

std::vector<double> derivation_statistics(const WordMetric& metric, const Forest& forest,
                                          std::size_t sentence, std::span<const WordId> numbers,
                                          std::span<const EdgeId> edges,
                                          std::span<const std::int64_t> begin) {
    check_forest_numbers(forest, numbers, sentence, *metric.references());
    if (begin.empty() || begin.front() != 0 || !std::ranges::is_sorted(begin) ||
        begin.back() != static_cast<std::int64_t>(edges.size()))
        fail<DataError>("where derivations begin does not fit ", edges.size(), " edges");
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

}  // namespace hopefear
