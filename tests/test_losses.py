"""The table of losses against its definition, written out in NumPy, and finite differences."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import logsumexp

from hopefear import _core
from hopefear.errors import ConfigError
from hopefear.losses import (
    BayesRisk,
    Hinge,
    JensenRiskBound,
    Log,
    Loss,
    Perceptron,
    Ramp1,
    Ramp2,
    Ramp3,
    SoftRamp2,
    SoftRamp3,
    losses,
)
from hopefear.nbest import NBest, NBestBuilder
from hopefear.settings import config

Array: TypeAlias = NDArray[np.float64]
Definition: TypeAlias = Callable[[Array, Array], float]


def lists(sizes: list[int]) -> NBest:
    builder = NBestBuilder()
    for sentence, size in enumerate(sizes):
        for i in range(size):
            # A feature of its own: then weights are scores, and a gradient is their slopes.
            builder.add(sentence, f"h {i}", {f"{sentence} {i}": 1.0})
    return builder.finish(len(sizes))


def softmax(x: Array) -> float:
    return float(logsumexp(x))


def best_of_local(s: Array, c: Array, size: int) -> float:
    top = np.argsort(-s, kind="stable")[:size]
    return float(s[top][c[top] == c[top].min()].max())


TABLE: dict[str, tuple[Loss, Definition]] = {
    "perceptron": (Perceptron(), lambda s, c: s.max() - s[c == c.min()].max()),
    "hope perceptron": (Perceptron(reference="hope"), lambda s, c: s.max() - (s - c).max()),
    "bold perceptron": (
        Perceptron(reference="bold"),
        lambda s, c: s.max() - s[c == 0].max() if (c == 0).any() else 0.0,
    ),
    "local perceptron": (
        Perceptron(reference="local", local_size=3),
        lambda s, c: s.max() - best_of_local(s, c, 3),
    ),
    "log": (Log(), lambda s, c: softmax(s) - softmax(s[c == c.min()])),
    "hinge": (Hinge(), lambda s, c: (s + c).max() - s[c == c.min()].max()),
    "hope hinge": (Hinge(reference="hope"), lambda s, c: (s + c).max() - (s - c).max()),
    "local hinge": (
        Hinge(reference="local", local_size=2),
        lambda s, c: (s + c).max() - best_of_local(s, c, 2),
    ),
    "soft hinge": (Hinge(soft="both"), lambda s, c: softmax(s + c) - softmax(s[c == c.min()])),
    "ramp 1": (Ramp1(), lambda s, c: (s + c).max() - s.max()),
    "ramp 2": (Ramp2(), lambda s, c: s.max() - (s - c).max()),
    "ramp 3": (Ramp3(), lambda s, c: (s + c).max() - (s - c).max()),
    "soft ramp 1": (JensenRiskBound(), lambda s, c: softmax(s + c) - softmax(s)),
    "soft ramp 2": (SoftRamp2(), lambda s, c: softmax(s) - softmax(s - c)),
    "soft ramp 3": (SoftRamp3(), lambda s, c: softmax(s + c) - softmax(s - c)),
    # Och and Ney (2002), as 3.4 reads them: the second max of ramp 2, softened
    "ramp 2, soft down": (Ramp2(soft="down"), lambda s, c: softmax(s) - (s - c).max()),
    "ramp 3, soft up": (Ramp3(soft="up"), lambda s, c: (s + c).max() - softmax(s - c)),
    "risk": (BayesRisk(), lambda s, c: float(np.exp(s - softmax(s)) @ c)),
}


def test_every_registered_loss_is_in_the_table() -> None:
    assert {losses.name_of(type(loss)) for loss, _ in TABLE.values()} == set(losses)


@pytest.mark.parametrize("name", TABLE)
@given(sizes=st.lists(st.integers(0, 6), min_size=1, max_size=4), seed=st.integers(0, 2**32 - 1))
def test_a_loss_and_its_slopes_are_those_of_its_definition(
    name: str, sizes: list[int], seed: int
) -> None:
    loss, definition = TABLE[name]
    nbest = lists(sizes)
    random = np.random.default_rng(seed)
    scores = random.normal(size=len(nbest)) * 3
    costs = random.integers(0, 4, size=len(nbest)).astype(np.float64)
    rows = [slice(int(a), int(b)) for a, b in zip(nbest.offsets, nbest.offsets[1:], strict=False)]

    def defined(s: Array) -> float:
        return sum(definition(s[r], costs[r]) for r in rows if r.stop > r.start)

    value, slopes = _core.loss_gradient(nbest, scores, costs / 4, 4.0, loss.core(), 1)
    assert value == pytest.approx(defined(scores), rel=1e-9, abs=1e-9)
    # Scores are drawn from a continuum, so that no max is at a kink.
    step = 1e-6
    for r in range(len(nbest)):
        change = np.zeros(len(nbest))
        change[r] = step
        difference = (defined(scores + change) - defined(scores - change)) / (2 * step)
        assert slopes[r] == pytest.approx(difference, abs=1e-6)


def test_large_scores_do_not_overflow_a_soft_loss() -> None:
    nbest = lists([2])
    value, slopes = _core.loss_gradient(
        nbest, np.array([1e6, 1e6 - 1]), np.zeros(2), 1.0, TABLE["log"][0].core(), 1
    )
    assert value == 0.0
    np.testing.assert_array_equal(slopes, [0.0, 0.0])


def test_whether_a_loss_is_smooth_is_no_option() -> None:
    assert losses["risk"]().smooth
    with pytest.raises(ConfigError, match="unknown key"):
        config.decode(losses["risk"], {"smooth": False})


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    nbest = lists([5] * 500)
    random = np.random.default_rng(1)
    scores, costs = random.normal(size=2500), random.random(2500)
    one, two = (
        _core.loss_gradient(nbest, scores, costs, 1.0, TABLE["soft ramp 3"][0].core(), threads)
        for threads in (1, 2)
    )
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])
