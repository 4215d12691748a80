// Coverage for libFuzzer, which g++ has only as calls (-fsanitize-coverage=trace-pc), and libFuzzer
// takes only as counters: a counter per block of code, chosen by the block's address. What is
// compared goes to libFuzzer's own functions, which the harness has to look up: atheris has them.

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t counter_count = std::size_t{1} << 16;

struct Block {
    std::uintptr_t pc;
    std::uintptr_t flags;
};

std::uint8_t counters[counter_count];
Block blocks[counter_count];  // libFuzzer wants as many addresses as counters, to print them

struct {
    void (*one)(std::uint8_t, std::uint8_t);
    void (*two)(std::uint16_t, std::uint16_t);
    void (*four)(std::uint32_t, std::uint32_t);
    void (*eight)(std::uint64_t, std::uint64_t);
    void (*cases)(std::uint64_t, std::uint64_t*);
} compared;

}  // namespace

extern "C" {

#pragma GCC visibility push(hidden)

// The callers' addresses tell comparisons apart: the calls below have to be jumps.
#define HOPEFEAR_TRACE(NAME, TYPE, FUNCTION)            \
    [[gnu::optimize("O2")]] void NAME(TYPE a, TYPE b) { \
        if (compared.FUNCTION) compared.FUNCTION(a, b); \
    }

void __sanitizer_cov_trace_pc() {
    const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    ++counters[((pc >> 2) * 0x9E3779B97F4A7C15ULL) >> 48];
}
HOPEFEAR_TRACE(__sanitizer_cov_trace_cmp1, std::uint8_t, one)
HOPEFEAR_TRACE(__sanitizer_cov_trace_cmp2, std::uint16_t, two)
HOPEFEAR_TRACE(__sanitizer_cov_trace_cmp4, std::uint32_t, four)
HOPEFEAR_TRACE(__sanitizer_cov_trace_cmp8, std::uint64_t, eight)
HOPEFEAR_TRACE(__sanitizer_cov_trace_const_cmp1, std::uint8_t, one)
HOPEFEAR_TRACE(__sanitizer_cov_trace_const_cmp2, std::uint16_t, two)
HOPEFEAR_TRACE(__sanitizer_cov_trace_const_cmp4, std::uint32_t, four)
HOPEFEAR_TRACE(__sanitizer_cov_trace_const_cmp8, std::uint64_t, eight)
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}
void __sanitizer_cov_trace_switch(std::uint64_t value, std::uint64_t* cases) {
    if (compared.cases) compared.cases(value, cases);
}

#pragma GCC visibility pop

// What the harness passes to libFuzzer, and takes from it.
[[gnu::visibility("default")]] std::uint8_t* hopefear_counters() {
    return counters;
}
[[gnu::visibility("default")]] Block* hopefear_blocks() {
    return blocks;
}
[[gnu::visibility("default")]] std::size_t hopefear_counter_count() {
    return counter_count;
}
[[gnu::visibility("default")]] void* hopefear_compared() {
    return &compared;
}
}
