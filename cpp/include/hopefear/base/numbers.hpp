// Conversion between numbers and text, exact in both directions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hopefear {

// The double nearest to the decimal number `text`: digits with a point or an exponent, or the name
// of an infinity or NaN. Nothing if `text` is not a number.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// Append the shortest decimal number that converts back to the same double.
void append_number(std::string& out, double value);

}  // namespace hopefear
