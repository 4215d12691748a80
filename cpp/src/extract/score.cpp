// Stage 2: the rules of a range of source sides, counted and scored.
#include <algorithm>
#include <vector>

#include "hopefear/extract/stages.hpp"
#include "hopefear/grammar/writer.hpp"

namespace hopefear::extraction {

namespace {

// The most frequent alignment of a rule counts, as in Moses. Ties go to the greatest: for each word
// of one side, in order, the positions of its links are compared as sequences. `by_target` selects
// the target side.
bool alignment_less(const RuleText& a, const RuleText& b, bool by_target) {
    const auto sequence = [by_target](const RuleText& text) {
        std::vector<std::pair<int, int>> points;
        for (const Link link : text.alignment)
            points.emplace_back(by_target ? link.target : link.source,
                                by_target ? link.source : link.target);
        std::ranges::sort(points);
        std::vector<int> places;
        const std::size_t words = by_target ? text.target.size() : text.source.size();
        auto point = points.begin();
        for (std::size_t word = 0; word < words; ++word) {
            for (; point != points.end() && point->first == static_cast<int>(word); ++point)
                places.push_back(point->second);
            places.push_back(-1);
        }
        return places;
    };
    return sequence(a) < sequence(b);
}

class PartitionScorer {
  public:
    PartitionScorer(const Job& job, TargetCounts::Feeder* targets, ScoredPartition& scored)
        : job_(job), targets_(targets), scored_(scored) {}

    void run(InstanceSort::Sort& instances) {
        RuleInstance next{};
        bool more = instances.next(next);
        while (more) {
            const SourceKey source = next.source;
            SourceHead head{.source = source, .count = 0, .rules = 0};
            bytes_.clear();
            while (more && next.source == source) {
                alignments_.clear();
                const std::uint64_t target = next.target;
                for (; more && next.source == source && next.target == target;
                     more = instances.next(next))
                    alignments_.push_back(next);
                head.count += add_rule();
                ++head.rules;
            }
            scored_.rules.put(head);
            scored_.rules.write(bytes_);
            scored_.rule_count += head.rules;
        }
        scored_.rules.finish();
    }

  private:
    // Add the rule of `alignments_`; returns its count.
    std::uint64_t add_rule() {
        std::uint64_t count = 0;
        for (const RuleInstance& instance : alignments_) count += instance.count;
        // For the inverse direction another alignment may be chosen.
        const RuleInstance& direct = best(true);
        const RuleInstance& inverse = best(false);
        read(direct, direct_);
        RuleWeights weights = weights_of(direct, direct_);
        if (&inverse != &direct) {
            read(inverse, other_);
            weights.source_given_target = weights_of(inverse, other_).source_given_target;
        }
        body_.clear();
        append_body({.lhs = 0,
                     .source_length = static_cast<std::int32_t>(direct_.source.size()),
                     .arity = static_cast<std::int32_t>(std::ranges::count(direct_.source, -1)),
                     .target = direct_.target,
                     .alignment = direct_.alignment},
                    body_);
        const std::uint64_t target = target_hash(pair_of(direct), direct.place, false);
        put(RuleHead{.count = count,
                     .target = target,
                     .target_given_source = static_cast<float>(weights.target_given_source),
                     .source_given_target = static_cast<float>(weights.source_given_target),
                     .body_bytes = static_cast<std::uint32_t>(body_.size()),
                     .unused = 0});
        bytes_.insert(bytes_.end(), body_.begin(), body_.end());
        if (targets_ != nullptr) targets_->add(target, count);
        count_rule(count, scored_.counts_of_counts);
        return count;
    }

    [[nodiscard]] SentencePair pair_of(const RuleInstance& instance) const {
        return job_.bitext[instance.place.sentence];
    }
    void read(const RuleInstance& instance, RuleText& text) const {
        read_rule(pair_of(instance), instance.place, text);
    }
    [[nodiscard]] RuleWeights weights_of(const RuleInstance& instance, const RuleText& text) const {
        return lexical_weights(pair_of(instance), job_.bitext.weights(), text);
    }

    // The occurrence with the chosen alignment.
    const RuleInstance& best(bool by_target) {
        const RuleInstance* best = &alignments_[0];
        for (const RuleInstance& instance : alignments_) {
            if (instance.count < best->count || &instance == best) continue;
            if (instance.count == best->count) {
                read(*best, best_);
                read(instance, other_);
                if (!alignment_less(best_, other_, by_target)) continue;
            }
            best = &instance;
        }
        return *best;
    }

    template <class T>
    void put(const T& value) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    }

    const Job& job_;
    TargetCounts::Feeder* targets_;
    ScoredPartition& scored_;
    std::vector<RuleInstance> alignments_;  // of one rule
    std::vector<std::uint8_t> bytes_;       // the rules of one source side
    std::vector<std::uint8_t> body_;
    RuleText direct_;
    RuleText best_;
    RuleText other_;
};

}  // namespace

void score_rules(const Job& job, InstanceSort::Sort& instances, TargetCounts::Feeder* targets,
                 ScoredPartition& scored) {
    instances.finish();
    PartitionScorer(job, targets, scored).run(instances);
}

}  // namespace hopefear::extraction
