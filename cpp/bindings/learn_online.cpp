#include "bindings.hpp"
#include "hopefear/learn/batch_mira.hpp"
#include "hopefear/learn/forest_loss.hpp"
#include "hopefear/learn/online_weights.hpp"
#include "hopefear/learn/subgradient.hpp"
#include "hopefear/learn/working_set.hpp"

namespace hopefear::bindings {

namespace {

using Changed = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

SparseView row(const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values) {
    return {as_span(ids), as_span(values)};
}

template <class State>
void bind_save(nb::class_<State>& state) {
    state
        .def(
            "save", [](const State& self) { return to_array(self.save()); },
            "The whole state as one array, for `load`.")
        .def_static(
            "load", [](const ArrayIn<double>& saved) { return State::load(as_span(saved)); },
            nb::arg("saved"), "The saved state, bit for bit.");
}

template <class State>
void bind_state(nb::class_<State>& state) {
    state.def("__len__", [](const State& self) { return self.weights.size(); })
        .def("weights", [](const State& self) { return to_array(self.weights.weights()); })
        .def("average", [](const State& self) { return to_array(self.weights.average()); })
        .def(
            "moved",
            [](const State& self, const ArrayIn<double>& weights, const State& before) {
                State state = self;
                state.weights = self.weights.moved(as_span(weights), before.weights);
                return state;
            },
            nb::arg("weights"), nb::arg("before"),
            "This state at other weights, which count in the mean for all steps since `before`.")
        .def_static(
            "merged", [](const std::vector<const State*>& states) { return State::merged(states); },
            nb::arg("states"), "The mean of several states.");
    bind_save(state);
}

void bind_online_weights(nb::module_& m) {
    nb::class_<OnlineWeights> online(
        m, "OnlineWeights", "Weights that change a few features at a time, and their mean.");
    online
        .def(
            "__init__",
            [](OnlineWeights* self, const ArrayIn<double>& start) {
                new (self) OnlineWeights(as_span(start), {});
            },
            nb::arg("start"))
        .def("__len__", &OnlineWeights::size)
        .def_prop_ro(
            "current",
            [](nb::handle self) {
                return view(nb::cast<const OnlineWeights&>(self).unscaled(), self);
            },
            "The present weights: a view, which changes with them.")
        .def(
            "add",
            [](OnlineWeights& weights, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double step) { weights.checked_add(row(ids, values), step); },
            nb::arg("ids"), nb::arg("values"), nb::arg("step"), "w += step * values.")
        .def(
            "step",
            [](OnlineWeights& weights, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               const ArrayIn<double>& rates, const Changed& copy) {
                weights.checked_add(row(ids, values), as_span(rates));
                weights.update(as_span(ids), {copy.data(), copy.size()});
            },
            nb::arg("ids"), nb::arg("values"), nb::arg("rates"), nb::arg("copy"),
            "w += rates * values, for these features; a copy of the weights follows.")
        .def("count", &OnlineWeights::count, nb::arg("times") = 1.0,
             "End a step: w enters the mean with weight `times`.")
        .def(
            "average", [](const OnlineWeights& weights) { return to_array(weights.average()); },
            "The mean over the steps.")
        .def("grown", &OnlineWeights::grown, nb::arg("features"),
             "A copy with at least so many features; new ones have weight 0.")
        .def_static(
            "merged",
            [](const std::vector<const OnlineWeights*>& all) { return OnlineWeights::merged(all); },
            nb::arg("weights"), "The mean of several weights.")
        .def("copy", [](const OnlineWeights& weights) { return OnlineWeights(weights); });
    bind_save(online);
}

void bind_working_set(nb::module_& m) {
    nb::class_<WorkingSet>(m, "WorkingSet",
                           "The hope and some fears: rows h(hope) - h(d), and losses.")
        .def(
            "__init__",
            [](WorkingSet* self, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double gain) { new (self) WorkingSet(row(ids, values), gain); },
            nb::arg("ids"), nb::arg("values"), nb::arg("gain"))
        .def_static(
            "taught",
            [](const ArrayIn<FeatureId>& ids, const MatrixIn<double>& rows,
               const ArrayIn<double>& losses) {
                return WorkingSet(as_span(ids), std::span(rows.data(), rows.size()),
                                  as_span(losses));
            },
            nb::arg("ids"), nb::arg("rows"), nb::arg("losses"),
            "The set that another learner was taught by: all rows and losses but the hope's.")
        .def("__len__", &WorkingSet::size)
        .def_prop_ro(
            "ids",
            [](const WorkingSet& set) {
                return to_array(std::vector(set.ids().begin(), set.ids().end()));
            },
            nb::rv_policy::move, "All features of its derivations.")
        .def_prop_ro(
            "rows",
            [](const WorkingSet& set) {
                return to_matrix(std::vector(set.rows().begin(), set.rows().end()),
                                 set.ids().size());
            },
            nb::rv_policy::move, "h(hope) - h(d) of each derivation.")
        .def_prop_ro(
            "losses",
            [](const WorkingSet& set) {
                return to_array(std::vector(set.losses().begin(), set.losses().end()));
            },
            nb::rv_policy::move, "B(hope) - B(d) of each derivation.")
        .def(
            "add",
            [](WorkingSet& set, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double gain) { set.add(row(ids, values), gain); },
            nb::arg("ids"), nb::arg("values"), nb::arg("gain"), "Add a derivation.")
        .def(
            "violations",
            [](const WorkingSet& set, const ArrayIn<double>& weights) {
                return to_array(set.violations(as_span(weights)));
            },
            nb::arg("weights"), "v(d) of each derivation.")
        .def(
            "violation",
            [](const WorkingSet& set, const ArrayIn<FeatureId>& ids, const ArrayIn<double>& values,
               double gain, const ArrayIn<double>& weights) {
                return set.violation(row(ids, values), gain, as_span(weights));
            },
            nb::arg("ids"), nb::arg("values"), nb::arg("gain"), nb::arg("weights"),
            "v(d) of a derivation that need not be in the set.")
        .def(
            "solve",
            [](const WorkingSet& set, const ArrayIn<double>& weights, const ArrayIn<double>& rates,
               double tolerance, std::size_t max_iterations) {
                return to_array(without_gil([&] {
                    return set.solve(as_span(weights), as_span(rates), tolerance, max_iterations);
                }));
            },
            nb::arg("weights"), nb::arg("rates"), nb::kw_only(), nb::arg("tolerance"),
            nb::arg("max_iterations"), "The direction of the step.");
    m.def(
        "solve_together",
        [](const std::vector<const WorkingSet*>& sets, const ArrayIn<double>& weights,
           const ArrayIn<double>& rates, const Changed& trial, double tolerance, double gap,
           std::size_t max_iterations, std::size_t max_rounds) {
            std::size_t steps = 0;
            for (const WorkingSet* set : sets) steps += set->size() * set->rows().size();
            const auto found = without_gil_if_long(steps, [&] {
                return solve_together(sets, as_span(weights), as_span(rates),
                                      {tolerance, gap, max_iterations, max_rounds},
                                      {trial.data(), trial.size()});
            });
            nb::list directions;
            for (std::vector<double> x : found) directions.append(to_array(std::move(x)));
            return directions;
        },
        nb::arg("sets"), nb::arg("weights"), nb::arg("rates"), nb::arg("trial"), nb::kw_only(),
        nb::arg("tolerance"), nb::arg("gap"), nb::arg("max_iterations"), nb::arg("max_rounds"),
        nb::sig("def solve_together(sets: Sequence[WorkingSet], weights: NDArray[numpy.float64], "
                "rates: NDArray[numpy.float64], trial: NDArray[numpy.float64], *, "
                "tolerance: float, gap: float, max_iterations: int, max_rounds: int) -> "
                "list[NDArray[numpy.float64]]"),
        "The directions of the step of several working sets that are solved as one problem; "
        "`trial` is set to where the step leads, for the features of these sets.");
}

void bind_epochs(nb::module_& m) {
    nb::class_<SubgradientState> subgradient(
        m, "SubgradientState", "The state of subgradient descent: weights and their mean.");
    subgradient
        .def(
            "__init__",
            [](SubgradientState* self, const ArrayIn<double>& start,
               const ArrayIn<double>& origin) {
                new (self) SubgradientState{OnlineWeights(as_span(start), as_span(origin)),
                                            CumulativePenalty(start.size()), 0.0};
            },
            nb::arg("start"), nb::arg("origin"))
        .def_ro("loss", &SubgradientState::loss, "The sum of the losses in the last epoch.");
    bind_state(subgradient);
    m.def(
        "subgradient_epoch",
        [](const NBest& nbest, const ArrayIn<double>& costs, const Loss& loss,
           const ArrayIn<double>& held, const ArrayIn<std::int64_t>& order, double rate,
           double shrinkage, double l1, double cost_scale, const SubgradientState& state) {
            const nb::gil_scoped_release released;
            return subgradient_epoch(nbest, as_span(costs), loss, as_span(held), as_span(order),
                                     {rate, shrinkage, l1, cost_scale}, state);
        },
        nb::arg("nbest"), nb::arg("costs"), nb::arg("loss"), nb::arg("held"), nb::arg("order"),
        nb::kw_only(), nb::arg("rate"), nb::arg("shrinkage"), nb::arg("l1"),
        nb::arg("cost_scale") = 1.0, nb::arg("state"),
        "One epoch of subgradient steps; returns the next state. Costs are multiplied by their "
        "scale. `held` has the raised_shares that take the place of the side that goes up, if "
        "any.");
    m.def(
        "raised_edges",
        [](const ForestSet& forests, const BleuForests& split, const ArrayIn<double>& gain,
           const ArrayIn<double>& weights, double cost_scale, const Loss& loss,
           std::size_t threads) {
            return to_array(without_gil([&] {
                return raised_edges({forests, split, as_span(gain)}, as_span(weights), cost_scale,
                                    loss, threads);
            }));
        },
        nb::arg("forests"), nb::arg("split"), nb::arg("gain"), nb::arg("weights"),
        nb::arg("cost_scale"), nb::arg("loss"), nb::arg("threads"),
        "How often what the loss raises uses each edge of all forests; `gain` has the coefficients "
        "of the linear gain.");
    m.def(
        "forest_subgradient_epoch",
        [](const ForestSet& forests, const BleuForests& split, const ArrayIn<double>& gain,
           const Loss& loss, const ArrayIn<double>& held, const ArrayIn<std::int64_t>& order,
           double rate, double shrinkage, double l1, double cost_scale,
           const SubgradientState& state) {
            const nb::gil_scoped_release released;
            return forest_subgradient_epoch({forests, split, as_span(gain)}, loss, as_span(held),
                                            as_span(order), {rate, shrinkage, l1, cost_scale},
                                            state);
        },
        nb::arg("forests"), nb::arg("split"), nb::arg("gain"), nb::arg("loss"), nb::arg("held"),
        nb::arg("order"), nb::kw_only(), nb::arg("rate"), nb::arg("shrinkage"), nb::arg("l1"),
        nb::arg("cost_scale"), nb::arg("state"),
        "One epoch of subgradient steps on losses of whole forests; returns the next state. `held` "
        "has the raised_edges that take the place of the side that goes up.");

    nb::class_<BatchMiraState> mira(m, "KBestMiraState",
                                    "The state of batch MIRA: weights and document.");
    mira.def(
            "__init__",
            [](BatchMiraState* self, const ArrayIn<double>& start,
               const ArrayIn<double>& document) {
                const auto statistics = as_span(document);
                new (self) BatchMiraState{OnlineWeights(as_span(start), {}),
                                          {statistics.begin(), statistics.end()}};
            },
            nb::arg("start"), nb::arg("document"))
        .def_ro("loss", &BatchMiraState::loss, "The sum of the violations in the last epoch.")
        .def_ro("updates", &BatchMiraState::updates, "How many of its sentences had a violation.");
    bind_state(mira);
    m.def(
        "kbest_mira_epoch",
        [](const NBest& nbest, const CorpusScore& score, const ArrayIn<std::int64_t>& order,
           double max_step, double decay, bool hope_context, const BatchMiraState& state) {
            const nb::gil_scoped_release released;
            return kbest_mira_epoch(nbest, score, as_span(order), {max_step, decay, hope_context},
                                    state);
        },
        nb::arg("nbest"), nb::arg("score"), nb::arg("order"), nb::kw_only(), nb::arg("max_step"),
        nb::arg("decay"), nb::arg("hope_context"), nb::arg("state"),
        "One epoch of k-best MIRA; returns the next state.");
    m.def(
        "forest_mira_epoch",
        [](const ForestSet& forests, const BleuForests& split, const CorpusScore& score,
           const ArrayIn<std::int64_t>& order, double max_step, double decay, bool hope_context,
           const BatchMiraState& state) {
            const nb::gil_scoped_release released;
            return forest_mira_epoch(forests, split, score, as_span(order),
                                     {max_step, decay, hope_context}, state);
        },
        nb::arg("forests"), nb::arg("split"), nb::arg("score"), nb::arg("order"), nb::kw_only(),
        nb::arg("max_step"), nb::arg("decay"), nb::arg("hope_context"), nb::arg("state"),
        "One epoch of forest MIRA; returns the next state.");
}

}  // namespace

void bind_online(nb::module_& m) {
    bind_online_weights(m);
    bind_working_set(m);
    bind_epochs(m);
}

}  // namespace hopefear::bindings
