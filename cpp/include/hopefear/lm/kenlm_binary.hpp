// KenLM's binary form of a language model, which is ready as soon as it is mapped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hopefear {

// Read the ARPA file `arpa` and write it to `path` as KenLM's `structure`: "probing" (a hash table,
// fastest) or "trie" (smallest). Sorting for a trie takes `memory` bytes, and files in `directory`.
void write_kenlm_binary(const std::string& arpa, const std::string& path,
                        std::string_view structure, std::size_t memory,
                        const std::string& directory);

}  // namespace hopefear
