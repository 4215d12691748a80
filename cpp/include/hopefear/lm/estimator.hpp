// Interpolated modified Kneser-Ney estimation of n-gram language models, in bounded memory (Chen
// and Goodman, 1998; Heafield et al., 2013). The result is that of KenLM's lmplz.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hopefear::kneser_ney {

// Options of an estimation.
struct Options {
    std::size_t order = 5;
    // Drop n-grams of order i + 1 that occur at most prune[i] times. Values must not decrease, and
    // the first is 0; the last value also holds for higher orders.
    std::vector<std::uint64_t> prune;
    // D₁, D₂, D₃₊ for orders for which they cannot be estimated.
    std::optional<std::array<double, 3>> discount_fallback;
    // Whether to treat <s>, </s> and <unk> in the text as blanks; otherwise they are an error.
    bool skip_special_words = false;
    // In bytes. A vocabulary that needs more than three quarters of them is not limited.
    std::size_t memory = std::size_t{1} << 30;
    std::string directory = "/tmp";  // of temporary files
};

// Throws ConfigError for invalid options.
void check(const Options& options);

// Progress of an estimation.

// Progress callback: a stage and the share of it that is done.
using Progress =
    std::function<void(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

// Counts steps and calls the progress callback from time to time.
class Ticker {
  public:
    Ticker(const Progress& progress, std::string stage, std::uint64_t total)
        : progress_(progress), stage_(std::move(stage)), total_(total) {}
    void step() {
        if (++done_ % (std::uint64_t{1} << 16) == 0) tell();
    }
    void tell() const {
        if (progress_) progress_(stage_, done_, total_);
    }

  private:
    const Progress& progress_;
    std::string stage_;
    std::uint64_t total_;
    std::uint64_t done_ = 0;
};

// A source of records that ticks.
template <class Source>
class Ticking {
  public:
    Ticking(Source& source, Ticker& ticker) : source_(source), ticker_(ticker) {}
    template <class Record>
    bool next(Record& record) {
        if (!source_.next(record)) return false;
        ticker_.step();
        return true;
    }

  private:
    Source& source_;
    Ticker& ticker_;
};

struct OrderSummary {
    std::uint64_t ngrams = 0;  // in the model
    std::uint64_t pruned = 0;
    std::array<double, 3> discounts{};  // D₁, D₂, D₃₊
};

struct Summary {
    std::uint64_t sentences = 0;
    std::uint64_t tokens = 0;  // words of the text, without </s>
    std::vector<OrderSummary> orders;
};

// The sentences, numbered from 0, whose number has a remainder from `begin` up to `end` when it is
// divided by `of`.
struct SentenceShare {
    std::uint64_t begin = 0;
    std::uint64_t end = 1;
    std::uint64_t of = 1;

    [[nodiscard]] bool has(std::uint64_t sentence) const {
        const std::uint64_t remainder = sentence % of;
        return begin <= remainder && remainder < end;
    }
};

// Takes a text in pieces, then writes its language model. Several processes may share the counting:
// each is given the whole text, and counts the n-grams of its sentences.
class Estimator {
  public:
    explicit Estimator(const Options& options);
    ~Estimator();

    // Of the text that follows, count only these sentences; the others still give their words.
    void count_only(const SentenceShare& share);

    void begin_file(std::string name);
    void add(std::string_view bytes);
    void end_file();
    // Write what was counted, for `add_counts` of another process that is given the same text. Call
    // this once, instead of write_arpa.
    void write_counts(const std::string& path);
    void add_counts(const std::string& path);
    // Estimate the model and write it to `path`. Call this once.
    [[nodiscard]] Summary write_arpa(const std::string& path, const Progress& progress);

    class Pipeline;  // knows its order at compile time

  private:
    std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace hopefear::kneser_ney
