#include "bindings.hpp"
#include "hopefear/learn/simplex_qp.hpp"

namespace hopefear::bindings {

void bind_solvers(nb::module_& m) {
    nb::class_<SimplexQpSolution>(m, "SimplexQpSolution", "What solve_simplex_qp found.")
        .def_prop_ro(
            "alpha",
            [](nb::handle_t<SimplexQpSolution> self) {
                return view(std::span<const double>(nb::cast<const SimplexQpSolution&>(self).alpha),
                            self);
            })
        .def_ro("iterations", &SimplexQpSolution::iterations)
        .def_ro("gap", &SimplexQpSolution::gap,
                "The largest violation of the optimality conditions that is left.");
    m.def(
        "solve_simplex_qp",
        [](const MatrixIn<double>& gram, const ArrayIn<double>& linear, double budget,
           double tolerance, std::size_t max_iterations) {
            nb::gil_scoped_release unlocked;
            return solve_simplex_qp({gram.data(), gram.size()}, as_span(linear), budget, tolerance,
                                    max_iterations);
        },
        nb::arg("gram"), nb::arg("linear"), nb::kw_only(), nb::arg("budget"),
        nb::arg("tolerance") = 1e-9, nb::arg("max_iterations") = 100000,
        "Maximize linear.alpha - alpha'gram alpha / 2 for alpha >= 0 with sum alpha = budget.");
}

}  // namespace hopefear::bindings
