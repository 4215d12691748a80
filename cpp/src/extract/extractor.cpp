#include "hopefear/extract/extractor.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/extract/stages.hpp"
#include "hopefear/grammar/writer.hpp"

namespace hopefear::extraction {

namespace {

// Write the records of all partitions, sorted.
template <class Sort>
SortedFile write_runs(Sort& sort, const std::string& path) {
    SortedFile file{path, {}};
    FileSink sink(path);
    for (std::size_t i = 0; i < sort.size(); ++i) {
        sort[i].finish();
        std::uint64_t count = 0;
        for (typename Sort::Record record{}; sort[i].next(record); ++count)
            sink.write({reinterpret_cast<const std::uint8_t*>(&record), sizeof record});
        file.sizes.push_back(count);
        sort.release(i);
    }
    sink.finish();
    return file;
}

// Add the records of all partitions, which another process has sorted.
template <class Sort>
void add_runs(const SortedFile& sorted, Sort& sort) {
    const auto file = std::make_shared<const RecordFile<typename Sort::Record>>(
        TemporaryFile::written_by_another(sorted.path));
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < sort.size(); ++i) {
        const std::uint64_t end = begin + sorted.sizes.at(i);
        sort[i].add_run(file, {begin, end});
        begin = end;
    }
}

// The features of a rule, in the order of the table.
constexpr std::array<std::pair<const char*, FeatureKind>, 7> rule_features{
    {{"p_f_given_e", FeatureKind::probability},
     {"lex_f_given_e", FeatureKind::probability},
     {"p_e_given_f", FeatureKind::probability},
     {"lex_e_given_f", FeatureKind::probability},
     {"count_f_e", FeatureKind::count},
     {"count_f", FeatureKind::count},
     {"count_e", FeatureKind::count}}};

// Good (1953), The population frequencies of species, as Moses applies it: a joint count of at most
// 8 that rounds up to r is multiplied by (r + 1) / r · n(r+1) / n(r), at most 1 and not less than
// the factor of r - 1, where n(r) rules have counts that round up to r.
class Discounts {
  public:
    Discounts(Smoothing smoothing, const CountsOfCounts& counts) {
        if (smoothing == Smoothing::none) return;
        factors_.push_back(0.01);
        for (std::size_t r = 1; r + 1 < counts.size(); ++r) {
            const double raw = static_cast<double>(r + 1) / static_cast<double>(r) *
                               (static_cast<double>(counts[r + 1]) + 0.1) /
                               (static_cast<double>(counts[r]) + 0.1);
            factors_.push_back(std::max(std::min(raw, 1.0), factors_.back()));
        }
    }
    [[nodiscard]] double operator()(double count) const {
        if (factors_.empty() || count + 0.99999 >= static_cast<double>(factors_.size() - 1))
            return count;
        return count * factors_[static_cast<std::size_t>(count + 0.99998)];
    }

  private:
    std::vector<double> factors_;
};

// The records of one partition's rules, source side by source side.
class RecordMaker {
  public:
    RecordMaker(const Discounts& discounts, ScoredPartition& scored, TargetCounts::Reader totals)
        : discounts_(discounts), scored_(scored), totals_(std::move(totals)) {}

    // The next source side and its records; false at the end.
    bool next(SourceHead& head, std::vector<std::uint8_t>& records) {
        if (!scored_.rules.get(head)) return false;
        for (std::uint64_t i = 0; i < head.rules; ++i) append_record(head, records);
        return true;
    }

  private:
    void append_record(const SourceHead& head, std::vector<std::uint8_t>& records) {
        RuleHead rule{};
        scored_.rules.get(rule);
        const double joint = as_count(rule.count);
        const double source = as_count(head.count);
        const double target = as_count(totals_.next(rule.target));
        const double discounted = discounts_(joint);
        const std::array<float, rule_features.size()> features{
            static_cast<float>(discounted / target),
            rule.source_given_target,
            static_cast<float>(discounted / source),
            rule.target_given_source,
            static_cast<float>(joint),
            static_cast<float>(source),
            static_cast<float>(target)};
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(features.data());
        records.insert(records.end(), bytes, bytes + sizeof features);
        const std::size_t begin = records.size();
        records.resize(begin + rule.body_bytes);
        scored_.rules.read(std::span(records).subspan(begin));
        pad_record(records);
    }

    const Discounts& discounts_;
    ScoredPartition& scored_;
    TargetCounts::Reader totals_;
};

// A partition ready to be written.
struct WrittenPartition {
    struct Source {
        SourceHead head;
        std::size_t end;  // of its records
    };
    std::vector<Source> sources;
    std::vector<std::uint8_t> records;
};

class Extraction {
  public:
    Extraction(Job job, std::string path, std::string notes)
        : job_(std::move(job)), path_(std::move(path)), notes_(std::move(notes)) {}

    Summary run() {
        // Fails early if the file cannot be written.
        auto sink = std::make_unique<FileSink>(path_);
        const Partitions partitions = choose_partitions(job_, partition_count);
        TargetCounts targets = make_targets(job_, partitions.size());
        collect_and_score(partitions, targets);
        targets.finish_rules();
        if (job_.filter != nullptr) count_all(targets);
        targets.sum(job_.resources.threads);
        write(std::move(sink), targets);
        return summary_;
    }

    // The same with what several processes have found.
    Summary run(const std::vector<CollectedRules>& collected,
                const std::vector<ScoredRules>& scored, std::span<const std::uint64_t> kept,
                const std::vector<CountedRules>& counted) {
        auto sink = std::make_unique<FileSink>(path_);
        Found found;
        for (const CollectedRules& some : collected) {
            found.phrase_pairs += some.phrase_pairs;
            found.instances += some.found;
        }
        note(found);
        TargetCounts targets = make_targets(job_, scored.size());
        for (std::size_t i = 0; i < scored.size(); ++i) {
            TargetCounts::Feeder feeder(targets, i);
            for_each_rule(scored[i],
                          [&](const RuleHead& rule) { feeder.add(rule.target, rule.count); });
            feeder.finish();
            scored_.push_back(std::make_unique<ScoredPartition>(queue_of(scored[i])));
            std::ranges::copy(scored[i].counts_of_counts, scored_.back()->counts_of_counts.begin());
        }
        add_counts_of_counts();
        targets.finish_rules();
        if (job_.filter != nullptr) add_counted(kept, counted, targets);
        targets.sum(job_.resources.threads);
        write(std::move(sink), targets);
        return summary_;
    }

    static constexpr std::size_t partition_count = 64;

    // Call visit(head) for each rule of a partition.
    template <class Visit>
    static void for_each_rule(const ScoredRules& scored, const Visit& visit) {
        ByteQueue rules = queue_of(scored);
        std::vector<std::uint8_t> body;
        for (SourceHead head{}; rules.get(head);)
            for (std::uint64_t i = 0; i < head.rules; ++i) {
                RuleHead rule{};
                rules.get(rule);
                visit(rule);
                body.resize(rule.body_bytes);
                rules.read(body);
            }
    }

  private:
    static TargetCounts make_targets(const Job& job, std::size_t partitions) {
        return {partitions, job.filter == nullptr, job.resources.memory / 3,
                job.resources.directory};
    }
    static ByteQueue queue_of(const ScoredRules& scored) {
        return ByteQueue(TemporaryFile::written_by_another(scored.path));
    }

    void note(const Found& found) {
        summary_.sentences = job_.bitext.size();
        summary_.phrase_pairs = found.phrase_pairs;
        summary_.instances = found.instances;
        // Counts are sums of up to this many ones, in units of 2^-32, in 64 bits.
        if (found.instances >= std::uint64_t{1} << 32 && !job_.options.fractional_counts)
            fail<DataError>("more than 2^32 occurrences of rules; use fractional counts");
    }

    void count_all(TargetCounts& targets) {
        std::optional<RulePartSort> rules;
        if (job_.smoothing != Smoothing::none)
            rules.emplace(rule_parts, job_.resources.memory / 2, job_.resources.directory);
        count_places(job_, {0, job_.bitext.size()}, targets, rules ? &*rules : nullptr);
        if (rules) counts_of_counts_ = count_rules(*rules, job_.resources.threads);
    }

    void add_counted(std::span<const std::uint64_t> kept, const std::vector<CountedRules>& counted,
                     TargetCounts& targets) {
        for (const CountedRules& some : counted)
            for (std::size_t i = 0; i < kept.size(); ++i)
                targets.add_place(kept[i], some.targets.at(i));
        if (job_.smoothing == Smoothing::none) return;
        RulePartSort rules(rule_parts, job_.resources.memory / 2, job_.resources.directory);
        for (const CountedRules& some : counted) add_runs(some.rules, rules);
        counts_of_counts_ = count_rules(rules, job_.resources.threads);
    }

    void add_counts_of_counts() {
        for (const auto& scored : scored_)
            for (std::size_t i = 0; i < counts_of_counts_.size(); ++i)
                counts_of_counts_[i] += scored->counts_of_counts[i];
    }

    void collect_and_score(const Partitions& partitions, TargetCounts& targets) {
        InstanceSort instances(partitions.size(), job_.resources.memory / 3 * 2,
                               job_.resources.directory);
        note(collect_instances(job_, {0, job_.bitext.size()}, partitions, instances));
        StageProgress progress(job_.progress, "scoring", partitions.size());
        for (std::size_t i = 0; i < partitions.size(); ++i)
            scored_.push_back(
                std::make_unique<ScoredPartition>(ByteQueue(job_.resources.directory)));
        parallel_blocks(partitions.size(), 1, job_.resources.threads,
                        [&](std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) {
                                TargetCounts::Feeder feeder(targets, i);
                                score_rules(job_, instances[i], &feeder, *scored_[i]);
                                feeder.finish();
                                instances.release(i);
                                progress.add(1);
                            }
                        });
        add_counts_of_counts();
    }

    void write(std::unique_ptr<FileSink> sink, TargetCounts& targets) {
        const Discounts discounts(job_.smoothing, counts_of_counts_);
        GrammarWriter writer(std::move(sink), rule_features.size(), false, job_.resources.directory,
                             job_.resources.memory);
        StageProgress progress(job_.progress, "writing", scored_.size());
        const std::size_t together = thread_count(job_.resources.threads);
        std::vector<WrittenPartition> written(together);
        // Partitions are prepared in parallel and written in order.
        for (std::size_t first = 0; first < scored_.size(); first += together) {
            const std::size_t count = std::min(together, scored_.size() - first);
            parallel_blocks(count, 1, job_.resources.threads,
                            [&](std::size_t begin, std::size_t end) {
                                for (std::size_t i = begin; i < end; ++i)
                                    prepare(first + i, discounts, targets, written[i]);
                            });
            for (std::size_t i = 0; i < count; ++i) append(written[i], writer);
            progress.add(count);
        }
        finish(writer);
    }

    void prepare(std::size_t partition, const Discounts& discounts, TargetCounts& targets,
                 WrittenPartition& written) {
        written.sources.clear();
        written.records.clear();
        RecordMaker maker(discounts, *scored_[partition], {targets, partition});
        for (SourceHead head{}; maker.next(head, written.records);)
            written.sources.push_back({head, written.records.size()});
        targets.release(partition);
        scored_[partition].reset();
    }

    void append(const WrittenPartition& written, GrammarWriter& writer) {
        std::size_t begin = 0;
        for (const WrittenPartition::Source& source : written.sources) {
            job_.keys.unpack(source.head.source, symbols_);
            writer.add_source(symbols_, source.head.rules,
                              std::span(written.records).subspan(begin, source.end - begin));
            begin = source.end;
        }
    }

    void finish(GrammarWriter& writer) {
        Vocabulary labels;
        labels.add("X");
        Vocabulary features;
        std::vector<FeatureKind> kinds;
        for (const auto& [name, kind] : rule_features) {
            features.add(name);
            kinds.push_back(kind);
        }
        writer.finish({.source_words = &job_.bitext.source_words(),
                       .target_words = &job_.bitext.target_words(),
                       .labels = &labels,
                       .features = &features,
                       .kinds = kinds,
                       .notes = notes_});
        summary_.rules = writer.rule_count();
        summary_.sources = writer.source_count();
        summary_.bytes = writer.bytes();
    }

    Job job_;
    std::string path_;
    std::string notes_;
    Summary summary_;
    CountsOfCounts counts_of_counts_{};
    std::vector<std::unique_ptr<ScoredPartition>> scored_;
    std::vector<Symbol> symbols_;
};

Job make_job(const Bitext& bitext, const Options& options, Smoothing smoothing,
             const SourceFilter* filter, const Resources& resources, const Progress& progress) {
    check(options);
    return {.bitext = bitext,
            .options = options,
            .smoothing = smoothing,
            .filter = filter,
            .resources = resources,
            .progress = progress,
            .keys = SourceKeys(bitext.source_words().size(), options.max_source_symbols)};
}

}  // namespace

Summary extract(const Bitext& bitext, const Options& options, Smoothing smoothing,
                const SourceFilter* filter, const Resources& resources, const std::string& path,
                const std::string& notes, const Progress& progress) {
    return Extraction(make_job(bitext, options, smoothing, filter, resources, progress), path,
                      notes)
        .run();
}

struct SharedExtraction::Plan {
    Job job;
    Partitions partitions;
};

SharedExtraction::SharedExtraction(const Bitext& bitext, const Options& options,
                                   Smoothing smoothing, const SourceFilter* filter,
                                   const Resources& resources) {
    Job job = make_job(bitext, options, smoothing, filter, resources,
                       [](const std::string&, std::uint64_t, std::uint64_t) {});
    Partitions partitions = choose_partitions(job, Extraction::partition_count);
    plan_ = std::make_unique<Plan>(std::move(job), std::move(partitions));
}

SharedExtraction::~SharedExtraction() = default;

std::size_t SharedExtraction::partitions() const {
    return plan_->partitions.size();
}

CollectedRules SharedExtraction::collect(SentenceRange sentences, const std::string& path) const {
    const Job& job = plan_->job;
    sentences.check(job.bitext.size());
    InstanceSort instances(partitions(), job.resources.memory / 3 * 2, job.resources.directory);
    const Found found = collect_instances(job, sentences, plan_->partitions, instances);
    return {.instances = write_runs(instances, path),
            .phrase_pairs = found.phrase_pairs,
            .found = found.instances};
}

std::vector<ScoredRules> SharedExtraction::score(const std::vector<CollectedRules>& collected,
                                                 std::size_t begin, std::size_t end,
                                                 const std::string& directory) const {
    const Job& job = plan_->job;
    InstanceSort instances(partitions(), job.resources.memory / 3 * 2, job.resources.directory);
    for (const CollectedRules& some : collected) add_runs(some.instances, instances);
    std::vector<ScoredRules> found(end - begin);
    parallel_blocks(end - begin, 1, job.resources.threads,
                    [&](std::size_t first, std::size_t last) {
                        for (std::size_t i = first; i < last; ++i) {
                            ScoredPartition scored{ByteQueue(job.resources.directory)};
                            score_rules(job, instances[begin + i], nullptr, scored);
                            instances.release(begin + i);
                            found[i].path = directory + "/scored-" + std::to_string(begin + i);
                            found[i].counts_of_counts.assign(scored.counts_of_counts.begin(),
                                                             scored.counts_of_counts.end());
                            FileSink sink(found[i].path);
                            for (auto bytes = scored.rules.next_bytes(); !bytes.empty();
                                 bytes = scored.rules.next_bytes())
                                sink.write(bytes);
                            sink.finish();
                        }
                    });
    return found;
}

std::vector<std::uint64_t> SharedExtraction::targets(const std::vector<ScoredRules>& scored) const {
    std::vector<std::uint64_t> found;
    for (const ScoredRules& some : scored) {
        Extraction::for_each_rule(some,
                                  [&](const RuleHead& rule) { found.push_back(rule.target); });
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());
    }
    return found;
}

CountedRules SharedExtraction::count(std::span<const std::uint64_t> targets,
                                     SentenceRange sentences, const std::string& path) const {
    const Job& job = plan_->job;
    sentences.check(job.bitext.size());
    TargetCounts counts(1, false, 0, job.resources.directory);
    TargetCounts::Feeder feeder(counts, 0);
    for (const std::uint64_t target : targets) feeder.add(target, 0);
    feeder.finish();
    counts.finish_rules();
    std::optional<RulePartSort> rules;
    if (job.smoothing != Smoothing::none)
        rules.emplace(rule_parts, job.resources.memory / 2, job.resources.directory);
    count_places(job, sentences, counts, rules ? &*rules : nullptr);
    CountedRules found;
    for (const std::uint64_t target : targets) found.targets.push_back(counts.count_of(target));
    if (rules) found.rules = write_runs(*rules, path);
    return found;
}

Summary SharedExtraction::write(const std::vector<CollectedRules>& collected,
                                const std::vector<ScoredRules>& scored,
                                std::span<const std::uint64_t> targets,
                                const std::vector<CountedRules>& counted, const std::string& path,
                                const std::string& notes, const Progress& progress) const {
    Job job = plan_->job;
    job.progress = progress;
    return Extraction(std::move(job), path, notes).run(collected, scored, targets, counted);
}

}  // namespace hopefear::extraction
