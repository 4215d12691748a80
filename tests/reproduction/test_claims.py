"""Claims are judged by the scores, and by how likely chance is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from hopefear.metrics import Column
from hopefear.reproduction.claims import (
    Above,
    Close,
    Early,
    Ordered,
    Overfits,
    Steadier,
)
from hopefear.reproduction.outcomes import Outcome, Outcomes, ReplicaOutcome
from hopefear.reproduction.paper import Row
from hopefear.reproduction.trends import NoTrend, SameWeights, Smoother
from hopefear.types import Weights

A, B, C = (Row(label=name, preset=name.lower()) for name in "ABC")
SAYS: dict[str, Any] = {"text": "A is better", "where": "table 1"}


def outcome(
    row: Row,
    tests: Sequence[Sequence[float]],
    *,
    tuning: float = 0.0,
    curve: Sequence[float] = (1.0,),
    weights: Mapping[str, float] | None = None,
) -> Outcome:
    """Return an outcome whose replicas have these scores for the test sentences."""
    metric = Column()
    return Outcome(
        row=row,
        run=Path(row.name),
        weights=Weights(),
        metric=metric,
        replicas=[
            ReplicaOutcome(
                tuning=tuning,
                dev=curve[-1],
                tuning_curve=curve,
                dev_curve=curve,
                weights=weights or {},
                statistics=np.asarray(metric.statistics(list(scores))),
            )
            for scores in tests
        ],
        features=1,
        seconds=1.0,
        chosen={},
    )


def both(*found: Outcome) -> Outcomes:
    return Outcomes({one.row.name: one for one in found})


def test_above_holds_if_the_difference_is_not_chance() -> None:
    low, high = [[0.0] * 20, [0.0] * 20], [[1.0] * 20, [1.0] * 20]
    claim = Above(**SAYS, better=A, worse=B)
    assert claim.judge(both(outcome(A, high), outcome(B, low))).result == "holds"
    found = claim.judge(both(outcome(A, low), outcome(B, high)))
    assert found.result == "does not hold"
    assert found.evidence == "test: A 0.00, B 1.00; p < 0.001"
    one = [[0.0] * 19 + [1.0]] * 2
    assert claim.judge(both(outcome(A, one), outcome(B, low))).result == "undecided"


def test_above_speaks_of_every_row_that_it_names() -> None:
    low, high = [[0.0] * 20] * 2, [[1.0] * 20] * 2
    claim = Above(**SAYS, better=A, worse=(B, C))
    one = [[0.0] * 19 + [1.0]] * 2
    assert claim.judge(both(outcome(A, high), outcome(B, low), outcome(C, low))).result == "holds"
    unsure = claim.judge(both(outcome(A, one), outcome(B, low), outcome(C, low)))
    assert unsure.result == "undecided"
    one_is_better = claim.judge(both(outcome(A, one), outcome(B, low), outcome(C, high)))
    assert one_is_better.result == "does not hold"
    assert one_is_better.evidence.startswith("test: A 0.05, B 0.00, C 1.00; p = ")
    assert [row.label for row in Above(**SAYS, better=(A, B), worse=C).rows] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("within", "result"), [(0.2, "does not hold"), (0.4, "undecided"), (0.6, "holds")]
)
def test_close_looks_at_the_range_of_the_means(within: float, result: str) -> None:
    found = both(outcome(A, [[1.0], [2.0]]), outcome(B, [[1.0], [1.0]]))
    verdict = Close(**SAYS, rows=(A, B), within=within).judge(found)
    assert verdict.result == result
    assert verdict.evidence == f"test: A 1.50, B 1.00; range 0.50, at most {within}"


def test_ordered_compares_each_row_with_the_next() -> None:
    found = both(outcome(A, [[1.0] * 20]), outcome(B, [[1.2] * 20]))
    assert Ordered(**SAYS, rows=(B, A)).judge(found).result == "holds"
    assert Ordered(**SAYS, rows=(A, B)).judge(found).result == "does not hold"
    assert Ordered(**SAYS, rows=(A, B), slack=0.3).judge(found).result == "holds"
    chance = both(outcome(A, [[1.0, 2.0]]), outcome(B, [[1.2, 1.9]]))
    assert Ordered(**SAYS, rows=(A, B)).judge(chance).result == "undecided"


END: Literal["dev at the end"] = "dev at the end"


def test_early_and_close_look_at_the_ends_of_curves() -> None:
    rising = outcome(A, [[1.0]], curve=[1.0, 2.0, 3.0, 9.0, 9.0])
    flat = outcome(B, [[1.0]], curve=[4.0, 4.0, 4.0, 4.0, 4.0])
    found = both(rising, flat)
    assert Early(**SAYS, better=(B, A)).judge(found).result == "holds"
    assert Early(**SAYS, better=(A, B)).judge(found).result == "does not hold"
    assert Early(**SAYS, better=(A, B), end="last", epochs=1).judge(found).result == "holds"
    near = outcome(B, [[1.0]], curve=[1.0, 2.1, 3.0, 9.0, 9.1])
    assert Early(**SAYS, better=(A, B)).judge(both(rising, near)).result == "undecided"
    assert Close(**SAYS, rows=(A, B), within=4.7, data=END).judge(found).result == "does not hold"
    assert Close(**SAYS, rows=(A, B), within=4.9, data=END).judge(found).result == "undecided"
    near = outcome(B, [[1.0]], curve=[1.0, 2.1, 3.0, 9.0, 9.1])
    assert Early(**SAYS, better=(A, B)).judge(both(rising, near)).result == "undecided"
    assert Close(**SAYS, rows=(A, B), within=5.1, data=END).judge(found).result == "holds"


def test_curves_of_replicas_that_vary_decide_less() -> None:
    def curves(row: Row, *ends: float) -> Outcome:
        (one,) = outcome(row, [[1.0]]).replicas
        made = [replace(one, dev_curve=[end]) for end in ends]
        return replace(outcome(row, [[1.0]]), replicas=made)

    claim = Early(**SAYS, better=(A, B), epochs=1)
    # Two standard errors of the difference of the means are 2 √(25/3 + 0) = 5.8.
    verdict = claim.judge(both(curves(A, 5.0, 10.0, 15.0), curves(B, 15.0, 15.0, 15.0)))
    assert verdict.result == "undecided"
    assert verdict.evidence == "mean dev of the first epoch: A 10.00 ± 5.00, B 15.00"
    sure = both(curves(A, 5.0, 10.0, 15.0), curves(B, 16.0, 16.0, 16.0))
    assert claim.judge(sure).result == "does not hold"
    assert claim.judge(both(curves(A, 9.9, 10.1), curves(B, 9.6, 9.8))).result == "holds"
    assert claim.judge(both(curves(A, 9.9, 10.1), curves(B, 9.4, 10.2))).result == "undecided"


def test_steadier_compares_deviations_of_replicas() -> None:
    found = both(
        outcome(A, [[1.0], [1.1], [1.0]]),
        outcome(B, [[1.0], [3.0], [1.0]]),
        outcome(C, [[1.0], [1.3], [1.0]]),
    )
    assert Steadier(**SAYS, steady=A, others=(B,)).judge(found).result == "holds"
    assert Steadier(**SAYS, steady=B, others=(A,)).judge(found).result == "does not hold"
    three = Steadier(**SAYS, steady=A, others=(B, C)).judge(found)  # F(2, 2) is 1/9 for the last
    assert three.result == "undecided"
    assert three.evidence == "deviation over replicas: A 0.06, B 1.15, C 0.17; p = 0.005, p = 0.200"
    alone = both(outcome(A, [[1.0]]), outcome(B, [[1.0], [3.0]]))
    verdict = Steadier(**SAYS, steady=A, others=(B,)).judge(alone)
    assert verdict.result == "undecided"
    assert "A 0.00, B 1.41; there are no replicas" in verdict.evidence
    sure = replace(A, random=False)  # which no replica would change
    assert Steadier(**SAYS, steady=sure, others=(B,)).judge(alone).result == "holds"


def test_overfits_needs_more_on_tuning_and_less_on_test_data() -> None:
    low, high = [[0.0] * 20] * 2, [[1.0] * 20] * 2
    claim = Overfits(**SAYS, overfit=A, other=B)
    found = both(outcome(A, low, tuning=2.0), outcome(B, high, tuning=1.0))
    assert claim.judge(found).result == "holds"
    found = both(outcome(A, low, tuning=1.0), outcome(B, high, tuning=2.0))
    assert claim.judge(found).result == "does not hold"
    found = both(outcome(A, high, tuning=2.0), outcome(B, low, tuning=1.0))
    assert claim.judge(found).result == "does not hold"


def test_each_of_several_curves_is_compared_with_each_of_others() -> None:
    found = both(
        outcome(A, [[1.0]], curve=[3.0, 3.0]),
        outcome(B, [[1.0]], curve=[2.0, 2.0]),
        outcome(C, [[1.0]], curve=[2.1, 2.1]),
    )
    assert Early(**SAYS, better=(A,), than=(B, C)).judge(found).result == "holds"
    assert Early(**SAYS, better=(A, C), than=(B,)).judge(found).result == "undecided"
    assert Early(**SAYS, better=(B,), than=(A, C)).judge(found).result == "does not hold"
    assert Early(**SAYS, better=(C, B), ties=True).judge(found).result == "holds"
    assert Early(**SAYS, better=(B, C), ties=True).judge(found).result == "undecided"
    whole = Early(**SAYS, better=(A, B), epochs=10).judge(found)
    assert whole.evidence == "mean dev of the first 2 epochs: A 3.00, B 2.00"


def test_smoother_curves_fall_less() -> None:
    found = both(
        outcome(A, [[1.0]], curve=[1.0, 2.0, 3.0]),
        outcome(B, [[1.0]], curve=[1.0, 3.0, 2.0]),
        outcome(C, [[1.0]], curve=[1.0, 3.0, 2.9]),
    )
    claim = Smoother(**SAYS, smooth=(A,), others=(B,))
    verdict = claim.judge(found)
    assert verdict.result == "holds"
    assert verdict.evidence == "falls from epoch to epoch on dev data: A 0.00, B 0.50"
    assert Smoother(**SAYS, smooth=(A,), others=(C,)).judge(found).result == "undecided"
    assert Smoother(**SAYS, smooth=(C,), others=(A,)).judge(found).result == "undecided"
    assert Smoother(**SAYS, smooth=(B,), others=(A,)).judge(found).result == "does not hold"


def test_a_trend_goes_one_way_and_is_not_chance() -> None:
    rising = ((A, 1.0), (B, 2.0), (C, 3.0))
    found = both(*(outcome(row, [[x] * 20]) for row, x in rising))
    assert NoTrend(**SAYS, rows=(A, B, C)).judge(found).result == "does not hold"
    assert NoTrend(**SAYS, rows=(A, C, B)).judge(found).result == "holds"
    chance = both(*(outcome(row, [[x, 0.0]]) for row, x in rising))
    assert NoTrend(**SAYS, rows=(A, B, C)).judge(chance).result == "holds"


def test_weights_are_the_same_if_they_point_the_same_way() -> None:
    def replicas(*weights: Mapping[str, float]) -> Outcomes:
        made = [outcome(A, [[1.0]], weights=one).replicas[0] for one in weights]
        return both(replace(outcome(A, [[1.0]]), replicas=made))

    claim = SameWeights(**SAYS, row=A)
    same = claim.judge(replicas({"x": 1.0, "y": 2.0}, {"x": 2.1, "y": 4.0}))
    assert same.result == "holds"
    assert same.evidence == "cosines of the weights of 2 replicas: 1.000 to 1.000, at least 0.95"
    assert claim.judge(replicas({"x": 1.0}, {"y": 1.0})).result == "does not hold"
    assert claim.judge(replicas({}, {"y": 1.0})).result == "does not hold"
    assert claim.judge(replicas({"x": 1.0})).result == "undecided"
