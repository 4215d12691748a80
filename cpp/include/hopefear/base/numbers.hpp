// Numbers as text, exact both ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hopefear {

// The double nearest to the decimal number that all of `text` is: digits with a point or an
// exponent, or an infinity or NaN by name. Nothing if `text` is no number.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// Append the shortest decimal number that reads back as the same double.
void append_number(std::string& out, double value);

}  // namespace hopefear
