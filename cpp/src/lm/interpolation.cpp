#include "hopefear/lm/interpolation.hpp"

#include <string>

#include "hopefear/base/error.hpp"

namespace hopefear::kneser_ney {

namespace {

[[noreturn]] void refuse(std::size_t order, const std::string& why) {
    fail<DataError>("the discounts of ", order, "-grams cannot be estimated: ", why,
                    "; the text is too small or too repetitive for modified Kneser-Ney smoothing. "
                    "Use more text, remove repeated sentences, choose a lower order, or give a "
                    "discount fallback such as 0.5, 1, 1.5");
}

// Why the counts of counts are unusable; empty if they are usable.
std::string missing(const CountsOfCounts& n) {
    for (std::size_t i = 1; i <= 3; ++i)
        if (n.of(i) == 0) return "none has the adjusted count " + std::to_string(i);
    return {};
}

}  // namespace

Discounts estimate_discounts(std::size_t order, const CountsOfCounts& n,
                             const std::optional<std::array<double, 3>>& fallback) {
    std::string why = missing(n);
    std::array<double, 3> values{};
    // Y = n₁ / (n₁ + 2n₂),  Dᵢ = i − (i + 1) Y nᵢ₊₁ / nᵢ   (eq. 26)
    const auto count = [&](std::size_t i) { return static_cast<double>(n.of(i)); };
    const double y = count(1) / (count(1) + 2 * count(2));
    for (std::size_t i = 1; why.empty() && i <= 3; ++i) {
        const auto whole = static_cast<double>(i);
        values[i - 1] = whole - (whole + 1) * y * count(i + 1) / count(i);
        // Unlike lmplz, 0 is out of range: a context without discount would back off with log 0.
        if (!(values[i - 1] > 0 && values[i - 1] <= whole))
            why = "that of count " + std::to_string(i) + " is " + std::to_string(values[i - 1]) +
                  ", not above 0 and at most " + std::to_string(i);
    }
    if (why.empty()) return Discounts(values);
    if (!fallback) refuse(order, why);
    return Discounts(*fallback);
}

}  // namespace hopefear::kneser_ney
