#include "hopefear/lm/estimator.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/external_sort.hpp"
#include "hopefear/base/temporary_file.hpp"
#include "hopefear/lm/adjusted_counts.hpp"
#include "hopefear/lm/arpa_writer.hpp"
#include "hopefear/lm/interpolation.hpp"
#include "hopefear/lm/ngram.hpp"
#include "hopefear/lm/text_reader.hpp"

namespace hopefear::kneser_ney {

namespace {

constexpr std::size_t least_memory = std::size_t{1} << 20;
constexpr std::size_t written_at_once = 4096;  // records

}  // namespace

void check(const Options& options) {
    if (options.order < 1 || options.order > max_order)
        fail<ConfigError>("the order must be from 1 to ", max_order, ", got ", options.order);
    if (options.memory < least_memory)
        fail<ConfigError>("memory must be at least ", least_memory, " bytes, got ", options.memory);
    if (options.prune.size() > options.order)
        fail<ConfigError>("there are ", options.prune.size(), " pruning thresholds for a model of ",
                          "order ", options.order, "; give at most one for each order");
    if (!options.prune.empty() && options.prune.front() != 0)
        fail<ConfigError>(
            "the first pruning threshold must be 0, because words are never pruned; "
            "got ",
            options.prune.front());
    if (!std::is_sorted(options.prune.begin(), options.prune.end()))
        fail<ConfigError>("pruning thresholds must not decrease from one order to the next");
    if (!options.discount_fallback) return;
    for (std::size_t i = 0; i < 3; ++i) {
        const double discount = (*options.discount_fallback)[i];
        if (!(discount > 0 && discount <= static_cast<double>(i + 1)))
            fail<ConfigError>("the discount of count ", i + 1, " must be above 0 and at most ",
                              i + 1, ", got ", discount);
    }
}

class Estimator::Pipeline {
  public:
    virtual ~Pipeline() = default;
    virtual void count_only(const SentenceShare& share) = 0;
    virtual void begin_file(std::string name) = 0;
    virtual void add(std::string_view bytes) = 0;
    virtual void end_file() = 0;
    virtual void write_counts(const std::string& path) = 0;
    virtual void add_counts(const std::string& path) = 0;
    virtual Summary write_arpa(const std::string& path, const Progress& progress) = 0;
};

namespace {

// The n-grams of one order with their adjusted counts.
template <std::size_t N>
struct Level {
    Level(std::size_t bytes, const std::string& directory) : counted(bytes, directory) {}

    ExternalSort<Counted<N>, ContextOrder> counted;
    CountsOfCounts counts_of_counts;
    Discounts discounts;
    std::uint64_t kept = 0;
    std::uint64_t pruned = 0;
};

// The probability mass left by words is distributed uniformly and needs no context.
struct NoContext {
    void push(const Scored<0>&) {}
};

template <std::size_t N>
class PipelineOf final : public Estimator::Pipeline {
  public:
    explicit PipelineOf(const Options& options)
        : options_(options),
          reader_(options.skip_special_words),
          full_(std::in_place, options.memory / 2, options.directory) {
        options_.prune.resize(N, options_.prune.empty() ? 0 : options_.prune.back());
        window_.fill(sentence_begin);
    }

    void count_only(const SentenceShare& share) override {
        share_ = share;
        counts_ = share_.has(sentence_);
    }
    void begin_file(std::string name) override { reader_.begin_file(std::move(name)); }
    void add(std::string_view bytes) override { reader_.add(bytes, *this); }
    void end_file() override { reader_.end_file(*this); }

    void word(WordId id) {
        if (!counts_) return;
        std::copy_backward(window_.begin(), window_.end() - 1, window_.end());
        window_[0] = id;
        full_->push({window_, Count(1)});
    }
    void end_sentence() {
        word(sentence_end);
        window_.fill(sentence_begin);
        counts_ = share_.has(++sentence_);
    }

    void write_counts(const std::string& path) override;
    void add_counts(const std::string& path) override {
        auto file =
            std::make_shared<const RecordFile<Counted<N>>>(TemporaryFile::written_by_another(path));
        const Run all{0, file->size()};
        full_->add_run(std::move(file), all);
    }

    Summary write_arpa(const std::string& path, const Progress& progress) override;

  private:
    template <std::size_t K>
    using Sorted = ExternalSort<Weighted<K>, SuffixOrder>;

    template <std::size_t... I>
    static auto make_levels(std::size_t bytes, const std::string& directory,
                            std::index_sequence<I...>) {
        // Longer n-grams have more distinct instances: shares grow with the order.
        constexpr std::size_t shares = (sizeof(Counted<I + 1>) + ...);
        return std::tuple<Level<I + 1>...>{
            Level<I + 1>(bytes / shares * sizeof(Counted<I + 1>), directory)...};
    }
    using Levels = decltype(make_levels(0, {}, std::make_index_sequence<N>{}));

    // Call work.operator()<K>() for K = 1, ..., N.
    template <class Work>
    static void for_each_order(Work&& work) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (work.template operator()<I + 1>(), ...);
        }(std::make_index_sequence<N>{});
    }

    void count_all_orders(const Progress& progress);
    template <std::size_t K>
    void count(const Words<N>& words, const OpenNGram& counts);
    Summary summarize();
    template <std::size_t K, class Gammas>
    Sorted<K> weigh(Gammas& gammas, Ticker& ticker);
    template <std::size_t K>
    auto weigh_next(Spool<Scored<K>>& gammas, Ticker& ticker) {
        if constexpr (K < N)
            return weigh<K + 1>(gammas, ticker);
        else
            return nullptr;  // there is none above the highest order
    }
    template <std::size_t K>
    auto write_order(Sorted<K> weighted, Spool<Scored<K - 1>> lower, ArpaWriter& arpa,
                     Ticker& ticker);
    template <std::size_t K>
    void write_orders(Sorted<K> weighted, Spool<Scored<K - 1>> lower, ArpaWriter& arpa,
                      Ticker& ticker);

    Options options_;
    TextReader reader_;
    SentenceShare share_;
    std::uint64_t sentence_ = 0;
    bool counts_ = true;  // whether this sentence is counted
    Words<N> window_;
    std::optional<ExternalSort<Counted<N>, SuffixOrder, AddCounts>> full_;
    std::size_t memory_ = 0;  // not used by the vocabulary
    std::optional<Levels> levels_;
};

template <std::size_t N>
void PipelineOf<N>::write_counts(const std::string& path) {
    RecordFile<Counted<N>> file(TemporaryFile::for_others(path));
    std::vector<Counted<N>> block;
    full_->finish();
    for (Counted<N> entry; full_->next(entry);) {
        block.push_back(entry);
        if (block.size() < written_at_once) continue;
        file.append(block);
        block.clear();
    }
    file.append(block);
    full_.reset();
}

template <std::size_t N>
Summary PipelineOf<N>::write_arpa(const std::string& path, const Progress& progress) {
    if (!full_) fail<Error>("the model has been written already");
    if (reader_.sentences() == 0)
        fail<DataError>("the text has no sentence to estimate a language model from");
    const std::size_t vocabulary = reader_.words().bytes();
    memory_ = options_.memory - std::min(vocabulary, options_.memory / 4 * 3);
    count_all_orders(progress);
    const Summary summary = summarize();

    std::vector<std::uint64_t> sizes;
    std::uint64_t work = 0;  // every n-gram is read with its count and again with its weight
    for (const OrderSummary& order : summary.orders) {
        sizes.push_back(order.ngrams);
        work += 2 * order.ngrams + order.pruned;
    }
    Ticker ticker(progress, "estimating", work);
    ArpaWriter arpa(path, reader_.words());
    arpa.begin(sizes);
    NoContext none;
    Spool<Scored<0>> uniform(sizeof(Scored<0>), options_.directory);
    // 1/|V|, with <unk> and without <s>
    uniform.push({{}, static_cast<float>(1.0 / static_cast<double>(reader_.words().size() - 1))});
    uniform.finish();
    write_orders<1>(weigh<1>(none, ticker), std::move(uniform), arpa, ticker);
    arpa.end();
    ticker.tell();
    return summary;
}

template <std::size_t N>
void PipelineOf<N>::count_all_orders(const Progress& progress) {
    full_->finish();
    levels_.emplace(make_levels(memory_ / 2, options_.directory, std::make_index_sequence<N>{}));
    for (const WordId word : {unknown_word, sentence_begin}) {
        std::get<0>(*levels_).counted.push({{word}, Count(0)});
        ++std::get<0>(*levels_).kept;
    }
    Ticker ticker(progress, "adjusting counts", full_->size());
    Ticking full(*full_, ticker);
    adjust_counts<N>(full, [&](std::size_t n, const Words<N>& words, const OpenNGram& counts) {
        for_each_order([&]<std::size_t K>() {
            if (K == n) count<K>(words, counts);
        });
    });
    ticker.tell();
    full_.reset();
}

template <std::size_t N>
template <std::size_t K>
void PipelineOf<N>::count(const Words<N>& words, const OpenNGram& counts) {
    auto& level = std::get<K - 1>(*levels_);
    const bool pruned = counts.occurrences <= options_.prune[K - 1];
    ++(pruned ? level.pruned : level.kept);
    level.counts_of_counts.add(counts.adjusted);
    Counted<K> entry;
    std::copy_n(words.begin(), K, entry.words.begin());
    entry.value = Count(counts.adjusted, pruned);
    level.counted.push(entry);
}

template <std::size_t N>
Summary PipelineOf<N>::summarize() {
    Summary summary{reader_.sentences(), reader_.tokens(), {}};
    for_each_order([&]<std::size_t K>() {
        auto& level = std::get<K - 1>(*levels_);
        level.discounts = estimate_discounts(K, level.counts_of_counts, options_.discount_fallback);
        const auto of = [&](std::uint64_t count) { return level.discounts.of(count); };
        summary.orders.push_back({level.kept, level.pruned, {of(1), of(2), of(3)}});
    });
    return summary;
}

// Weight the n-grams of order K; the contexts go to `gammas`.
template <std::size_t N>
template <std::size_t K, class Gammas>
auto PipelineOf<N>::weigh(Gammas& gammas, Ticker& ticker) -> Sorted<K> {
    auto& level = std::get<K - 1>(*levels_);
    Sorted<K> weighted(memory_ / 8, options_.directory);
    level.counted.finish();
    Ticking counted(level.counted, ticker);
    weigh_contexts<K>(counted, level.discounts, weighted, gammas);
    level = Level<K>(0, options_.directory);  // releases its memory and its file
    weighted.finish();
    return weighted;
}

// Write order K and prepare the next one. Of the memory, the counts have one half; the weights of
// an order and of the next one an eighth each; the order below, this one and the contexts a
// sixteenth each.
template <std::size_t N>
template <std::size_t K>
auto PipelineOf<N>::write_order(Sorted<K> weighted, Spool<Scored<K - 1>> lower, ArpaWriter& arpa,
                                Ticker& ticker) {
    Spool<Scored<K>> gammas(memory_ / 16, options_.directory);
    Spool<Scored<K>> current(memory_ / 16, options_.directory);
    auto next = weigh_next<K>(gammas, ticker);
    gammas.finish();
    arpa.begin_order(K);
    Ticking source(weighted, ticker);
    interpolate<K>(source, lower, gammas,
                   [&](const Words<K>& words, double probability, double backoff) {
                       arpa.entry(words, probability, backoff);
                       if (K < N) current.push({words, static_cast<float>(probability)});
                   });
    current.finish();
    return std::pair(std::move(next), std::move(current));
}

template <std::size_t N>
template <std::size_t K>
void PipelineOf<N>::write_orders(Sorted<K> weighted, Spool<Scored<K - 1>> lower, ArpaWriter& arpa,
                                 Ticker& ticker) {
    auto [next, current] = write_order<K>(std::move(weighted), std::move(lower), arpa, ticker);
    if constexpr (K < N) write_orders<K + 1>(std::move(next), std::move(current), arpa, ticker);
}

std::unique_ptr<Estimator::Pipeline> make_pipeline(const Options& options) {
    std::unique_ptr<Estimator::Pipeline> pipeline;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((options.order == I + 1 ? void(pipeline = std::make_unique<PipelineOf<I + 1>>(options))
                                 : void()),
         ...);
    }(std::make_index_sequence<max_order>{});
    return pipeline;
}

}  // namespace

Estimator::Estimator(const Options& options) {
    check(options);
    pipeline_ = make_pipeline(options);
}
Estimator::~Estimator() = default;

void Estimator::count_only(const SentenceShare& share) {
    if (share.of == 0) fail<ConfigError>("a share of sentences must be of at least one part");
    pipeline_->count_only(share);
}
void Estimator::begin_file(std::string name) {
    pipeline_->begin_file(std::move(name));
}
void Estimator::add(std::string_view bytes) {
    pipeline_->add(bytes);
}
void Estimator::end_file() {
    pipeline_->end_file();
}
void Estimator::write_counts(const std::string& path) {
    pipeline_->write_counts(path);
}
void Estimator::add_counts(const std::string& path) {
    pipeline_->add_counts(path);
}
Summary Estimator::write_arpa(const std::string& path, const Progress& progress) {
    return pipeline_->write_arpa(path, progress);
}

}  // namespace hopefear::kneser_ney
