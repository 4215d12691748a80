// Parses sentences with the source sides of all grammars of a translation model.
//
// Chappelier & Rajman (1998), A generalized CYK algorithm for parsing stochastic CFG (CYK+);
// Sennrich (2014), A CYK+ variant for SCFG decoding without a dot chart. The tries of the grammars
// are walked from each word on, from the last word to the first: everything that begins further
// right is complete, so partial matches need not be kept.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hopefear/base/hash_tables.hpp"
#include "hopefear/decode/chart.hpp"
#include "hopefear/decode/rule_list.hpp"

namespace hopefear {

struct PassThroughOptions {
    bool identity = false;  // every word may be copied
    bool numbers = false;   // words of digits and punctuation may be copied
    bool names = false;     // words that begin with a capital letter may be copied
};

// Not thread-safe; memory is reused for the next sentence.
class Parser {
  public:
    Parser(const RuleScorer& scorer, RuleCache& cache, const UnaryRules& unary_rules,
           PassThroughOptions options);

    // The parses of `words` between <s> and </s>. A word that no rule covers alone is copied. The
    // chart is valid until the next call. Throws DataError if there is no parse, which cannot
    // happen with glue rules.
    const Chart& parse(std::span<const std::string> words, const SentenceWords& numbers);

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    // The beginning of a source side, matched up to the word `end`.
    struct Match {
        Grammar::State state;
        std::int32_t end;
        std::uint32_t path;  // the tails so far
    };
    struct Step {
        std::uint32_t node;
        std::uint32_t previous;
    };
    struct Found {
        const RuleList* rules;
        std::uint32_t path;
    };

    void begin(std::span<const std::string> words);
    void match_from_word(std::size_t part, std::int32_t begin);
    void match_from_node(std::size_t part, std::int32_t begin, std::uint32_t node);
    void run(std::size_t part, std::int32_t begin);
    void extend(std::size_t part, std::int32_t limit, const Match& match);
    void add_match(std::size_t part, const Match& match);
    [[nodiscard]] const RuleGroup& rules(std::size_t part, Grammar::State state);
    void finish_cell(std::int32_t begin, std::int32_t end);
    void add_pass_through(std::int32_t position);
    void add_found(const Found& found);
    void add_node(std::int32_t begin, std::int32_t end, Label label);
    void add_unary(std::uint32_t node);
    void finish_begin(std::int32_t begin);
    [[nodiscard]] std::span<const std::uint32_t> nodes_from(std::int32_t begin, Label label) const;
    void find_root();

    const RuleScorer* scorer_;
    RuleCache* cache_;
    const UnaryRules* unary_rules_;
    PassThroughOptions options_;
    // by part and label: the child of the root
    std::vector<std::vector<Grammar::State>> label_states_;

    Chart chart_;
    std::span<const std::string> words_;  // without <s> and </s>
    const SentenceWords* numbers_ = nullptr;
    std::int32_t size_ = 0;                      // with them
    std::vector<std::vector<Symbol>> word_ids_;  // by part and position; -1 if not in the grammar
    std::vector<std::shared_ptr<const RuleGroup>> groups_;  // keeps alive what the chart refers to
    FlatTable<const RuleGroup*> group_of_state_;
    std::deque<RuleList> pass_through_;
    Rule buffer_;

    std::vector<Match> stack_;
    std::vector<Step> steps_;
    std::vector<std::vector<Found>> found_;  // by end, for the present beginning
    std::int32_t last_end_ = 0;
    // For the present cell: what was found by label, and the labels by rank.
    std::vector<std::vector<Found>> by_label_;
    std::vector<Label> labels_;
    std::vector<std::uint32_t> cell_nodes_;
    // The nodes by beginning, label and end.
    std::vector<std::uint32_t> sorted_nodes_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_ranges_;
};

}  // namespace hopefear
