// Semirings as values, and the inside and outside values of forests in them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/semiring.hpp"

namespace hopefear::bindings {

namespace {

// How a semiring's values look in Python.
template <class S>
struct Face {
    using Type = typename S::Value;
    static Type out(const Type& value) { return value; }
    static Type in(const Type& value) { return value; }
};
template <>
struct Face<CountSemiring> {
    using Type = std::string;
    static Type out(const Natural& value) { return value.hex(); }
    static Natural in(const Type& digits) { return Natural::from_hex(digits); }
};
template <>
struct Face<LogSemiring> {
    using Type = std::pair<double, double>;
    static Type out(LogSemiring::Value value) { return {value.best, value.more}; }
    static LogSemiring::Value in(Type value) { return {value.first, value.second}; }
};
template <>
struct Face<ExpectationSemiring> {
    using Type = std::pair<double, double>;
    static Type out(ExpectationSemiring::Value value) { return {value.p, value.r}; }
    static ExpectationSemiring::Value in(Type value) { return {value.first, value.second}; }
};

template <Semiring S>
void bind_semiring(nb::module_& m, const char* name, const char* doc) {
    using Type = typename Face<S>::Type;
    const auto in = [](const Type& value) { return Face<S>::in(value); };
    const auto out = [](const typename S::Value& value) { return Face<S>::out(value); };
    const auto all = [out](const std::vector<typename S::Value>& values) {
        std::vector<Type> faces;
        std::ranges::transform(values, std::back_inserter(faces), out);
        return faces;
    };
    nb::class_<S>(m, name, doc)
        .def(nb::init<>())
        .def(
            "zero", [out](const S& s) { return out(s.zero()); }, "What is impossible.")
        .def(
            "one", [out](const S& s) { return out(s.one()); }, "What changes nothing.")
        .def(
            "plus",
            [in, out](const S& s, const Type& a, const Type& b) {
                return out(s.plus(in(a), in(b)));
            },
            nb::arg("a"), nb::arg("b"), "Alternatives.")
        .def(
            "times",
            [in, out](const S& s, const Type& a, const Type& b) {
                return out(s.times(in(a), in(b)));
            },
            nb::arg("a"), nb::arg("b"), "Parts of one derivation.")
        .def(
            "inside",
            [in, all](const S& s, const Forest& forest, const std::vector<Type>& values) {
                return all(inside(forest, s, [&](EdgeId edge) { return in(values.at(edge)); }));
            },
            nb::arg("forest"), nb::arg("edge_values"), "Inside values of all nodes.")
        .def(
            "outside",
            [in, all](const S& s, const Forest& forest, const std::vector<Type>& values) {
                const auto value = [&](EdgeId edge) { return in(values.at(edge)); };
                return all(outside(forest, s, value, inside(forest, s, value)));
            },
            nb::arg("forest"), nb::arg("edge_values"), "Outside values of all nodes.");
}

}  // namespace

void bind_semirings(nb::module_& m) {
    bind_semiring<BooleanSemiring>(m, "BooleanSemiring", "(or, and): is there a derivation?");
    bind_semiring<CountSemiring>(m, "CountSemiring",
                                 "(+, ×) on natural numbers of any size, given in hexadecimal.");
    bind_semiring<ViterbiSemiring>(m, "ViterbiSemiring", "(max, +): the best score.");
    bind_semiring<LogSemiring>(
        m, "LogSemiring",
        "(log of the sum of exp, +), as the best score and the log of the rest to it.");
    bind_semiring<RealSemiring>(m, "RealSemiring", "(+, ×): probabilities.");
    bind_semiring<ExpectationSemiring>(m, "ExpectationSemiring",
                                       "Pairs of a probability and an expectation times it.");
}

}  // namespace hopefear::bindings
