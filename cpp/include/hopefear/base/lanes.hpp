// Several numbers that are computed side by side, in vector registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace hopefear {

// `Count` doubles: one, or a multiple of four. Compilers rarely find the vectors in loops over
// arrays of lanes, so that they are spelled out.
template <std::size_t Count>
struct Lanes {
    static constexpr std::size_t width = Count % 4 == 0 ? 4 : 1;
    typedef double Four __attribute__((vector_size(4 * sizeof(double))));
    using Part = std::conditional_t<width == 4, Four, double>;
    // Functions that may use wide registers expect this alignment, others do not give it.
    alignas(width * sizeof(double)) std::array<Part, Count / width> parts;

    // The same number in all lanes.
    [[gnu::always_inline]] void fill(double x) {
        for (Part& part : parts) {
            if constexpr (width == 4)
                part = Part{x, x, x, x};
            else
                part = x;
        }
    }
    [[gnu::always_inline]] void set(const std::array<double, Count>& values) {
        std::memcpy(parts.data(), values.data(), sizeof values);
    }
    [[nodiscard]] double operator[](std::size_t lane) const {
        if constexpr (width == 4)
            return parts[lane / width][lane % width];
        else
            return parts[lane];
    }
};

// Where lambdas are called in a loop that runs with wide vectors, they have to become part of it.
#define HOPEFEAR_INLINE __attribute__((always_inline))

#if defined(__x86_64__)

template <class Work>
__attribute__((target("avx2"))) void with_avx2(const Work& work) {
    work();
}

// Call work(), a lambda that is always inlined, with the widest registers that there are. Wheels
// are for any x86-64 processor, whose registers have two doubles; nearly all have four. The results
// are the same bits.
template <class Work>
void with_wide_vectors(const Work& work) {
    static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    if (has_avx2)
        with_avx2(work);
    else
        work();
}

#else

template <class Work>
void with_wide_vectors(const Work& work) {
    work();
}

#endif

}  // namespace hopefear
