#include "hopefear/extract/extractor.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "hopefear/base/error.hpp"
#include "hopefear/extract/stages.hpp"
#include "hopefear/grammar/writer.hpp"

namespace hopefear::extraction {

namespace {

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
        TargetCounts targets(partitions.size(), job_.filter == nullptr, job_.resources.memory / 3,
                             job_.resources.directory);
        summary_.sentences = job_.bitext.size();
        collect_and_score(partitions, targets);
        targets.finish_rules();
        if (job_.filter != nullptr)
            count_all_places(job_, targets,
                             job_.smoothing == Smoothing::none ? nullptr : &counts_of_counts_);
        targets.sum(job_.resources.threads);
        write(std::move(sink), targets);
        return summary_;
    }

  private:
    static constexpr std::size_t partition_count = 64;

    void collect_and_score(const Partitions& partitions, TargetCounts& targets) {
        InstanceSort instances(partitions.size(), job_.resources.memory / 3 * 2,
                               job_.resources.directory);
        const Found found = collect_instances(job_, partitions, instances);
        summary_.phrase_pairs = found.phrase_pairs;
        summary_.instances = found.instances;
        // Counts are sums of up to this many ones, in units of 2^-32, in 64 bits.
        if (found.instances >= std::uint64_t{1} << 32 && !job_.options.fractional_counts)
            fail<DataError>("more than 2^32 occurrences of rules; use fractional counts");
        StageProgress progress(job_.progress, "scoring", partitions.size());
        for (std::size_t i = 0; i < partitions.size(); ++i)
            scored_.push_back(std::make_unique<ScoredPartition>(job_.resources.directory));
        parallel_blocks(partitions.size(), 1, job_.resources.threads,
                        [&](std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) {
                                score_rules(job_, i, instances[i], targets, *scored_[i]);
                                instances.release(i);
                                progress.add(1);
                            }
                        });
        for (const auto& scored : scored_)
            for (std::size_t i = 0; i < counts_of_counts_.size(); ++i)
                counts_of_counts_[i] += scored->counts_of_counts[i];
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

}  // namespace

Summary extract(const Bitext& bitext, const Options& options, Smoothing smoothing,
                const SourceFilter* filter, const Resources& resources, const std::string& path,
                const std::string& notes, const Progress& progress) {
    check(options);
    const SourceKeys keys(bitext.source_words().size(), options.max_source_symbols);
    return Extraction({.bitext = bitext,
                       .options = options,
                       .smoothing = smoothing,
                       .filter = filter,
                       .resources = resources,
                       .progress = progress,
                       .keys = keys},
                      path, notes)
        .run();
}

}  // namespace hopefear::extraction
