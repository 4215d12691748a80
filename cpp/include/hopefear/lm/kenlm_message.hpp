// What KenLM complains about, for users.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace hopefear {

// The message of one of KenLM's exceptions without its first line, which tells where in KenLM's
// source it was thrown and by which condition.
[[nodiscard]] inline std::string kenlm_message(const std::exception& error) {
    const std::string_view text = error.what();
    const std::size_t first_line = text.find(".\n");
    const bool more = first_line != std::string_view::npos && first_line + 2 < text.size();
    return std::string(more ? text.substr(first_line + 2) : text);
}

}  // namespace hopefear
