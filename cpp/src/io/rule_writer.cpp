// Rule tables written as text.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/io/rule_text.hpp"

namespace hopefear {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

// The shortest number that reads back as the same float.
void append_float(std::string& out, float value) {
    std::array<char, 32> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out.append(digits.data(), end);
}

bool is_plain(std::string_view text) {
    if (text.empty() || text == "|||") return false;
    for (const char c : text)
        if (is_blank(c) || c == '\n') return false;
    return true;
}

class RuleWriter {
  public:
    RuleWriter(const Grammar& grammar, RuleTextForm::Table table, const TextSink& sink)
        : grammar_(grammar), moses_(table == RuleTextForm::Table::moses), sink_(sink) {
        for (std::size_t i = 0; i < grammar.labels()->size(); ++i) check_label(i);
        for (const char* const name : {"count_e", "count_f", "count_f_e"}) {
            const auto id = grammar.feature_names()->find(name);
            if (id && static_cast<std::size_t>(*id) < grammar.dense_count() &&
                grammar.kind(*id) == FeatureKind::count)
                counts_.push_back(*id);
        }
        if (counts_.size() != 3) counts_.clear();
    }

    // The path through the trie is kept here, not on the call stack: a broken file may be deep.
    void run() {
        append_rules(grammar_.root());
        std::vector<Visit> way{visit(grammar_.root())};
        while (!way.empty()) {
            Visit& top = way.back();
            if (top.next == top.symbols.size()) {
                way.pop_back();
                if (!source_.empty()) source_.pop_back();
                continue;
            }
            source_.push_back(top.symbols[top.next]);
            const auto child = static_cast<Grammar::State>(top.first_child + top.next++);
            append_rules(child);
            way.push_back(visit(child));
        }
        if (!text_.empty()) sink_(text_);
    }

  private:
    // A state whose children are being visited.
    struct Visit {
        std::span<const Symbol> symbols;
        Grammar::State first_child;
        std::size_t next;
    };
    [[nodiscard]] Visit visit(Grammar::State state) const {
        return {grammar_.symbols(state), grammar_.first_child(state), 0};
    }

    void append_rules(Grammar::State state) {
        RuleRange rules = grammar_.rules(state);
        while (rules.next(rule_)) {
            moses_ ? append_moses() : append_hiero();
            text_ += '\n';
            if (text_.size() < piece_bytes) continue;
            sink_(text_);
            text_.clear();
        }
    }

    void append_moses() {
        for (const Symbol symbol : source_) {
            is_label(symbol) ? append_pair(label_of(symbol))
                             : append_word(*grammar_.source_words(), symbol);
            text_ += ' ';
        }
        text_ += "[X] ||| ";
        for (const Symbol symbol : rule_.target) {
            is_slot(symbol) ? append_pair(label_of(source_[place_of(slot_of(symbol))]))
                            : append_word(*grammar_.target_words(), symbol);
            text_ += ' ';
        }
        text_ += '[';
        text_ += grammar_.labels()->text(rule_.lhs);
        text_ += "] |||";
        append_scores();
        text_ += " |||";
        for (std::size_t t = 0; t < rule_.target.size(); ++t)
            if (is_slot(rule_.target[t])) append_link(place_of(slot_of(rule_.target[t])), t);
        for (const Link link : rule_.alignment) append_link(link.source, link.target);
        text_ += " |||";
        for (const FeatureId id : counts_) append_value(rule_.features[id]);
        text_ += " |||";
        for (std::size_t i = 0; i < rule_.sparse_ids.size(); ++i) {
            text_ += ' ';
            append_name(rule_.sparse_ids[i]);
            text_ += ' ';
            append_float(text_, rule_.sparse_values[i]);
        }
        text_ += " |||";
    }

    // Moses takes logarithms of all scores.
    void append_scores() {
        for (std::size_t i = 0; i < rule_.features.size(); ++i) {
            const FeatureKind kind = grammar_.kind(static_cast<FeatureId>(i));
            if (kind == FeatureKind::count) continue;
            if (kind == FeatureKind::probability) {
                append_value(rule_.features[i]);
            } else {
                text_ += ' ';
                append_number(text_, std::exp(static_cast<double>(rule_.features[i])));
            }
        }
    }

    void append_hiero() {
        text_ += '[';
        text_ += grammar_.labels()->text(rule_.lhs);
        text_ += "] |||";
        std::size_t number = 0;
        for (const Symbol symbol : source_) {
            text_ += ' ';
            is_label(symbol) ? append_numbered(label_of(symbol), ++number)
                             : append_word(*grammar_.source_words(), symbol);
        }
        text_ += " |||";
        for (const Symbol symbol : rule_.target) {
            text_ += ' ';
            if (is_slot(symbol)) {
                const auto slot = static_cast<std::size_t>(slot_of(symbol));
                append_numbered(label_of(source_[place_of(slot_of(symbol))]), slot + 1);
            } else {
                append_word(*grammar_.target_words(), symbol);
            }
        }
        text_ += " |||";
        for (std::size_t i = 0; i < rule_.features.size(); ++i)
            append_feature(static_cast<FeatureId>(i), rule_.features[i]);
        for (std::size_t i = 0; i < rule_.sparse_ids.size(); ++i)
            append_feature(rule_.sparse_ids[i], rule_.sparse_values[i]);
        if (rule_.alignment.empty()) return;
        text_ += " |||";
        for (const Link link : rule_.alignment) append_link(link.source, link.target);
    }

    void append_feature(FeatureId id, float value) {
        text_ += ' ';
        append_name(id);
        text_ += '=';
        if (grammar_.kind(id) == FeatureKind::probability)
            append_number(text_, score_of(FeatureKind::probability, value));
        else
            append_float(text_, value);
    }
    void append_name(FeatureId id) {
        const std::string_view name = grammar_.feature_names()->text(id);
        if (!is_plain(name) || (!moses_ && name.find(';') != std::string_view::npos))
            fail<FormatError>(grammar_.name(), ": feature '", name, "' cannot be written as text");
        text_ += name;
    }
    void append_value(float value) {
        text_ += ' ';
        append_float(text_, value);
    }
    void append_link(std::size_t source, std::size_t target) {
        text_ += ' ';
        text_ += std::to_string(source);
        text_ += '-';
        text_ += std::to_string(target);
    }
    void append_pair(Label label) {
        text_ += "[X][";
        text_ += grammar_.labels()->text(label);
        text_ += ']';
    }
    void append_numbered(Label label, std::size_t number) {
        text_ += '[';
        text_ += grammar_.labels()->text(label);
        text_ += ',';
        text_ += std::to_string(number);
        text_ += ']';
    }
    void append_word(const Vocabulary& words, Symbol word) {
        const std::string_view text = words.text(word);
        const bool brackets = text.size() > 2 && text.front() == '[' && text.back() == ']';
        if (!is_plain(text) || brackets)
            fail<FormatError>(grammar_.name(), ": word '", text,
                              "' cannot be written: it would not be read back as a word");
        text_ += text;
    }
    void check_label(std::size_t label) const {
        const std::string_view text = grammar_.labels()->text(static_cast<Label>(label));
        const bool number = text.find_first_not_of("0123456789") == std::string_view::npos;
        if (!is_plain(text) || number || text.find_first_of("[],") != std::string_view::npos)
            fail<FormatError>(grammar_.name(), ": label '", text, "' cannot be written as text");
    }

    // The position of nonterminal `slot` on the source side.
    [[nodiscard]] std::size_t place_of(std::int32_t slot) const {
        std::size_t place = 0;
        for (; place < source_.size(); ++place)
            if (is_label(source_[place]) && slot-- == 0) return place;
        fail<FormatError>(grammar_.name(), ": a rule has more nonterminals than its source side");
    }

    const Grammar& grammar_;
    bool moses_;
    const TextSink& sink_;
    std::vector<FeatureId> counts_;
    std::vector<Symbol> source_;
    Rule rule_;
    std::string text_;
};

}  // namespace

void write_rules(const Grammar& grammar, RuleTextForm::Table table, const TextSink& sink) {
    RuleWriter(grammar, table, sink).run();
}

}  // namespace hopefear
