#include "hopefear/io/columns.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <unordered_map>

namespace hopefear {

namespace {

enum class Coding : std::uint8_t { decimal, single, full, dictionary };

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int max_power = 22;                               // the largest that is exact
constexpr std::int64_t max_digits = std::int64_t{1} << 53;  // likewise
constexpr std::uint8_t not_decimal = 255;

// digits · 10^-places; one correctly rounded operation on two exact numbers.
double from_decimal(std::int64_t digits, int places) {
    return places >= 0 ? static_cast<double>(digits) / powers[places]
                       : static_cast<double>(digits) * powers[-places];
}

struct Decimal {
    std::int64_t digits;
    int places;  // 255 stands for none
};

// The shortest decimal number that converts to `value`, if it is short enough for fast conversion.
bool to_decimal(double value, Decimal& decimal) {
    char text[32];
    const char* const end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    const char* const exponent = std::find(static_cast<const char*>(text), end, 'e');
    int power = 0;
    if (exponent == end) return false;  // infinite, or not a number
    std::from_chars(exponent + (exponent[1] == '+' ? 2 : 1), end, power);
    decimal = {0, -power};
    for (const char* at = text + (text[0] == '-'); at < exponent; ++at) {
        if (*at == '.') continue;
        if (at > text + (text[0] == '-')) ++decimal.places;
        decimal.digits = 10 * decimal.digits + (*at - '0');
        if (decimal.digits >= max_digits) return false;
    }
    for (; decimal.places < 0 && decimal.digits < max_digits / 10; ++decimal.places)
        decimal.digits *= 10;
    if (text[0] == '-') decimal.digits = -decimal.digits;
    return decimal.places >= 0 && decimal.places <= max_power &&
           std::bit_cast<std::uint64_t>(from_decimal(decimal.digits, decimal.places)) ==
               std::bit_cast<std::uint64_t>(value);
}

// Numbers of `Width` bytes each, stored with all first bytes first, then all second ones: signs and
// exponents are similar and compress well together.
template <class Bits>
void write_planes(ByteWriter& out, const std::vector<Bits>& numbers) {
    for (std::size_t plane = sizeof(Bits); plane-- > 0;)
        for (const Bits bits : numbers) out.byte(static_cast<std::uint8_t>(bits >> (8 * plane)));
}

template <class Bits>
std::vector<Bits> read_planes(ByteReader& in, std::size_t count) {
    if (count > in.remaining() / sizeof(Bits)) fail<FormatError>("the stored data ends too early");
    std::vector<Bits> numbers(count, 0);
    for (std::size_t plane = sizeof(Bits); plane-- > 0;)
        for (Bits& bits : numbers) bits |= static_cast<Bits>(Bits{in.byte()} << (8 * plane));
    return numbers;
}

ByteWriter write_decimal(std::span<const double> values) {
    ByteWriter places;
    ByteWriter digits;
    std::vector<std::uint64_t> others;
    for (const double value : values) {
        Decimal decimal;
        if (to_decimal(value, decimal)) {
            places.byte(static_cast<std::uint8_t>(decimal.places));
            digits.varint(zigzag(decimal.digits));
        } else {
            places.byte(not_decimal);
            others.push_back(std::bit_cast<std::uint64_t>(value));
        }
    }
    ByteWriter out;
    out.byte(static_cast<std::uint8_t>(Coding::decimal));
    out.append(places);
    out.append(digits);
    write_planes(out, others);
    return out;
}

std::vector<double> read_decimal(ByteReader& in, std::size_t count) {
    const auto places = in.take(count);
    std::vector<double> values(count);
    std::size_t others = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = static_cast<std::uint8_t>(places[i]);
        if (place == not_decimal) {
            ++others;
            continue;
        }
        if (place > max_power)
            fail<FormatError>("a stored number has ", int{place}, " decimal places");
        values[i] = from_decimal(unzigzag(in.varint()), place);
    }
    const std::vector<std::uint64_t> bits = read_planes<std::uint64_t>(in, others);
    for (std::size_t i = 0, next = 0; i < count; ++i)
        if (static_cast<std::uint8_t>(places[i]) == not_decimal)
            values[i] = std::bit_cast<double>(bits[next++]);
    return values;
}

ByteWriter write_binary(std::span<const double> values) {
    ByteWriter out;
    const bool single = std::ranges::all_of(values, [](double value) {
        return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(value))) ==
               std::bit_cast<std::uint64_t>(value);
    });
    out.byte(static_cast<std::uint8_t>(single ? Coding::single : Coding::full));
    if (single) {
        std::vector<std::uint32_t> bits;
        for (const double value : values)
            bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
        write_planes(out, bits);
    } else {
        std::vector<std::uint64_t> bits;
        for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
        write_planes(out, bits);
    }
    return out;
}

std::vector<double> read_binary(ByteReader& in, std::size_t count, bool single) {
    std::vector<double> values;
    values.reserve(std::min(count, in.remaining()));
    if (single)
        for (const std::uint32_t bits : read_planes<std::uint32_t>(in, count))
            values.push_back(std::bit_cast<float>(bits));
    else
        for (const std::uint64_t bits : read_planes<std::uint64_t>(in, count))
            values.push_back(std::bit_cast<double>(bits));
    return values;
}

void write_plain(ByteWriter& out, std::span<const double> values) {
    const ByteWriter decimal = write_decimal(values);
    const ByteWriter binary = write_binary(values);
    out.append(decimal.size() <= binary.size() ? decimal : binary);
}

std::vector<double> read_plain(ByteReader& in, Coding coding, std::size_t count) {
    switch (coding) {
        case Coding::decimal:
            return read_decimal(in, count);
        case Coding::single:
            return read_binary(in, count, true);
        case Coding::full:
            return read_binary(in, count, false);
        default:
            fail<FormatError>("unknown encoding of a column of numbers: ",
                              static_cast<int>(coding));
    }
}

}  // namespace

void write_values(ByteWriter& out, std::span<const double> values) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    std::vector<double> different;
    std::vector<std::uint32_t> chosen;
    chosen.reserve(values.size());
    for (const double value : values) {
        const auto [at, added] = numbers.try_emplace(std::bit_cast<std::uint64_t>(value),
                                                     static_cast<std::uint32_t>(different.size()));
        if (added) different.push_back(value);
        chosen.push_back(at->second);
    }
    if (2 * different.size() > values.size()) {
        write_plain(out, values);
        return;
    }
    out.byte(static_cast<std::uint8_t>(Coding::dictionary));
    out.varint(different.size());
    write_plain(out, different);
    if (different.size() > 1)
        for (const std::uint32_t number : chosen) out.varint(number);
}

std::vector<double> read_values(ByteReader& in, std::size_t count) {
    const Coding coding{in.byte()};
    if (coding != Coding::dictionary) return read_plain(in, coding, count);
    const std::size_t different = in.count("different values of a column");
    const std::vector<double> dictionary = read_plain(in, Coding{in.byte()}, different);
    if (dictionary.size() == 1) return std::vector<double>(count, dictionary[0]);
    std::vector<double> values;
    values.reserve(std::min(count, in.remaining()));
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(dictionary[in.below(different, "the number of a value")]);
    return values;
}

}  // namespace hopefear
