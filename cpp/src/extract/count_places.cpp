// With a filter: what the probabilities of the rules that are kept need to know of all others.
#include "hopefear/base/hash.hpp"
#include "hopefear/extract/for_each_rule.hpp"
#include "hopefear/extract/stages.hpp"

namespace hopefear::extraction {

namespace {

// A rule by its hash, and a part of its count.
struct RulePart {
    std::uint64_t rule;
    std::uint64_t count;
};
struct RulePartLess {
    bool operator()(const RulePart& a, const RulePart& b) const { return a.rule < b.rule; }
};
struct AddRuleParts {
    bool operator()(RulePart& into, const RulePart& other) const {
        if (into.rule != other.rule) return false;
        into.count += other.count;
        return true;
    }
};
using RulePartSort = PartitionedSort<RulePart, RulePartLess, AddRuleParts>;

constexpr std::size_t parts = 64;  // by the highest bits of the hash

void count_rules(RulePartSort& rules, std::size_t threads, CountsOfCounts& counts_of_counts) {
    std::vector<CountsOfCounts> counts(parts);
    parallel_blocks(parts, 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part) {
            rules[part].finish();
            for (RulePart rule{}; rules[part].next(rule);) count_rule(rule.count, counts[part]);
            rules.release(part);
        }
    });
    counts_of_counts = {};
    for (const CountsOfCounts& some : counts)
        for (std::size_t i = 0; i < some.size(); ++i) counts_of_counts[i] += some[i];
}

}  // namespace

void count_all_places(const Job& job, TargetCounts& targets, CountsOfCounts* counts_of_counts) {
    StageProgress progress(job.progress, "counting", job.bitext.size());
    std::optional<RulePartSort> rules;
    if (counts_of_counts != nullptr)
        rules.emplace(parts, job.resources.memory / 2, job.resources.directory);
    work_in_blocks(job.bitext.size(), 64, job.resources.threads, [&](const auto& next_block) {
        RuleWalk walk(job.options);
        std::optional<RulePartSort::Feeder> feeder;
        if (rules) feeder.emplace(*rules);
        while (const auto block = next_block()) {
            for (std::size_t sentence = block->begin; sentence < block->end; ++sentence) {
                const SentencePair pair = job.bitext[sentence];
                walk.for_each_rule(sentence, pair, [&](const Place& place, std::uint64_t count) {
                    targets.add_place(target_hash(pair, place, false), count);
                    if (!feeder) return;
                    const SourceKey source = source_key(job.keys, pair, place);
                    const std::uint64_t rule = hash_combine(hash_combine(source.high, source.low),
                                                            target_hash(pair, place, true));
                    feeder->push(rule >> 58, {rule, count});
                });
            }
            progress.add(block->end - block->begin);
        }
        if (feeder) feeder->flush();
    });
    if (rules) count_rules(*rules, job.resources.threads, *counts_of_counts);
}

}  // namespace hopefear::extraction
