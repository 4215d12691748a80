#include "hopefear/decode/parser.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"

namespace hopefear {

Parser::Parser(const RuleScorer& scorer, RuleCache& cache, const UnaryRules& unary_rules,
               PassThroughOptions options)
    : scorer_(&scorer), cache_(&cache), unary_rules_(&unary_rules), options_(options) {
    const TranslationModel& model = scorer.model();
    by_label_.resize(model.labels().size());
    word_ids_.resize(model.parts().size());
    for (const TranslationModel::Part& part : model.parts()) {
        const Grammar& grammar = *part.grammar;
        auto& states = label_states_.emplace_back(model.labels().size(), none);
        Grammar::State state = grammar.first_child(grammar.root());
        for (const Symbol symbol : grammar.symbols(grammar.root())) {
            if (!is_label(symbol)) break;  // words follow
            states[part.label(symbol)] = state++;
        }
    }
}

const Chart& Parser::parse(std::span<const std::string> words, const SentenceWords& numbers) {
    numbers_ = &numbers;
    begin(words);
    const std::size_t parts = scorer_->model().parts().size();
    for (std::int32_t from = size_; from-- > 0;) {
        steps_.clear();
        last_end_ = from + 1;
        for (std::size_t part = 0; part < parts; ++part) match_from_word(part, from);
        for (std::int32_t end = from + 1; end <= last_end_; ++end) {
            finish_cell(from, end);
            for (const std::uint32_t node : cell_nodes_)
                for (std::size_t part = 0; part < parts; ++part) match_from_node(part, from, node);
        }
        finish_begin(from);
    }
    find_root();
    return chart_;
}

void Parser::begin(std::span<const std::string> words) {
    if (words.size() > longest_sentence)
        fail<DataError>("the sentence has ", words.size(), " words; at most ", longest_sentence,
                        " are supported");
    words_ = words;
    size_ = static_cast<std::int32_t>(words.size()) + 2;
    chart_.clear();
    stack_.clear();
    labels_.clear();
    for (auto& found : found_) found.clear();
    for (auto& found : by_label_) found.clear();
    groups_.clear();
    group_of_state_.clear();
    pass_through_.clear();
    sorted_nodes_.clear();
    sorted_ranges_.assign(static_cast<std::size_t>(size_), {0, 0});
    if (found_.size() <= static_cast<std::size_t>(size_)) found_.resize(size_ + 1);
    for (std::size_t part = 0; part < word_ids_.size(); ++part) {
        const Vocabulary& known = *scorer_->model().parts()[part].grammar->source_words();
        std::vector<Symbol>& ids = word_ids_[part];
        ids.assign(1, known.find(sentence_begin).value_or(-1));
        for (const std::string& word : words) {
            // <s> and </s> inside a sentence are ordinary words.
            const bool boundary = word == sentence_begin || word == sentence_end;
            ids.push_back(boundary ? -1 : known.find(word).value_or(-1));
        }
        ids.push_back(known.find(sentence_end).value_or(-1));
    }
}

void Parser::match_from_word(std::size_t part, std::int32_t begin) {
    const Symbol word = word_ids_[part][begin];
    if (word < 0) return;
    const Grammar& grammar = *scorer_->model().parts()[part].grammar;
    const auto state = grammar.child(grammar.root(), word);
    if (!state) return;
    add_match(part, {*state, begin + 1, none});
    run(part, begin);
}

// Source sides of a single nonterminal are excluded: finish_cell handles them.
void Parser::match_from_node(std::size_t part, std::int32_t begin, std::uint32_t node) {
    const Chart::Node& first = chart_.nodes[node];
    const Grammar::State state = label_states_[part][first.label];
    if (state == none) return;
    steps_.push_back({node, none});
    stack_.push_back({state, first.end, static_cast<std::uint32_t>(steps_.size() - 1)});
    run(part, begin);
}

void Parser::run(std::size_t part, std::int32_t begin) {
    const std::int32_t span = scorer_->model().parts()[part].max_span;
    const std::int32_t limit = span == 0 || span > size_ - begin ? size_ : begin + span;
    while (!stack_.empty()) {
        const Match match = stack_.back();
        stack_.pop_back();
        if (match.end < limit) extend(part, limit, match);
    }
}

// Extend a match by one symbol in all possible ways.
void Parser::extend(std::size_t part, std::int32_t limit, const Match& match) {
    const TranslationModel::Part& own = scorer_->model().parts()[part];
    const Grammar& grammar = *own.grammar;
    const std::span<const Symbol> symbols = grammar.symbols(match.state);
    if (symbols.empty()) return;
    const Grammar::State first = grammar.first_child(match.state);
    std::size_t labels = 0;
    for (; labels < symbols.size() && is_label(symbols[labels]); ++labels) {
        for (const std::uint32_t node : nodes_from(match.end, own.label(symbols[labels]))) {
            const std::int32_t end = chart_.nodes[node].end;
            if (end > limit) break;
            steps_.push_back({node, match.path});
            add_match(part, {first + static_cast<Grammar::State>(labels), end,
                             static_cast<std::uint32_t>(steps_.size() - 1)});
        }
    }
    const Symbol word = word_ids_[part][match.end];
    if (word < 0) return;
    const auto found = std::lower_bound(symbols.begin() + labels, symbols.end(), word);
    if (found == symbols.end() || *found != word) return;
    add_match(part, {first + static_cast<Grammar::State>(found - symbols.begin()), match.end + 1,
                     match.path});
}

void Parser::add_match(std::size_t part, const Match& match) {
    if (scorer_->model().parts()[part].grammar->has_rules(match.state))
        for (const RuleList& list : rules(part, match.state)) {
            found_[match.end].push_back({&list, match.path});
            last_end_ = std::max(last_end_, match.end);
        }
    stack_.push_back(match);
}

const RuleGroup& Parser::rules(std::size_t part, Grammar::State state) {
    const auto [group, added] =
        group_of_state_.insert((static_cast<std::uint64_t>(part) << 32) | state);
    if (added) {
        groups_.push_back(scorer_->triggered(cache_->find(part, state, buffer_), *numbers_));
        *group = groups_.back().get();
    }
    return **group;
}

// Turn the matches between two words into nodes.
void Parser::finish_cell(std::int32_t begin, std::int32_t end) {
    for (const Found& found : found_[end]) add_found(found);
    found_[end].clear();
    if (end == begin + 1 && begin > 0 && end < size_) add_pass_through(begin);
    cell_nodes_.clear();
    const auto later = [this](Label a, Label b) {
        return unary_rules_->rank(a) > unary_rules_->rank(b);
    };
    while (!labels_.empty()) {
        std::ranges::make_heap(labels_, later);
        std::ranges::pop_heap(labels_, later);
        const Label label = labels_.back();
        labels_.pop_back();
        add_node(begin, end, label);
        add_unary(cell_nodes_.back());
    }
}

void Parser::add_pass_through(std::int32_t position) {
    const auto word = static_cast<std::size_t>(position) - 1;
    const auto add = [&](PassThrough kind) {
        pass_through_.push_back(scorer_->score(kind, words_[word], word, *numbers_));
        add_found({&pass_through_.back(), none});
    };
    const bool covered = !by_label_[scorer_->model().pass_through_label()].empty();
    if (!covered) add(PassThrough::unknown);
    if (covered && options_.identity) add(PassThrough::identity);
    if (options_.numbers && is_number(words_[word])) add(PassThrough::number);
    if (options_.names && is_name(words_[word])) add(PassThrough::proper_name);
}

void Parser::add_found(const Found& found) {
    std::vector<Found>& same = by_label_[found.rules->lhs];
    if (same.empty()) labels_.push_back(found.rules->lhs);
    same.push_back(found);
}

void Parser::add_node(std::int32_t begin, std::int32_t end, Label label) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() / 2;
    const auto first = static_cast<std::uint32_t>(chart_.bundles.size());
    for (const Found& found : by_label_[label]) {
        const auto arity = static_cast<std::size_t>(found.rules->arity);
        const std::size_t tails = chart_.tails.size();
        if (tails + arity > most || chart_.bundles.size() >= most)
            fail<DataError>("the sentence has too many parses: more than ", most,
                            " matches of rules; limit the span of rules");
        chart_.tails.resize(tails + arity);
        std::uint32_t path = found.path;
        std::size_t slot = arity;
        for (; slot > 0 && path != none; path = steps_[path].previous)
            chart_.tails[tails + --slot] = steps_[path].node;
        if (slot > 0 || path != none)
            fail<FormatError>(scorer_->model().parts()[found.rules->part].grammar->name(),
                              ": damaged grammar: a rule has ", arity,
                              " nonterminals, its source side another number");
        chart_.bundles.emplace_back(*found.rules, static_cast<std::uint32_t>(tails));
    }
    by_label_[label].clear();
    cell_nodes_.push_back(static_cast<std::uint32_t>(chart_.nodes.size()));
    chart_.nodes.push_back(
        {begin, end, label, first, static_cast<std::uint32_t>(chart_.bundles.size())});
}

void Parser::add_unary(std::uint32_t node) {
    const Label label = chart_.nodes[node].label;
    for (const UnaryRules::Place& place : unary_rules_->over(label)) {
        const std::uint32_t path = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back({node, none});
        for (const RuleList& list : rules(place.part, place.state))
            if (unary_rules_->rank(list.lhs) > unary_rules_->rank(label)) add_found({&list, path});
    }
}

void Parser::finish_begin(std::int32_t begin) {
    const auto first = static_cast<std::uint32_t>(sorted_nodes_.size());
    for (auto node = static_cast<std::uint32_t>(chart_.nodes.size());
         node > 0 && chart_.nodes[node - 1].begin == begin; --node)
        sorted_nodes_.push_back(node - 1);
    std::ranges::sort(std::ranges::subrange(sorted_nodes_.begin() + first, sorted_nodes_.end()), {},
                      [this](std::uint32_t node) {
                          return std::pair(chart_.nodes[node].label, chart_.nodes[node].end);
                      });
    sorted_ranges_[begin] = {first, static_cast<std::uint32_t>(sorted_nodes_.size())};
}

// By increasing end.
std::span<const std::uint32_t> Parser::nodes_from(std::int32_t begin, Label label) const {
    const auto [first, last] = sorted_ranges_[begin];
    const auto found = std::ranges::equal_range(
        sorted_nodes_.begin() + first, sorted_nodes_.begin() + last, label, {},
        [this](std::uint32_t node) { return chart_.nodes[node].label; });
    return {found.begin(), found.end()};
}

void Parser::find_root() {
    const auto& nodes = chart_.nodes;
    const auto found =
        std::ranges::find_if(nodes.rbegin(), nodes.rend(), [this](const Chart::Node& node) {
            return node.begin == 0 && node.end == size_ && node.label == scorer_->model().goal();
        });
    if (found == nodes.rend()) {
        // Glue rules begin with a rule for <s>.
        std::set<std::string_view> goals;
        for (const Chart::Node& node : nodes)
            if (node.begin == 0 && (node.end == 1 || node.end == size_))
                goals.insert(scorer_->model().labels().text(node.label));
        std::string others;
        for (const std::string_view label : goals) others.append(" '").append(label).append("'");
        fail<DataError>("a sentence of ", words_.size(), " words has no parse as '",
                        scorer_->model().labels().text(scorer_->model().goal()), "'; ",
                        others.empty() ? "add glue rules to the grammar"
                                       : "the glue rules make" + others +
                                             ": set the label of whole sentences (names.goal)");
    }
    chart_.root = static_cast<std::uint32_t>(nodes.rend() - found) - 1;
}

}  // namespace hopefear
