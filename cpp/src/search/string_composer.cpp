#include "hopefear/search/string_composer.hpp"

namespace hopefear {

ClippedCounts::ClippedCounts(const ReferenceAutomaton& automaton)
    : automaton_(&automaton), blocks_((automaton.size() + bits - 1) / bits) {
    column_.reserve(automaton.size());
    for (std::size_t i = 0; i < automaton.size(); ++i) {
        const std::int32_t limit = automaton.limit(static_cast<State>(i));
        column_.push_back(limit > 1 ? static_cast<std::int32_t>(limits_.size()) : -1);
        if (limit > 1) limits_.push_back(limit);
    }
    columns_ = limits_.size();
}

void ClippedCounts::clear() {
    present_.clear();
    counts_.clear();
}

void ClippedCounts::push_back(std::span<const String> strings, std::span<const State> added) {
    present_.resize(present_.size() + blocks_);
    counts_.resize(counts_.size() + columns_);
    replace(static_cast<String>(present_.size() / blocks_ - 1), strings, added);
}

void ClippedCounts::replace(String replaced, std::span<const String> strings,
                            std::span<const State> added) {
    const std::size_t block = replaced * blocks_;
    const std::size_t row = replaced * columns_;
    std::fill_n(present_.begin() + static_cast<std::ptrdiff_t>(block), blocks_, 0);
    std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(row), columns_, 0);
    for (const String string : strings) {
        for (std::size_t i = 0; i < blocks_; ++i)
            present_[block + i] |= present_[string * blocks_ + i];
        for (std::size_t i = 0; i < columns_; ++i)
            counts_[row + i] =
                std::min(counts_[row + i] + counts_[string * columns_ + i], limits_[i]);
    }
    for (const State state : added) {
        const auto at = static_cast<std::size_t>(state);
        present_[block + at / bits] |= Bits{1} << at % bits;
        if (column_[state] >= 0) ++counts_[row + static_cast<std::size_t>(column_[state])];
    }
}

}  // namespace hopefear
