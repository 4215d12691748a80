#include "hopefear/base/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hopefear {

namespace {

// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> powers_of_ten = [] {
    std::array<double, 23> powers{};
    powers[0] = 1.0;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10.0;
    return powers;
}();

// Clinger (1990), How to read floating point numbers accurately: digits below 2^53 and a power of
// ten up to 22 are both exact, so that one division rounds once, which is right. Most feature
// values are like this. Nothing if `text` has another form.
[[nodiscard]] std::optional<double> parse_short(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool negative = at != end && *at == '-';
    at += negative;
    std::uint64_t digits = 0;
    const char* const first = at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + (*at - '0');
    std::ptrdiff_t count = at - first;
    std::ptrdiff_t decimals = 0;
    if (at != end && *at == '.') {
        const char* const point = at++;
        for (; at != end && *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + (*at - '0');
        decimals = at - point - 1;
        count += decimals;
    }
    // 15 digits are below 2^53.
    if (at != end || count == 0 || count > 15) return std::nullopt;
    const double value = static_cast<double>(digits) / powers_of_ten[decimals];
    return negative ? -value : value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    if (const auto value = parse_short(text)) return value;
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument)
        return std::nullopt;
    if (error == std::errc::result_out_of_range) {
        // from_chars does not tell overflow from underflow; a wider number does.
        const long double wide = std::strtold(std::string(text).c_str(), nullptr);
        value = std::abs(wide) < 1.0L ? 0.0 : std::numeric_limits<double>::infinity();
        if (std::signbit(wide)) value = -value;
    }
    return value;
}

void append_number(std::string& out, double value) {
    std::array<char, 32> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out.append(digits.data(), end);
}

}  // namespace hopefear
