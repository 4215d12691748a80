#include "hopefear/lm/options.hpp"

#include <algorithm>

#include "hopefear/base/error.hpp"
#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

namespace {

constexpr std::size_t least_memory = std::size_t{1} << 20;

}  // namespace

void check(const Options& options) {
    if (options.order < 1 || options.order > max_order)
        fail<ConfigError>("the order must be from 1 to ", max_order, ", got ", options.order);
    if (options.memory < least_memory)
        fail<ConfigError>("memory must be at least ", least_memory, " bytes, got ", options.memory);
    if (options.prune.size() > options.order)
        fail<ConfigError>("there are ", options.prune.size(), " pruning thresholds for a model of ",
                          "order ", options.order, "; give one for each order, or fewer");
    if (!options.prune.empty() && options.prune.front() != 0)
        fail<ConfigError>(
            "the first pruning threshold must be 0, because words are never pruned; "
            "got ",
            options.prune.front());
    if (!std::is_sorted(options.prune.begin(), options.prune.end()))
        fail<ConfigError>("a pruning threshold must not be below that of the order before it");
    if (!options.discount_fallback) return;
    for (std::size_t i = 0; i < 3; ++i) {
        const double discount = (*options.discount_fallback)[i];
        if (!(discount > 0 && discount <= static_cast<double>(i + 1)))
            fail<ConfigError>("the discount of count ", i + 1, " must be above 0 and at most ",
                              i + 1, ", got ", discount);
    }
}

}  // namespace hopefear::kneser_ney
