// Source sides as numbers whose order is that of the trie.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear::extraction {

// The symbols of a source side, from the highest bits down; 0 where there are none left.
struct SourceKey {
    std::uint64_t high;
    std::uint64_t low;

    friend auto operator<=>(const SourceKey&, const SourceKey&) = default;
};

// Packs symbols into keys: 1 is X, a word is its id plus 2.
class SourceKeys {
  public:
    // Throws ConfigError if source sides of `max_symbols` symbols do not fit.
    SourceKeys(std::size_t word_count, std::int32_t max_symbols)
        : bits_(std::bit_width(word_count + 1)) {
        if (bits_ * max_symbols > 128)
            fail<ConfigError>("source sides of up to ", max_symbols, " symbols over ", word_count,
                              " words do not fit into 128 bits; at most ", 128 / bits_,
                              " symbols would");
    }

    // Append a symbol to a key that has `length` of them.
    void append(SourceKey& key, int length, std::uint64_t code) const {
        const int shift = 128 - bits_ * (length + 1);
        if (shift >= 64) {
            key.high |= code << (shift - 64);
        } else {
            key.low |= code << shift;
            if (shift > 0 && shift + bits_ > 64) key.high |= code >> (64 - shift);
        }
    }
    [[nodiscard]] static std::uint64_t code(std::int32_t word) {
        return static_cast<std::uint64_t>(word) + 2;
    }
    static constexpr std::uint64_t nonterminal = 1;

    void unpack(const SourceKey& key, std::vector<Symbol>& symbols) const {
        symbols.clear();
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        for (int shift = 128 - bits_; shift >= 0; shift -= bits_) {
            std::uint64_t code = shift >= 64 ? key.high >> (shift - 64) : key.low >> shift;
            if (shift < 64 && shift > 0) code |= key.high << (64 - shift);
            code &= mask;
            if (code == 0) return;
            symbols.push_back(code == nonterminal ? label_symbol(0)
                                                  : static_cast<Symbol>(code - 2));
        }
    }

  private:
    int bits_;
};

}  // namespace hopefear::extraction
