#include "hopefear/grammar/grammar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "hopefear/base/checksum.hpp"
#include "hopefear/base/error.hpp"

namespace hopefear {

// Reads numbers written by `write_number` from bytes that may be damaged.
class Grammar::BoundedReader {
  public:
    explicit BoundedReader(std::span<const std::uint8_t> bytes)
        : at_(bytes.data()), end_(at_ + bytes.size()) {}

    // Whether everything so far was within bounds.
    [[nodiscard]] bool intact() const { return intact_; }
    [[nodiscard]] const std::uint8_t* at() const { return at_; }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

    std::uint32_t number() {
        if (at_ != end_ && at_[0] < 0x80) [[likely]]
            return *at_++;
        if (left() >= 2 && at_[1] < 0x80) [[likely]] {
            const std::uint32_t number = (at_[0] & 0x7fu) | static_cast<std::uint32_t>(at_[1]) << 7;
            at_ += 2;
            return number;
        }
        return long_number();
    }
    // How many entries follow; each takes at least a byte.
    std::uint32_t count() {
        const std::uint32_t count = number();
        intact_ &= count <= left();
        return intact_ ? count : 0;
    }
    // Pass over this many numbers.
    void skip(std::size_t count) {
        for (; count > 0 && at_ != end_; ++at_) count -= *at_ < 0x80 ? 1 : 0;
        intact_ &= count == 0;
    }
    float real() {
        float value = 0.0f;
        if (left() < sizeof value) {
            intact_ = false;
            return value;
        }
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

  private:
    std::uint32_t long_number() {
        std::uint64_t number = 0;
        for (int shift = 0; shift < 35 && at_ != end_; shift += 7) {
            const std::uint8_t byte = *at_++;
            number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) {
                intact_ &= number <= std::numeric_limits<std::uint32_t>::max();
                return static_cast<std::uint32_t>(number);
            }
        }
        intact_ = false;
        return 0;
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool intact_ = true;
};

bool Grammar::read_target(BoundedReader& reader, std::size_t word_count, Rule& rule) {
    rule.target.resize(reader.count());
    const auto arity = static_cast<std::uint32_t>(rule.arity);
    std::uint32_t slots = 0;
    for (Symbol& symbol : rule.target) {
        const std::uint32_t code = reader.number();
        if (code >= arity + word_count) return false;
        slots += code < arity;
        symbol = code < arity ? slot_symbol(static_cast<std::int32_t>(code))
                              : static_cast<Symbol>(code - arity);
    }
    if (!reader.intact() || slots != arity) return false;
    if (arity < 2) return true;
    for (std::uint32_t slot = 0; slot < arity; ++slot)
        if (std::ranges::find(rule.target, slot_symbol(static_cast<std::int32_t>(slot))) ==
            rule.target.end())
            return false;
    return true;
}

bool Grammar::read_alignment(BoundedReader& reader, Rule& rule) {
    rule.alignment.resize(reader.count());
    const auto width = static_cast<std::uint32_t>(rule.target.size());
    for (Link& link : rule.alignment) {
        const std::uint32_t code = reader.number();
        if (width == 0 || code / width >= static_cast<std::uint32_t>(rule.source_length))
            return false;
        link = {static_cast<std::uint16_t>(code / width), static_cast<std::uint16_t>(code % width)};
    }
    return reader.intact();
}

bool Grammar::read_sparse(BoundedReader& reader, std::size_t feature_count, Rule& rule) {
    const std::uint32_t count = reader.count();
    rule.sparse_ids.resize(count);
    rule.sparse_values.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t id = reader.number();
        if (id >= feature_count) return false;
        rule.sparse_ids[i] = static_cast<FeatureId>(id);
        rule.sparse_values[i] = reader.real();
        if (!std::isfinite(rule.sparse_values[i])) return false;
    }
    return reader.intact();
}

bool RuleRange::next(Rule& rule) {
    if (left_ == 0) return false;
    --left_;
    offset_ = grammar_->read_record(offset_, rule);
    return true;
}

bool RuleRange::next(RuleHead& head) {
    if (left_ == 0) return false;
    --left_;
    offset_ = grammar_->read_head(offset_, head);
    return true;
}

std::pair<Grammar::State, Grammar::State> Grammar::children(State state) const {
    if (state >= header_.node_count)
        broken("there is no state ", state, " among ", header_.node_count);
    const State begin = first_child_[state];
    const State end = first_child_[state + 1];
    // Children follow their parent, so every walk ends.
    if (begin > end || end > header_.node_count || begin <= state)
        broken("the children of state ", state, " cannot be ", begin, " to ", end);
    return {begin, end};
}

std::span<const Symbol> Grammar::symbols(State state) const {
    const auto [begin, end] = children(state);
    return {symbols_ + begin, symbols_ + end};
}

std::optional<Grammar::State> Grammar::child(State state, Symbol symbol) const {
    const auto [begin, end] = children(state);
    const std::int32_t* const found = std::lower_bound(symbols_ + begin, symbols_ + end, symbol);
    if (found == symbols_ + end || *found != symbol) return std::nullopt;
    return static_cast<State>(found - symbols_);
}

void Grammar::source_side(State state, std::vector<Symbol>& symbols) const {
    symbols.clear();
    while (state != root()) {
        // The children of all states are consecutive.
        const std::uint32_t* const end = first_child_ + header_.node_count;
        const auto parent =
            static_cast<State>(std::upper_bound(first_child_, end, state) - first_child_ - 1);
        const auto [first, last] = children(parent);
        if (state < first || state >= last) broken("state ", state, " has no parent");
        const Symbol symbol = symbols_[state];
        const Vocabulary& names = is_label(symbol) ? *labels_ : *source_words_;
        const Symbol number = is_label(symbol) ? label_of(symbol) : symbol;
        if (static_cast<std::size_t>(number) >= names.size())
            broken("state ", state, " has the symbol ", symbol);
        symbols.push_back(symbol);
        state = parent;
    }
    std::ranges::reverse(symbols);
}

bool Grammar::has_rules(State state) const {
    return state < header_.node_count && blocks_[state] != GrammarHeader::no_rules;
}

RuleRange Grammar::rules(State state) const {
    if (state >= header_.node_count)
        broken("there is no state ", state, " among ", header_.node_count);
    if (blocks_[state] == GrammarHeader::no_rules) return {*this, 0, 0};
    const std::size_t offset = std::size_t{4} * blocks_[state];
    std::uint32_t count = 0;
    if (offset + sizeof count > rules_.size()) broken("the rules of state ", state, " are outside");
    std::memcpy(&count, rules_.data() + offset, sizeof count);
    return {*this, count, offset + sizeof count};
}

void Grammar::read(RuleId id, Rule& rule) const {
    read_record(std::size_t{4} * id, rule);
}

namespace {

// Whether all are finite. The bits of the exponent of any other number are all ones, so that one
// more in the last of them becomes a carry. Two at once: this is done for every rule.
bool are_finite(const float* values, std::size_t count) {
    constexpr std::uint64_t exponents = 0x7f8000007f800000;
    constexpr std::uint64_t ones = 0x0080000000800000;
    constexpr std::uint64_t carries = 0x8000000080000000;
    std::uint64_t found = 0;
    for (; count >= 2; count -= 2, values += 2) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, values, sizeof bits);
        found |= (bits & exponents) + ones;
    }
    if (count > 0)
        found |= (std::uint64_t{std::bit_cast<std::uint32_t>(*values)} & exponents) + ones;
    return (found & carries) == 0;
}

}  // namespace

// Records begin at multiples of 4 bytes.
const float* Grammar::dense_features(std::size_t offset) const {
    if (offset > rules_.size() || rules_.size() - offset < header_.dense_count * sizeof(float))
        broken("a rule at ", offset, " is outside");
    const auto* const features = reinterpret_cast<const float*>(rules_.data() + offset);
    if (!are_finite(features, header_.dense_count))
        broken("a value of the rule at ", offset, " is not finite");
    return features;
}

[[gnu::always_inline]] inline bool Grammar::read_arity(BoundedReader& reader,
                                                       std::int32_t& source_length,
                                                       std::int32_t& arity) {
    const std::uint32_t length = reader.number();
    const std::uint32_t nonterminals = reader.number();
    source_length = static_cast<std::int32_t>(length);
    arity = static_cast<std::int32_t>(nonterminals);
    return length <= longest_sentence && nonterminals <= length;
}

std::size_t Grammar::read_head(std::size_t offset, RuleHead& head) const {
    const std::size_t dense = header_.dense_count * sizeof(float);
    head.id = static_cast<RuleId>(offset / 4);
    head.features = {dense_features(offset), header_.dense_count};
    BoundedReader reader(rules_.subspan(offset + dense));
    std::int32_t source_length = 0;
    const bool fits = read_arity(reader, source_length, head.arity);
    head.lhs = static_cast<Label>(reader.number());
    head.target_length = reader.count();
    head.target = reader.at();
    reader.skip(head.target_length);
    reader.skip(reader.count());  // links
    const std::uint32_t sparse = header_.has_sparse == 0 ? 0 : reader.count();
    for (std::uint32_t i = 0; i < sparse; ++i) {
        reader.skip(1);
        reader.real();
    }
    head.has_sparse = sparse > 0;
    if (!fits || !reader.intact() || static_cast<std::size_t>(head.lhs) >= labels_->size())
        broken("the rule at ", offset, " is damaged");
    return (rules_.size() - reader.left() + 3) / 4 * 4;
}

bool Grammar::read_sides(BoundedReader& reader, Rule& rule) const {
    const bool fits = read_arity(reader, rule.source_length, rule.arity);
    const std::uint32_t lhs = reader.number();
    rule.lhs = static_cast<Label>(lhs);
    return fits && reader.intact() && lhs < labels_->size() &&
           read_target(reader, target_words_->size(), rule);
}

// The numbers are within bounds: the head was read past them.
void Grammar::append_target(const RuleHead& head, std::span<const Symbol> words,
                            std::vector<Symbol>& symbols) const {
    const auto arity = static_cast<std::uint32_t>(head.arity);
    const std::size_t begin = symbols.size();
    symbols.resize(begin + head.target_length);
    BoundedReader reader(rules_.subspan(static_cast<std::size_t>(head.target - rules_.data())));
    bool intact = true;
    std::uint32_t slots = 0;
    for (auto symbol = symbols.begin() + static_cast<std::ptrdiff_t>(begin);
         symbol != symbols.end(); ++symbol) {
        const std::uint32_t code = reader.number();
        if (code >= arity) [[likely]] {
            intact &= code - arity < words.size();
            *symbol = intact ? words[code - arity] : 0;
        } else {
            const Symbol slot = slot_symbol(static_cast<std::int32_t>(code));
            const auto before = symbols.begin() + static_cast<std::ptrdiff_t>(begin);
            intact &= std::find(before, symbol, slot) == symbol;
            *symbol = slot;
            ++slots;
        }
    }
    if (!intact || slots != arity) broken("the rule at ", std::size_t{4} * head.id, " is damaged");
}

std::size_t Grammar::read_record(std::size_t offset, Rule& rule) const {
    const std::size_t dense = header_.dense_count * sizeof(float);
    const float* const features = dense_features(offset);
    rule.id = static_cast<RuleId>(offset / 4);
    rule.features.assign(features, features + header_.dense_count);
    BoundedReader reader(rules_.subspan(offset + dense));
    rule.sparse_ids.clear();
    rule.sparse_values.clear();
    const bool intact = read_sides(reader, rule) && read_alignment(reader, rule) &&
                        (header_.has_sparse == 0 || read_sparse(reader, kinds_.size(), rule));
    if (!intact) broken("the rule at ", offset, " is damaged");
    const std::size_t end = rules_.size() - reader.left();
    return (end + 3) / 4 * 4;
}

std::vector<Rule> read_rules(const Grammar& grammar, Grammar::State state) {
    RuleRange range = grammar.rules(state);
    std::vector<Rule> rules;
    for (Rule rule; range.next(rule);) rules.push_back(rule);
    return rules;
}

Rule read_rule(const Grammar& grammar, RuleId id) {
    Rule rule;
    grammar.read(id, rule);
    return rule;
}

}  // namespace hopefear
