#include "hopefear/metrics/bleu_forests.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/base/threads.hpp"

namespace hopefear {

namespace {

// Below this size, growth costs little.
constexpr std::size_t small_forest = 2500;

struct BytesHash {
    std::size_t operator()(std::string_view bytes) const { return hash_bytes(bytes); }
};

}  // namespace

BleuForest::BleuForest(const ForestStatistics& split, std::size_t dimension)
    : edge_begin(split.forest.edge_begin().begin(), split.forest.edge_begin().end()),
      tails(split.forest) {
    edges.reserve(split.edges.size());
    std::unordered_map<std::string_view, std::uint32_t, BytesHash> row_of;
    for (std::size_t edge = 0; edge < split.edges.size(); ++edge) {
        const double* const row = split.statistics.data() + edge * dimension;
        const std::string_view bytes(reinterpret_cast<const char*>(row),
                                     dimension * sizeof(double));
        const auto [at, added] =
            row_of.try_emplace(bytes, static_cast<std::uint32_t>(row_of.size()));
        if (added) rows.insert(rows.end(), row, row + dimension);
        edges.push_back({split.edges[edge], at->second});
    }
    rows.shrink_to_fit();
}

std::size_t BleuForest::bytes() const {
    return edge_begin.capacity() * sizeof(Forest::Offset) + tails.bytes() +
           edges.capacity() * sizeof(Edge) + rows.capacity() * sizeof(double);
}

BleuForests::BleuForests(const ForestSet& forests, std::shared_ptr<const BleuReferences> references,
                         std::vector<WordId> numbers, std::size_t growth, std::size_t threads)
    : forests_(forests.size()), references_(std::move(references)), numbers_(std::move(numbers)) {
    if (forests.size() != references_->references()->size())
        fail<DataError>("forests of ", forests.size(), " sentences, but references for ",
                        references_->references()->size());
    parallel_blocks(forests.size(), 1, threads, [&](std::size_t sentence, std::size_t) {
        const Forest* const forest = forests[sentence];
        if (!forest) return;
        try {
            forests_[sentence] =
                BleuForest(references_->forest_statistics(
                               *forest, sentence, numbers_,
                               growth * std::max(forest->edge_count(), small_forest)),
                           references_->dimension());
        } catch (const ForestTooLarge&) {
            forests_[sentence] = {};
        }
    });
}

std::size_t BleuForests::edge_count() const {
    std::size_t count = 0;
    for (const BleuForest& forest : forests_) count += forest.edges.size();
    return count;
}

std::size_t BleuForests::bytes() const {
    std::size_t sum = numbers_.capacity() * sizeof(WordId);
    for (const BleuForest& forest : forests_) sum += forest.bytes();
    return sum;
}

}  // namespace hopefear
