#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "hopefear/learn/dual_coordinate_descent.hpp"
#include "hopefear/learn/kbest_mira.hpp"
#include "hopefear/learn/logistic_regression.hpp"
#include "hopefear/learn/loss.hpp"
#include "hopefear/learn/loss_gradient.hpp"
#include "hopefear/learn/pair_differences.hpp"
#include "hopefear/learn/ranking_pairs.hpp"
#include "hopefear/learn/softmax_tangents.hpp"
#include "hopefear/learn/subgradient.hpp"
#include "hopefear/nbest/feature_product.hpp"
#include "hopefear/search/corpus_oracles.hpp"

namespace hopefear::bindings {

namespace {

using Unlocked = nb::gil_scoped_release;

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
            nb::arg("soft") = false);
    nb::class_<Loss>(m, "Loss", "What should go up and what should go down, or Bayes risk.")
        .def(
            "__init__",
            [](Loss* self, const Side& up, const Side& down, bool risk, std::size_t local_size) {
                new (self) Loss{up, down, risk, local_size};
            },
            nb::kw_only(), nb::arg("up") = Side{}, nb::arg("down") = Side{},
            nb::arg("risk") = false, nb::arg("local_size") = 1);
    m.def(
        "loss_gradient",
        [](const NBest& nbest, const ArrayIn<double>& weights, const ArrayIn<double>& costs,
           double cost_scale, const Loss& loss, std::size_t threads) {
            LossGradient found;
            {
                Unlocked unlocked;
                found = loss_gradient(nbest, as_span(weights), as_span(costs), cost_scale, loss,
                                      threads);
            }
            return std::pair(found.loss, to_array(std::move(found.gradient)));
        },
        nb::arg("nbest"), nb::arg("weights"), nb::arg("costs"), nb::arg("cost_scale"),
        nb::arg("loss"), nb::arg("threads"),
        "The loss over all sentences, and its gradient; costs are multiplied by cost_scale.");
}

void bind_online(nb::module_& m) {
    nb::class_<SubgradientState>(m, "SubgradientState", "Weights on their way, and their mean.")
        .def(
            "__init__",
            [](SubgradientState* self, const ArrayIn<double>& start,
               const ArrayIn<double>& origin) {
                new (self) SubgradientState{OnlineWeights(as_span(start), as_span(origin)),
                                            CumulativePenalty(start.size()), 0.0};
            },
            nb::arg("start"), nb::arg("origin"))
        .def_ro("loss", &SubgradientState::loss, "The losses met in the last epoch, summed up.")
        .def("weights",
             [](const SubgradientState& state) { return to_array(state.weights.weights()); })
        .def("average",
             [](const SubgradientState& state) { return to_array(state.weights.average()); })
        .def(
            "save", [](const SubgradientState& state) { return to_array(state.save()); },
            "Everything in one array, for `load`.")
        .def_static(
            "load",
            [](const ArrayIn<double>& saved) { return SubgradientState::load(as_span(saved)); },
            nb::arg("saved"), "What was saved, bit for bit.");
    m.def(
        "subgradient_epoch",
        [](const NBest& nbest, const ArrayIn<double>& costs, const Loss& loss,
           const ArrayIn<std::int64_t>& fixed, const ArrayIn<std::int64_t>& order, double rate,
           double shrinkage, double l1, double cost_scale, const SubgradientState& state) {
            Unlocked unlocked;
            return subgradient_epoch(nbest, as_span(costs), loss, as_span(fixed), as_span(order),
                                     {rate, shrinkage, l1, cost_scale}, state);
        },
        nb::arg("nbest"), nb::arg("costs"), nb::arg("loss"), nb::arg("fixed"), nb::arg("order"),
        nb::kw_only(), nb::arg("rate"), nb::arg("shrinkage"), nb::arg("l1"),
        nb::arg("cost_scale") = 1.0, nb::arg("state"),
        "One epoch of subgradient steps; returns the next state. Costs are multiplied by their "
        "scale.");

    nb::class_<KBestMiraState>(m, "KBestMiraState", "Weights on their way, and the document.")
        .def(
            "__init__",
            [](KBestMiraState* self, const ArrayIn<double>& start,
               const ArrayIn<double>& document) {
                const auto statistics = as_span(document);
                new (self) KBestMiraState{OnlineWeights(as_span(start), {}),
                                          {statistics.begin(), statistics.end()}};
            },
            nb::arg("start"), nb::arg("document"))
        .def_ro("loss", &KBestMiraState::loss, "The violations met in the last epoch, summed up.")
        .def_ro("updates", &KBestMiraState::updates, "How many of its sentences had one.")
        .def("weights",
             [](const KBestMiraState& state) { return to_array(state.weights.weights()); })
        .def("average",
             [](const KBestMiraState& state) { return to_array(state.weights.average()); })
        .def(
            "save", [](const KBestMiraState& state) { return to_array(state.save()); },
            "Everything in one array, for `load`.")
        .def_static(
            "load",
            [](const ArrayIn<double>& saved) { return KBestMiraState::load(as_span(saved)); },
            nb::arg("saved"), "What was saved, bit for bit.");
    m.def(
        "kbest_mira_epoch",
        [](const NBest& nbest, const CorpusScore& score, const ArrayIn<std::int64_t>& order,
           double max_step, double decay, bool hope_context, const KBestMiraState& state) {
            Unlocked unlocked;
            return kbest_mira_epoch(nbest, score, as_span(order), {max_step, decay, hope_context},
                                    state);
        },
        nb::arg("nbest"), nb::arg("score"), nb::arg("order"), nb::kw_only(), nb::arg("max_step"),
        nb::arg("decay"), nb::arg("hope_context"), nb::arg("state"),
        "One epoch of k-best MIRA; returns the next state.");
}

ArrayOut<std::int64_t> rows_of(const RankingPairs& pairs,
                               std::uint32_t RankingPairs::Pair::* side) {
    std::vector<std::int64_t> rows;
    rows.reserve(pairs.size());
    for (const RankingPairs::Pair& pair : pairs.pairs()) rows.push_back(pairs.rows()[pair.*side]);
    return to_array(std::move(rows));
}

void bind_ranking(nb::module_& m) {
    nb::class_<RankingPairs>(m, "RankingPairs", "Rows of which one should rank above the other.")
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
            Unlocked unlocked;
            return sample_pairs(nbest, as_span(gains), {samples, kept, threshold}, seed, threads);
        },
        nb::arg("nbest"), nb::arg("gains"), nb::kw_only(), nb::arg("samples"), nb::arg("kept"),
        nb::arg("threshold"), nb::arg("seed"), nb::arg("threads"),
        "Pairs of each list whose gains differ most, among many drawn at random.");
    m.def(
        "corpus_oracles",
        [](const NBest& nbest, const CorpusScore& score, const ArrayIn<std::int64_t>& sentences,
           std::size_t max_passes) {
            Unlocked unlocked;
            return corpus_oracles(nbest, score, as_span(sentences), max_passes);
        },
        nb::arg("nbest"), nb::arg("score"), nb::arg("sentences"), nb::kw_only(),
        nb::arg("max_passes") = 10,
        "For each sentence the rows of a greedy search for the best corpus score.");
    m.def(
        "oracle_pairs",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& sentences,
           const std::vector<std::vector<std::int64_t>>& oracles, std::size_t most) {
            Unlocked unlocked;
            return oracle_pairs(nbest, as_span(sentences), oracles, most);
        },
        nb::arg("nbest"), nb::arg("sentences"), nb::arg("oracles"), nb::kw_only(),
        nb::arg("most") = 0,
        "Every oracle (or `most` of a list's) with every other hypothesis of its list.");
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
            nb::arg("x"), nb::arg("features"), "The sum of the rows, each times its x.");
    m.def(
        "logistic_loss",
        [](const NBest& nbest, const RankingPairs& pairs, const ArrayIn<double>& weights) {
            std::vector<double> gradient(weights.size());
            double loss = 0.0;
            {
                Unlocked unlocked;
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
           double tolerance) {
            std::vector<double> weights;
            {
                Unlocked unlocked;
                weights = logistic_regression({nbest, pairs}, as_span(start), as_span(origin),
                                              as_span(unit),
                                              {.strength = strength, .tolerance = tolerance});
            }
            return to_array(std::move(weights));
        },
        nb::arg("nbest"), nb::arg("pairs"), nb::arg("start"), nb::arg("origin"), nb::arg("unit"),
        nb::kw_only(), nb::arg("strength"), nb::arg("tolerance"),
        "Minimize strength |w - origin|^2 / 2 + sum of log(1 + exp(-w.(h(better) - h(worse)))).");
    m.def("pair_differences", &pair_differences, nb::arg("nbest"), nb::arg("pairs"),
          nb::call_guard<nb::gil_scoped_release>(), "h(better) - h(worse) for each pair.");
    m.def(
        "violated_pairs",
        [](const NBest& nbest, const RankingPairs& pairs, const ArrayIn<double>& weights) {
            ViolatedPairs found;
            {
                Unlocked unlocked;
                found = violated_pairs(nbest, pairs, as_span(weights));
            }
            return std::pair(found.count, to_array(std::move(found.sum)));
        },
        nb::arg("nbest"), nb::arg("pairs"), nb::arg("weights"),
        "How many pairs have a margin below 1, and the sum of h(better) - h(worse) over them.");
    m.def(
        "softmax_tangents",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& sentences,
           const std::vector<std::vector<std::int64_t>>& oracles, const ArrayIn<double>& weights) {
            SoftmaxTangents tangents;
            {
                Unlocked unlocked;
                tangents = softmax_tangents(nbest, as_span(sentences), oracles, as_span(weights));
            }
            return std::pair(to_array(std::move(tangents.values)), std::move(tangents.gradients));
        },
        nb::arg("nbest"), nb::arg("sentences"), nb::arg("oracles"), nb::arg("weights"),
        "log(Z_oracle / Z_nbest) of each sentence, and its gradients.");
    nb::class_<MarginSolution>(m, "MarginSolution", "What solve_margins found.")
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
            Unlocked unlocked;
            return solve_margins(rows, as_span(margins), as_span(start), bound, tolerance,
                                 max_passes, seed);
        },
        nb::arg("rows"), nb::arg("margins"), nb::arg("start"), nb::kw_only(), nb::arg("bound"),
        nb::arg("tolerance"), nb::arg("max_passes"), nb::arg("seed"),
        "Minimize |w - start|^2 / 2 + bound * sum of max(0, margin - w.row).");
    m.def(
        "feature_sum",
        [](const NBest& nbest, const ArrayIn<std::int64_t>& rows, const ArrayIn<double>& x,
           std::size_t features) {
            std::vector<double> sum;
            {
                Unlocked unlocked;
                sum = feature_sum(nbest, as_span(rows), as_span(x), features);
            }
            return to_array(std::move(sum));
        },
        nb::arg("nbest"), nb::arg("rows"), nb::arg("x"), nb::arg("features"),
        "The sum of the feature vectors of some rows, each times its x.");
    m.def(
        "feature_spread",
        [](const NBest& nbest, std::size_t features) {
            std::vector<double> spread;
            {
                Unlocked unlocked;
                spread = feature_spread(nbest, features);
            }
            return to_array(std::move(spread));
        },
        nb::arg("nbest"), nb::arg("features"), "How much each feature varies within a list.");
}

}  // namespace

void bind_learning(nb::module_& m) {
    bind_losses(m);
    bind_online(m);
    bind_ranking(m);
    bind_margins(m);
}

}  // namespace hopefear::bindings
