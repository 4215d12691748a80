// A synchronous grammar: rules in a compact, memory-mapped table behind a trie of source sides.
//
// Chiang (2007), Hierarchical phrase-based translation. A rule X → ⟨γ, α, ~⟩ rewrites a nonterminal
// to a source side γ and a target side α; ~ pairs their nonterminals. The table is never changed,
// so threads and processes share it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/base/feature_rows.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/grammar/alignment.hpp"
#include "hopefear/grammar/file.hpp"

namespace hopefear {

// A nonterminal's name, as a number.
using Label = std::int32_t;

// On a source side, a symbol is a word's id if >= 0, otherwise ~label. On a target side, it is a
// word's id or ~slot (see forest.hpp), where slot i stands for nonterminal i of the source side.
[[nodiscard]] constexpr Symbol label_symbol(Label label) {
    return ~label;
}
[[nodiscard]] constexpr bool is_label(Symbol symbol) {
    return symbol < 0;
}
[[nodiscard]] constexpr Label label_of(Symbol symbol) {
    return ~symbol;
}

// What the values of a feature are.
enum class FeatureKind : std::uint8_t {
    score,        // used by the model as it is
    probability,  // its logarithm is used by the model
    count,        // how often something was seen
};

// The value that the model uses: for a probability its logarithm, at least -100, as in Moses.
[[nodiscard]] inline double score_of(FeatureKind kind, float value) {
    constexpr double floor = -100.0;
    if (kind != FeatureKind::probability) return value;
    return value > 0.0f ? std::max(std::log(static_cast<double>(value)), floor) : floor;
}

// The position of a rule in its table, valid as long as the file does not change.
using RuleId = std::uint32_t;

// A rule without its source side, which is the path through the trie.
struct Rule {
    RuleId id = 0;
    Label lhs = 0;
    std::int32_t source_length = 0;
    std::int32_t arity = 0;       // nonterminals on each side
    std::vector<float> features;  // the dense ones
    std::vector<Symbol> target;
    std::vector<Link> alignment;        // between words, by positions in the rule; sorted
    std::vector<FeatureId> sparse_ids;  // increasing
    std::vector<float> sparse_values;
};

// What can be known of a rule without reading its words. Valid as long as its grammar.
struct RuleHead {
    RuleId id = 0;
    Label lhs = 0;
    std::int32_t arity = 0;
    std::size_t target_length = 0;
    const std::uint8_t* target = nullptr;  // for Grammar::append_target
    std::span<const float> features;       // the dense ones
    bool has_sparse = false;               // features besides these
};

class Grammar;

// The rules of one source side, one after the other.
class RuleRange {
  public:
    [[nodiscard]] std::size_t size() const { return left_; }
    // Read the next rule, reusing the buffers of `rule`; false if there is none.
    bool next(Rule& rule);
    // The same for its head alone, which is several times faster.
    bool next(RuleHead& head);

  private:
    friend class Grammar;
    RuleRange(const Grammar& grammar, std::size_t left, std::size_t offset)
        : grammar_(&grammar), left_(left), offset_(offset) {}

    const Grammar* grammar_;
    std::size_t left_;
    std::size_t offset_;  // of the next record
};

class Grammar {
  public:
    // A node of the trie: the beginning of a source side.
    using State = std::uint32_t;

    // Open a file. The header, the strings and all sizes are always checked, and every later access
    // is checked against those sizes; `verify` also compares the checksum of the whole file. Throws
    // FormatError.
    explicit Grammar(const std::string& path, bool verify = true);
    // The same for a file in memory; `name` is used in messages.
    Grammar(std::vector<std::uint8_t> bytes, std::string name);

    // Throw FormatError if the file changed since it was opened.
    void check_unchanged() const;
    // Take what was read of the file out of the memory of the process, until it is read again.
    void forget_pages() const { file_.forget_pages(); }

    [[nodiscard]] State root() const { return 0; }
    // The child of `state` under `symbol`.
    [[nodiscard]] std::optional<State> child(State state, Symbol symbol) const;
    // The symbols of the children of `state`, increasing; symbol i leads to first_child(state) + i.
    [[nodiscard]] std::span<const Symbol> symbols(State state) const;
    [[nodiscard]] State first_child(State state) const { return children(state).first; }
    // The symbols on the way to `state`.
    void source_side(State state, std::vector<Symbol>& symbols) const;
    // The rules whose source side ends at `state`.
    [[nodiscard]] RuleRange rules(State state) const;
    [[nodiscard]] bool has_rules(State state) const;
    // A rule by its id; throws FormatError if there is none.
    void read(RuleId id, Rule& rule) const;
    // Append the target side of the rule with this head to `symbols`, with words[w] for a word w.
    void append_target(const RuleHead& head, std::span<const Symbol> words,
                       std::vector<Symbol>& symbols) const;

    [[nodiscard]] std::size_t rule_count() const { return header_.rule_count; }
    [[nodiscard]] std::size_t source_count() const { return header_.source_count; }
    [[nodiscard]] std::size_t state_count() const { return header_.node_count; }
    [[nodiscard]] std::size_t bytes() const { return header_.file_size; }
    // The number of features that every rule has; they have the lowest ids.
    [[nodiscard]] std::size_t dense_count() const { return header_.dense_count; }
    [[nodiscard]] FeatureKind kind(FeatureId feature) const { return kinds_[feature]; }
    [[nodiscard]] std::span<const FeatureKind> kinds() const { return kinds_; }

    [[nodiscard]] const std::shared_ptr<Vocabulary>& source_words() const { return source_words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& target_words() const { return target_words_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& labels() const { return labels_; }
    [[nodiscard]] const std::shared_ptr<Vocabulary>& feature_names() const {
        return feature_names_;
    }
    [[nodiscard]] std::string_view notes() const;
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    friend class RuleRange;
    class BoundedReader;

    static bool read_target(BoundedReader& reader, std::size_t word_count, Rule& rule);
    static bool read_alignment(BoundedReader& reader, Rule& rule);
    static bool read_sparse(BoundedReader& reader, std::size_t feature_count, Rule& rule);
    static bool read_arity(BoundedReader& reader, std::int32_t& source_length, std::int32_t& arity);
    bool read_sides(BoundedReader& reader, Rule& rule) const;
    void open(bool verify);
    void check_header() const;
    void verify_checksums() const;
    [[nodiscard]] const GrammarHeader::Place* damaged_section() const;
    [[nodiscard]] std::span<const std::uint8_t> section(GrammarHeader::Section section) const;
    template <class T>
    [[nodiscard]] const T* array(GrammarHeader::Section section, std::size_t count) const;
    [[nodiscard]] std::shared_ptr<Vocabulary> read_strings(GrammarHeader::Section section) const;
    void read_kinds();
    [[nodiscard]] std::pair<State, State> children(State state) const;
    // Read the record at `offset` of the rules; returns the offset of the next one.
    std::size_t read_record(std::size_t offset, Rule& rule) const;
    std::size_t read_head(std::size_t offset, RuleHead& head) const;
    [[nodiscard]] const float* dense_features(std::size_t offset) const;
    template <class... Parts>
    [[noreturn]] void broken(const Parts&... parts) const {
        fail<FormatError>(name_, ": damaged grammar: ", parts...);
    }

    std::string name_;
    FileBytes file_;
    GrammarHeader header_;
    const std::int32_t* symbols_ = nullptr;
    const std::uint32_t* first_child_ = nullptr;
    const std::uint32_t* blocks_ = nullptr;
    std::span<const std::uint8_t> rules_;
    std::vector<FeatureKind> kinds_;
    std::shared_ptr<Vocabulary> source_words_;
    std::shared_ptr<Vocabulary> target_words_;
    std::shared_ptr<Vocabulary> labels_;
    std::shared_ptr<Vocabulary> feature_names_;
};

// The rules of a state, and one rule, as values.
[[nodiscard]] std::vector<Rule> read_rules(const Grammar& grammar, Grammar::State state);
[[nodiscard]] Rule read_rule(const Grammar& grammar, RuleId id);

}  // namespace hopefear
