// Hypergraphs as text, in the form that Moses writes with -output-search-graph-hypergraph and that
// its tuner kbmira reads, and in the older form of cdec's --show_target_graph.
//
//     # target ||| features ||| source-covered      cdec: no such line
//     VERTICES EDGES
//     for each vertex, tails before heads, the goal last:
//       NUMBER OF EDGES
//       for each edge:  word [vertex] word ||| name=value name=value ||| source words covered
//                                                   cdec: no third field
//
// Lines that begin with # are comments, except among the edges of a vertex.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "hopefear/forest/forest.hpp"

namespace hopefear {

// Names of features that are other ones in the text than in a forest, or the other way round: Moses
// numbers the values of a feature from 1.
using FeatureRenaming = std::map<std::string, std::string, std::less<>>;

// Parse the forest of one sentence. Words and features are added to the vocabularies. Throws
// FormatError with `file` and line.
[[nodiscard]] Forest parse_moses_hypergraph(std::string_view text, const std::string& file,
                                            const std::shared_ptr<Vocabulary>& words,
                                            const std::shared_ptr<Vocabulary>& feature_names,
                                            const FeatureRenaming& renamed);

// The text of a forest, in Moses' form or, without `covered`, in cdec's. Tails are written in the
// order of the target side; another order is lost. Throws FormatError for words and feature names
// that the format cannot represent.
[[nodiscard]] std::string format_moses_hypergraph(const Forest& forest, bool covered,
                                                  const FeatureRenaming& renamed);

}  // namespace hopefear
