#include "hopefear/metrics/forest_statistics.hpp"

#include <optional>

#include "bindings.hpp"
#include "hopefear/metrics/bleu_references.hpp"

namespace hopefear::bindings {

void bind_forest_statistics(nb::module_& m) {
    m.def(
        "forest_statistics",
        [](const BleuReferences& references, const Forest& forest, std::size_t sentence,
           const ArrayIn<WordId>& numbers, std::size_t max_edges) {
            std::optional<ForestStatistics> found;
            {
                const nb::gil_scoped_release release;
                found = references.forest_statistics(forest, sentence, as_span(numbers), max_edges);
            }
            return nb::make_tuple(std::move(found->forest), to_array(std::move(found->edges)),
                                  to_matrix(std::move(found->statistics), references.dimension()));
        },
        nb::arg("references"), nb::arg("forest"), nb::arg("sentence"), nb::arg("numbers"),
        nb::kw_only(), nb::arg("max_edges"),
        nb::sig("def forest_statistics(references: BleuReferences, forest: Forest, sentence: int, "
                "numbers: NDArray[numpy.int32], *, max_edges: int) -> tuple[Forest, "
                "NDArray[numpy.int32], NDArray[numpy.float64]]"),
        "The forest split by reference k-grams, the original edge of each of its edges, and a row "
        "of BLEU statistics for each; numbers[w] is what word w is in the references.");
}

}  // namespace hopefear::bindings
