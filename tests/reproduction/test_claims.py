"""Claims are judged by the scores, and by how likely chance is."""

from collections.abc import Sequence
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
from hopefear.types import Weights

A, B = Row(label="A", preset="a"), Row(label="B", preset="b")
SAYS: dict[str, Any] = {"text": "A is better", "where": "table 1"}


def outcome(
    row: Row,
    tests: Sequence[Sequence[float]],
    *,
    tuning: float = 0.0,
    curve: Sequence[float] = (1.0,),
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
                statistics=np.asarray(metric.statistics(list(scores))),
            )
            for scores in tests
        ],
        features=1,
        seconds=1.0,
        chosen={},
    )


def both(a: Outcome, b: Outcome) -> Outcomes:
    return Outcomes({"a": a, "b": b})


def test_above_holds_if_the_difference_is_not_chance() -> None:
    low, high = [[0.0] * 20, [0.0] * 20], [[1.0] * 20, [1.0] * 20]
    claim = Above(**SAYS, better=A, worse=B)
    assert claim.judge(both(outcome(A, high), outcome(B, low))).result == "holds"
    found = claim.judge(both(outcome(A, low), outcome(B, high)))
    assert found.result == "does not hold"
    assert found.evidence == "test: A 0.00, B 1.00; p < 0.001"
    one = [[0.0] * 19 + [1.0]] * 2
    assert claim.judge(both(outcome(A, one), outcome(B, low))).result == "undecided"


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
    assert Early(**SAYS, rows=(B, A)).judge(found).result == "holds"
    assert Early(**SAYS, rows=(A, B)).judge(found).result == "does not hold"
    assert Early(**SAYS, rows=(A, B), end="last", epochs=1).judge(found).result == "holds"
    near = outcome(B, [[1.0]], curve=[1.0, 2.1, 3.0, 9.0, 9.1])
    assert Early(**SAYS, rows=(A, B)).judge(both(rising, near)).result == "undecided"
    assert Close(**SAYS, rows=(A, B), within=4.7, data=END).judge(found).result == "does not hold"
    assert Close(**SAYS, rows=(A, B), within=4.9, data=END).judge(found).result == "undecided"
    near = outcome(B, [[1.0]], curve=[1.0, 2.1, 3.0, 9.0, 9.1])
    assert Early(**SAYS, rows=(A, B)).judge(both(rising, near)).result == "undecided"
    assert Close(**SAYS, rows=(A, B), within=5.1, data=END).judge(found).result == "holds"


def test_curves_of_replicas_that_vary_decide_less() -> None:
    def curves(row: Row, *ends: float) -> Outcome:
        (one,) = outcome(row, [[1.0]]).replicas
        made = [replace(one, dev_curve=[end]) for end in ends]
        return replace(outcome(row, [[1.0]]), replicas=made)

    claim = Early(**SAYS, rows=(A, B), epochs=1)
    # Two standard errors of the difference of the means are 2 √(25/3 + 0) = 5.8.
    verdict = claim.judge(both(curves(A, 5.0, 10.0, 15.0), curves(B, 15.0, 15.0, 15.0)))
    assert verdict.result == "undecided"
    assert verdict.evidence == "mean dev of the first epoch: A 10.00 ± 5.00, B 15.00"
    sure = both(curves(A, 5.0, 10.0, 15.0), curves(B, 16.0, 16.0, 16.0))
    assert claim.judge(sure).result == "does not hold"
    assert claim.judge(both(curves(A, 9.9, 10.1), curves(B, 9.6, 9.8))).result == "holds"
    assert claim.judge(both(curves(A, 9.9, 10.1), curves(B, 9.4, 10.2))).result == "undecided"


def test_steadier_compares_deviations_of_replicas() -> None:
    found = both(outcome(A, [[1.0], [1.1]]), outcome(B, [[1.0], [3.0]]))
    assert Steadier(**SAYS, steady=A, others=(B,)).judge(found).result == "holds"
    assert Steadier(**SAYS, steady=B, others=(A,)).judge(found).result == "does not hold"
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
