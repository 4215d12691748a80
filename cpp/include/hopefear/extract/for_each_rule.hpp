// Going through all rules of a sentence pair, with their counts.
#pragma once

#include <cstdint>
#include <vector>

#include "hopefear/extract/rule_instance.hpp"

namespace hopefear::extraction {

// For one thread, which goes through sentence after sentence.
class RuleWalk {
  public:
    explicit RuleWalk(const Options& options) : options_(options), phrases_(options) {}

    // Call visit(place, count) for every rule.
    template <class Visit>
    void for_each_rule(std::size_t sentence, const SentencePair& pair, Visit&& visit) {
        phrases_.find(pair);
        phrase_pairs_ += phrases_.all().size();
        for (const PhrasePair& outer : phrases_.all()) {
            find_rules(phrases_, outer, options_, rules_);
            instances_ += rules_.size();
            const std::uint64_t share = options_.fractional_counts ? rules_.size() : 1;
            if (rules_.empty()) continue;
            const std::uint64_t count =
                (static_cast<std::uint64_t>(count_unit) + share / 2) / share;
            for (const Holes& holes : rules_) visit(place_of(sentence, outer, holes), count);
        }
    }

    // So far.
    [[nodiscard]] std::uint64_t phrase_pairs() const { return phrase_pairs_; }
    [[nodiscard]] std::uint64_t instances() const { return instances_; }

  private:
    Options options_;
    PhrasePairs phrases_;
    std::vector<Holes> rules_;
    std::uint64_t phrase_pairs_ = 0;
    std::uint64_t instances_ = 0;
};

}  // namespace hopefear::extraction
