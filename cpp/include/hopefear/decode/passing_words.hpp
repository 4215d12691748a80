// Words that often are the same in any language.
#pragma once

#include <string_view>

namespace hopefear {

// Digits, and what may stand between them.
[[nodiscard]] bool is_number(std::string_view word);
// Begins with a capital letter: Latin, Greek or Cyrillic.
[[nodiscard]] bool is_name(std::string_view word);

}  // namespace hopefear
