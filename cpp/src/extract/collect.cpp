// Stage 1: every occurrence of a rule in the bitext.

#include <mutex>
#include <optional>
#include <unordered_map>

#include "hopefear/base/hash.hpp"
#include "hopefear/extract/rule_instance.hpp"
#include "hopefear/extract/stages.hpp"

namespace hopefear::extraction {

namespace {

struct SourceKeyHash {
    std::size_t operator()(const SourceKey& key) const { return hash_combine(key.high, key.low); }
};

// Whether rules pass the filter, with a cache for each source side. Not thread-safe.
class FilterView {
  public:
    FilterView(const SourceFilter& filter, const SourceKeys& keys) : filter_(filter), keys_(keys) {}

    void begin_sentence(const SentencePair& pair) { filter_.find_phrases(pair.source, ids_); }

    bool passes(const SentencePair& pair, const Place& place) {
        phrases_.clear();
        gaps_.assign(1, 0);
        std::uint32_t begin = 0;  // of the next phrase
        for (const Place::Hole& hole : place.holes) {
            if (hole.source_length == 0) break;
            if (!add_phrase(place, begin, hole.source)) return false;
            ++gaps_.back();
            begin = hole.source + hole.source_length;
        }
        if (!add_phrase(place, begin, place.source_length)) return false;
        const auto [known, fresh] = known_.try_emplace(source_key(keys_, pair, place), false);
        if (fresh) known->second = filter_.matches(phrases_, gaps_);
        return known->second;
    }

  private:
    // False if no sentence contains the phrase [begin, end) of the rule.
    bool add_phrase(const Place& place, std::uint32_t begin, std::uint32_t end) {
        if (begin == end) return true;
        const std::size_t at = (place.source + begin) * filter_.max_phrase() + (end - begin) - 1;
        if (ids_[at] == SourceFilter::unknown) return false;
        phrases_.push_back(ids_[at]);
        gaps_.push_back(0);
        return true;
    }

    const SourceFilter& filter_;
    const SourceKeys& keys_;
    std::vector<SourceFilter::PhraseId> ids_;
    std::vector<SourceFilter::PhraseId> phrases_;
    std::vector<std::uint32_t> gaps_;
    std::unordered_map<SourceKey, bool, SourceKeyHash> known_;
};

}  // namespace

Partitions choose_partitions(const Job& job, std::size_t count) {
    // A sample of keys from a few hundred evenly spaced sentences; what divides these evenly
    // divides the rest.
    const std::size_t step = std::max<std::size_t>(1, job.bitext.size() / 500);
    std::vector<SourceKey> sample;
    RuleWalk walk(job.options);
    for (std::size_t sentence = 0; sentence < job.bitext.size(); sentence += step) {
        const SentencePair pair = job.bitext[sentence];
        walk.for_each_rule(sentence, pair, [&](const Place& place, std::uint64_t) {
            sample.push_back(source_key(job.keys, pair, place));
        });
    }
    std::ranges::sort(sample);
    Partitions partitions;
    for (std::size_t i = 1; i < count && !sample.empty(); ++i)
        partitions.first.push_back(sample[i * sample.size() / count]);
    partitions.first.erase(std::ranges::unique(partitions.first).begin(), partitions.first.end());
    return partitions;
}

namespace {

class InstanceCollector {
  public:
    InstanceCollector(const Job& job, const Partitions& partitions, InstanceSort& instances)
        : job_(job), partitions_(partitions), feeder_(instances), walk_(job.options) {
        if (job.filter != nullptr) filter_.emplace(*job.filter, job.keys);
    }

    void work(std::size_t begin, std::size_t end) {
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            const SentencePair pair = job_.bitext[sentence];
            if (filter_) filter_->begin_sentence(pair);
            walk_.for_each_rule(sentence, pair, [&](const Place& place, std::uint64_t count) {
                if (!filter_ || filter_->passes(pair, place)) add(pair, place, count);
            });
        }
    }
    void finish() { feeder_.flush(); }
    [[nodiscard]] Found found() const {
        return {.phrase_pairs = walk_.phrase_pairs(), .instances = walk_.instances()};
    }

  private:
    void add(const SentencePair& pair, const Place& place, std::uint64_t count) {
        const SourceKey source = source_key(job_.keys, pair, place);
        feeder_.push(partitions_.of(source), {.source = source,
                                              .target = target_hash(pair, place, true),
                                              .count = count,
                                              .alignment = alignment_hash(pair, place),
                                              .place = place});
    }

    const Job& job_;
    const Partitions& partitions_;
    InstanceSort::Feeder feeder_;
    RuleWalk walk_;
    std::optional<FilterView> filter_;
};

}  // namespace

Found collect_instances(const Job& job, SentenceRange sentences, const Partitions& partitions,
                        InstanceSort& instances) {
    Found all;
    std::mutex mutex;
    StageProgress progress(job.progress, "extracting", sentences.size());
    work_in_blocks(sentences.size(), 64, job.resources.threads, [&](const auto& next_block) {
        InstanceCollector collector(job, partitions, instances);
        while (const auto block = next_block()) {
            collector.work(sentences.begin + block->begin, sentences.begin + block->end);
            progress.add(block->end - block->begin);
        }
        collector.finish();
        const std::lock_guard lock(mutex);
        all.phrase_pairs += collector.found().phrase_pairs;
        all.instances += collector.found().instances;
    });
    return all;
}

// With a filter: the counts of all rules, which the probabilities of the kept rules depend on.

CountsOfCounts count_rules(RulePartSort& rules, std::size_t threads) {
    std::vector<CountsOfCounts> counts(rule_parts);
    parallel_blocks(rule_parts, 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part) {
            rules[part].finish();
            for (RulePart rule{}; rules[part].next(rule);) count_rule(rule.count, counts[part]);
            rules.release(part);
        }
    });
    CountsOfCounts all{};
    for (const CountsOfCounts& some : counts)
        for (std::size_t i = 0; i < some.size(); ++i) all[i] += some[i];
    return all;
}

void count_places(const Job& job, SentenceRange sentences, TargetCounts& targets,
                  RulePartSort* rules) {
    StageProgress progress(job.progress, "counting", sentences.size());
    work_in_blocks(sentences.size(), 64, job.resources.threads, [&](const auto& next_block) {
        RuleWalk walk(job.options);
        std::optional<RulePartSort::Feeder> feeder;
        if (rules != nullptr) feeder.emplace(*rules);
        while (const auto block = next_block()) {
            for (std::size_t sentence = sentences.begin + block->begin;
                 sentence < sentences.begin + block->end; ++sentence) {
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
}

}  // namespace hopefear::extraction
