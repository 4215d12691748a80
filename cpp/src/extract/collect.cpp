// Stage 1: every place in the bitext where a rule is found.
#include <mutex>
#include <optional>
#include <unordered_map>

#include "hopefear/base/hash.hpp"
#include "hopefear/extract/for_each_rule.hpp"
#include "hopefear/extract/stages.hpp"

namespace hopefear::extraction {

namespace {

struct SourceKeyHash {
    std::size_t operator()(const SourceKey& key) const { return hash_combine(key.high, key.low); }
};

// Whether rules pass the filter, for one thread. What was found out about a source side is kept.
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
    // False if the phrase [begin, end) of the rule is in no sentence.
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
    // Keys of a few hundred sentences from everywhere; where these are divided evenly, the rest is.
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

Found collect_instances(const Job& job, const Partitions& partitions, InstanceSort& instances) {
    Found all;
    std::mutex mutex;
    StageProgress progress(job.progress, "extracting", job.bitext.size());
    work_in_blocks(job.bitext.size(), 64, job.resources.threads, [&](const auto& next_block) {
        InstanceCollector collector(job, partitions, instances);
        while (const auto block = next_block()) {
            collector.work(block->begin, block->end);
            progress.add(block->end - block->begin);
        }
        collector.finish();
        const std::lock_guard lock(mutex);
        all.phrase_pairs += collector.found().phrase_pairs;
        all.instances += collector.found().instances;
    });
    return all;
}

}  // namespace hopefear::extraction
