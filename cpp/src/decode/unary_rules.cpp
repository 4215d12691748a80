#include "hopefear/decode/unary_rules.hpp"

#include <algorithm>
#include <utility>

namespace hopefear {

namespace {

// Number the labels such that uses[label], what is made of it, comes after it, cycles apart:
// depth first, the last to be left comes first.
std::vector<std::int32_t> rank_labels(const std::vector<std::vector<Label>>& uses) {
    std::vector<std::int32_t> ranks(uses.size(), -1);
    std::vector<char> seen(uses.size(), 0);
    auto next = static_cast<std::int32_t>(uses.size());
    std::vector<std::pair<Label, std::size_t>> stack;
    for (std::size_t first = 0; first < uses.size(); ++first) {
        if (seen[first]) continue;
        seen[first] = 1;
        stack.emplace_back(static_cast<Label>(first), 0);
        while (!stack.empty()) {
            const auto [label, at] = stack.back();
            if (at == uses[label].size()) {
                ranks[label] = --next;
                stack.pop_back();
                continue;
            }
            ++stack.back().second;
            const Label use = uses[label][at];
            if (!std::exchange(seen[use], 1)) stack.emplace_back(use, 0);
        }
    }
    return ranks;
}

}  // namespace

UnaryRules::UnaryRules(const TranslationModel& model) : places_(model.labels().size()) {
    std::vector<std::vector<Label>> uses(model.labels().size());
    Rule rule;
    for (std::size_t part = 0; part < model.parts().size(); ++part) {
        const TranslationModel::Part& own = model.parts()[part];
        const Grammar& grammar = *own.grammar;
        Grammar::State state = grammar.first_child(grammar.root());
        for (const Symbol symbol : grammar.symbols(grammar.root())) {
            if (!is_label(symbol)) break;  // words come behind
            if (grammar.has_rules(state)) {
                const Label label = own.label(symbol);
                places_[label].push_back({static_cast<std::uint32_t>(part), state});
                for (RuleRange rules = grammar.rules(state); rules.next(rule);)
                    uses[label].push_back(own.labels[rule.lhs]);
            }
            ++state;
        }
    }
    ranks_ = rank_labels(uses);
}

}  // namespace hopefear
