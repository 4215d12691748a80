// How an estimation tells how far it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace hopefear::kneser_ney {

// Called now and then with a stage and how much of it is done.
using Progress =
    std::function<void(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

// Counts steps and tells now and then.
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

}  // namespace hopefear::kneser_ney
