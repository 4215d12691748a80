#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "hopefear/learn/dual_coordinate_descent.hpp"
#include "hopefear/learn/logistic_regression.hpp"
#include "hopefear/learn/loss.hpp"
#include "hopefear/learn/ranking_pairs.hpp"
#include "hopefear/learn/uniform_bins.hpp"
#include "hopefear/learn/working_set.hpp"
#include "hopefear/nbest/products.hpp"

namespace hopefear::bindings {

namespace {

void bind_bins(nb::module_& m) {
    m.def(
        "uniform_size",
        [](const ArrayIn<double>& frequencies, std::size_t bins) {
            return uniform_size(as_span(frequencies), bins);
        },
        nb::arg("frequencies"), nb::arg("bins"),
        "The population that bins should have if no value fills more than one of them.");
    m.def(
        "uniform_bins",
        [](const ArrayIn<double>& frequencies, std::size_t bins) {
            return to_array(without_gil([&] { return uniform_bins(as_span(frequencies), bins); }));
        },
        nb::arg("frequencies"), nb::arg("bins"),
        "The first value of each bin, if values in order are cut into bins of nearly equal "
        "population.");
}

void bind_losses(nb::module_& m) {
    nb::enum_<Pool>(m, "Pool", "Which hypotheses of a list compete on a side of a loss.")
        .value("all", Pool::all)
        .value("reference", Pool::reference)
        .value("least_cost", Pool::least_cost)
        .value("local", Pool::local)
        .value("fixed", Pool::fixed);
    nb::class_<Side>(m, "Side", "A max or log-sum-exp of score + cost over a pool.")
        .def(
            "__init__",
            [](Side* self, Pool pool, double cost, bool soft) {
                new (self) Side{pool, cost, soft};
            },
            nb::kw_only(), nb::arg("pool") = Pool::all, nb::arg("cost") = 0.0,
            nb::arg("soft") = false)
        .def_ro("pool", &Side::pool)
        .def_ro("cost", &Side::cost)
        .def_ro("soft", &Side::soft);
    nb::class_<Loss>(m, "Loss", "What should go up and what should go down, or Bayes risk.")
        .def(
            "__init__",
            [](Loss* self, const Side& up, const Side& down, bool risk, std::size_t local_size) {
                new (self) Loss{up, down, risk, local_size};
            },
            nb::kw_only(), nb::arg("up") = Side{}, nb::arg("down") = Side{},
            nb::arg("risk") = false, nb::arg("local_size") = 1)
        .def_ro("up", &Loss::up)
        .def_ro("down", &Loss::down)
        .def_ro("risk", &Loss::risk, "Whether it is Bayes risk, which has no sides.");
    m.def(
        "loss_gradient",
        [](const NBest& nbest, const ArrayIn<double>& weights, const ArrayIn<double>& costs,
           double cost_scale, const Loss& loss, std::size_t threads) {
            LossGradient found = without_gil([&] {
                return loss_gradient(nbest, as_span(weights), as_span(costs), cost_scale, loss,
                                     threads);
            });
            return std::pair(found.loss, to_array(std::move(found.gradient)));
        },
        nb::arg("nbest"), nb::arg("weights"), nb::arg("costs"), nb::arg("cost_scale"),
        nb::arg("loss"), nb::arg("threads"),
        "The loss over all sentences, and its gradient; costs are multiplied by cost_scale.");
    m.def(
        "raised_shares",
        [](const NBest& nbest, const ArrayIn<double>& weights, const ArrayIn<double>& costs,
           double cost_scale, const Loss& loss, std::size_t threads) {
            return to_array(without_gil([&] {
                return raised_shares(nbest, as_span(weights), as_span(costs), cost_scale, loss,
                                     threads);
            }));
        },
        nb::arg("nbest"), nb::arg("weights"), nb::arg("costs"), nb::arg("cost_scale"),
        nb::arg("loss"), nb::arg("threads"),
        "How much the loss raises each hypothesis; the sum of a list is 1, or 0 if it is skipped.");
}

ArrayOut<std::int64_t> rows_of(const RankingPairs& pairs,
                               std::uint32_t RankingPairs::Pair::* side) {
    std::vector<std::int64_t> rows;
    rows.reserve(pairs.size());
    for (const RankingPairs::Pair& pair : pairs.pairs()) rows.push_back(pairs.rows()[pair.*side]);
    return to_array(std::move(rows));
}

void bind_ranking(nb::module_& m) {
    nb::class_<RankingPairs>(m, "RankingPairs",
                             "Pairs of rows, one of which should rank above the other.")
        .def("__len__", &RankingPairs::size)
        .def_prop_ro(
            "better",
            [](const RankingPairs& pairs) { return rows_of(pairs, &RankingPairs::Pair::better); },
            nb::rv_policy::move, "Rows that should score higher.")
        .def_prop_ro(
            "worse",
            [](const RankingPairs& pairs) { return rows_of(pairs, &RankingPairs::Pair::worse); },
            nb::rv_policy::move, "Rows that should score lower, in the same order.");
    m.def(
        "sample_pairs",
        [](const NBest& nbest, const ArrayIn<double>& gains, std::size_t samples, std::size_t kept,
           double threshold, std::uint64_t seed, std::size_t threads) {
            const nb::gil_scoped_release released;
            return sample_pairs(nbest, as_span(gains), {samples, kept, threshold}, seed, threads);
        },
        nb::arg("nbest"), nb::arg("gains"), nb::kw_only(), nb::arg("samples"), nb::arg("kept"),
        nb::arg("threshold"), nb::arg("seed"), nb::arg("threads"),
        "Pairs of each list whose gains differ most, among many drawn at random.");
    m.def(
        "oracle_pairs",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& sentences,
           const std::vector<std::vector<std::int64_t>>& oracles, std::size_t most) {
            const nb::gil_scoped_release released;
            return oracle_pairs(nbest, as_span(sentences), oracles, most);
        },
        nb::arg("nbest"), nb::arg("sentences"), nb::arg("oracles"), nb::kw_only(),
        nb::arg("most") = 0,
        "Every oracle (or at most `most` of each list) paired with every other hypothesis of "
        "its list.");
}

void bind_margins(nb::module_& m) {
    nb::class_<SparseRows>(m, "SparseRows", "Sparse vectors: differences of feature vectors.")
        .def("__len__", &SparseRows::size)
        .def(
            "dot",
            [](const SparseRows& rows, const ArrayIn<double>& weights) {
                return to_array(rows.dot(as_span(weights)));
            },
            nb::arg("weights"), "The product of each row with the weights.")
        .def(
            "transposed_dot",
            [](const SparseRows& rows, const ArrayIn<double>& x, std::size_t features) {
                return to_array(rows.transposed_dot(as_span(x), features));
            },
            nb::arg("x"), nb::arg("features"), "The sum of the rows, each multiplied by its x.");
    m.def(
        "logistic_loss",
        [](const NBest& nbest, const RankingPairs& pairs, const ArrayIn<double>& weights) {
            std::vector<double> gradient(weights.size());
            double loss = 0.0;
            {
                const nb::gil_scoped_release released;
                loss = logistic_loss({nbest, pairs}, as_span(weights), gradient);
            }
            return std::pair(loss, to_array(std::move(gradient)));
        },
        nb::arg("nbest"), nb::arg("pairs"), nb::arg("weights"),
        "The sum of log(1 + exp(-w.(h(better) - h(worse)))), and its gradient.");
    m.def(
        "logistic_regression",
        [](const NBest& nbest, const RankingPairs& pairs, const ArrayIn<double>& start,
           const ArrayIn<double>& origin, const ArrayIn<double>& unit, double strength,
           double margin, double tolerance) {
            std::vector<double> weights = without_gil([&] {
                return logistic_regression(
                    {nbest, pairs}, as_span(start), as_span(origin), as_span(unit),
                    {.strength = strength, .margin = margin, .tolerance = tolerance});
            });
            return to_array(std::move(weights));
        },
        nb::arg("nbest"), nb::arg("pairs"), nb::arg("start"), nb::arg("origin"), nb::arg("unit"),
        nb::kw_only(), nb::arg("strength"), nb::arg("margin") = 0.0, nb::arg("tolerance"),
        "Minimize strength |w - origin|^2 / 2 + sum of log(1 + exp(margin - w.(h(better) - "
        "h(worse)))).");
    m.def("pair_differences", &pair_differences, nb::arg("nbest"), nb::arg("pairs"),
          nb::call_guard<nb::gil_scoped_release>(), "h(better) - h(worse) for each pair.");
    m.def(
        "violated_pairs",
        [](const NBest& nbest, const RankingPairs& pairs, const ArrayIn<double>& weights) {
            ViolatedPairs found =
                without_gil([&] { return violated_pairs(nbest, pairs, as_span(weights)); });
            return std::pair(found.count, to_array(std::move(found.sum)));
        },
        nb::arg("nbest"), nb::arg("pairs"), nb::arg("weights"),
        "How many pairs have a margin below 1, and the sum of h(better) - h(worse) over them.");
    m.def(
        "softmax_tangents",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& sentences,
           const std::vector<std::vector<std::int64_t>>& oracles, const ArrayIn<double>& weights) {
            SoftmaxTangents tangents = without_gil([&] {
                return softmax_tangents(nbest, as_span(sentences), oracles, as_span(weights));
            });
            return std::pair(to_array(std::move(tangents.values)), std::move(tangents.gradients));
        },
        nb::arg("nbest"), nb::arg("sentences"), nb::arg("oracles"), nb::arg("weights"),
        "log(Z_oracle / Z_nbest) of each sentence, and its gradients.");
    nb::class_<MarginSolution>(m, "MarginSolution", "The result of solve_margins.")
        .def_prop_ro("tau",
                     [](nb::handle_t<MarginSolution> self) {
                         return view(
                             std::span<const double>(nb::cast<const MarginSolution&>(self).tau),
                             self);
                     })
        .def_prop_ro("weights",
                     [](nb::handle_t<MarginSolution> self) {
                         return view(
                             std::span<const double>(nb::cast<const MarginSolution&>(self).weights),
                             self);
                     })
        .def_ro("passes", &MarginSolution::passes)
        .def_ro("gap", &MarginSolution::gap, "The largest projected gradient of the last pass.");
    m.def(
        "solve_margins",
        [](const SparseRows& rows, const ArrayIn<double>& margins, const ArrayIn<double>& start,
           double bound, double tolerance, std::size_t max_passes, std::uint64_t seed) {
            const nb::gil_scoped_release released;
            return solve_margins(rows, as_span(margins), as_span(start), bound, tolerance,
                                 max_passes, seed);
        },
        nb::arg("rows"), nb::arg("margins"), nb::arg("start"), nb::kw_only(), nb::arg("bound"),
        nb::arg("tolerance"), nb::arg("max_passes"), nb::arg("seed"),
        "Minimize |w - start|^2 / 2 + bound * sum of max(0, margin - w.row).");
}

void bind_solvers(nb::module_& m) {
    nb::class_<SimplexQpSolution>(m, "SimplexQpSolution", "The result of solve_simplex_qp.")
        .def_prop_ro(
            "alpha",
            [](nb::handle_t<SimplexQpSolution> self) {
                return view(std::span<const double>(nb::cast<const SimplexQpSolution&>(self).alpha),
                            self);
            })
        .def_ro("iterations", &SimplexQpSolution::iterations)
        .def_ro("gap", &SimplexQpSolution::gap,
                "The largest remaining violation of the optimality conditions.");
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

}  // namespace

void bind_learn(nb::module_& m) {
    bind_bins(m);
    bind_losses(m);
    bind_ranking(m);
    bind_margins(m);
    bind_solvers(m);
    bind_online(m);
}

}  // namespace hopefear::bindings
