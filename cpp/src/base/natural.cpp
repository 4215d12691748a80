#include "hopefear/base/natural.hpp"

#include <algorithm>
#include <charconv>

#include "hopefear/base/error.hpp"

namespace hopefear {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t digits_per_limb = 16;

}  // namespace

Natural Natural::from_limbs(std::vector<std::uint64_t>&& limbs) {
    while (limbs.size() > 1 && limbs.back() == 0) limbs.pop_back();
    if (64 * limbs.size() > max_bits)
        fail<ForestError>("the forest has more than 2^", max_bits - 64,
                          " derivations, which is too many to count");
    Natural number(limbs.empty() ? 0 : limbs[0]);
    if (limbs.size() > 1) number.high_.assign(limbs.begin() + 1, limbs.end());
    return number;
}

Natural operator+(const Natural& a, const Natural& b) {
    const std::uint64_t low = a.low_ + b.low_;
    if (a.high_.empty() && b.high_.empty() && low >= a.low_) return Natural(low);
    std::vector<std::uint64_t> sum;
    Wide carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (i < a.size()) carry += a.limb(i);
        if (i < b.size()) carry += b.limb(i);
        sum.push_back(static_cast<std::uint64_t>(carry));
        carry >>= 64;
    }
    sum.push_back(static_cast<std::uint64_t>(carry));
    return Natural::from_limbs(std::move(sum));
}

Natural operator*(const Natural& a, const Natural& b) {
    if (a.high_.empty() && b.high_.empty()) {
        const Wide product = static_cast<Wide>(a.low_) * b.low_;
        if (product >> 64 == 0) return Natural(static_cast<std::uint64_t>(product));
    }
    std::vector<std::uint64_t> product(a.size() + b.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        Wide carry = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            carry += static_cast<Wide>(a.limb(i)) * b.limb(j) + product[i + j];
            product[i + j] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        product[i + b.size()] = static_cast<std::uint64_t>(carry);
    }
    return Natural::from_limbs(std::move(product));
}

Natural Natural::from_hex(std::string_view digits) {
    std::vector<std::uint64_t> limbs;
    while (!digits.empty()) {
        const std::size_t length = std::min(digits.size(), digits_per_limb);
        const std::string_view part = digits.substr(digits.size() - length);
        std::uint64_t limb = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), limb, 16);
        if (error != std::errc() || end != part.data() + part.size())
            fail<DataError>("'", part, "' is not a hexadecimal number");
        limbs.push_back(limb);
        digits.remove_suffix(length);
    }
    return from_limbs(std::move(limbs));
}

std::string Natural::hex() const {
    std::string text;
    for (std::size_t i = size(); i-- > 0;) {
        char buffer[digits_per_limb];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, limb(i), 16).ptr;
        const std::size_t length = end - buffer;
        if (!text.empty()) text.append(digits_per_limb - length, '0');
        text.append(buffer, length);
    }
    return text;
}

}  // namespace hopefear
