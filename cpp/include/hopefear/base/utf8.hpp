// Whether bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace hopefear {

// Where `text` stops being UTF-8; text.size() if it is all.
[[nodiscard]] std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace hopefear
