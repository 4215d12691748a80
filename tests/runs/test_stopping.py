"""When a run stops, and which epoch it keeps."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import ConfigError
from hopefear.events import EpochFinished
from hopefear.runs.stopping import Stopping, Track
from hopefear.types import Weights

scores = st.floats(0, 100).map(lambda score: round(score, 2))


def epoch(number: int, dev_score: float | None, tuning_score: float = 0.0) -> EpochFinished:
    return EpochFinished(
        epoch=number,
        metric="BLEU",
        weights=Weights({"lm": float(number)}),
        seconds=0.0,
        tuning_score=tuning_score,
        dev_score=dev_score,
    )


def stops_after(rule: Stopping, course: list[float], *, higher_is_better: bool = True) -> int:
    """Return after which epoch it stops; 0 if it does not."""
    track = Track(rule, higher_is_better=higher_is_better)
    return next((n for n, score in enumerate(course, 1) if track.add(epoch(n, score))), 0)


@given(st.lists(scores, min_size=3, max_size=12), st.integers(3, 5), st.sampled_from([0.0, 0.7]))
def test_it_stops_where_a_least_squares_line_rises_too_little(
    course: list[float], window: int, least_gain: float
) -> None:
    expected = 0
    for end in range(window, len(course) + 1):
        slope = float(np.polyfit(range(window), course[end - window : end], 1)[0])
        if abs(slope - least_gain) < 1e-9:  # rounding decides
            return
        if slope < least_gain:
            expected = end
            break
    rule = Stopping(window=window, least_gain=least_gain)
    assert stops_after(rule, course) == expected
    assert stops_after(rule, [-score for score in course], higher_is_better=False) == expected


@pytest.mark.parametrize("score", [0.0, 0.1, 17.77777, 30.123])
@pytest.mark.parametrize("window", [3, 5, 10])
def test_scores_that_stay_have_not_risen(score: float, window: int) -> None:
    assert stops_after(Stopping(window=window), [score] * 12) == window


def test_without_held_out_data_or_a_window_it_never_stops() -> None:
    assert stops_after(Stopping(window=0), [5.0, 4.0, 3.0, 2.0, 1.0]) == 0
    track = Track(Stopping(window=3), higher_is_better=True)
    assert not any(track.add(epoch(n, None, 10.0 - n)) for n in range(1, 9))


@pytest.mark.parametrize(("higher", "best"), [(True, 2), (False, 3)])
def test_the_best_epoch_is_the_first_of_the_best_on_the_held_out_data(
    higher: bool, best: int
) -> None:
    track = Track(Stopping(), higher_is_better=higher)
    for number, score in enumerate([2.0, 3.0, 1.0, 3.0, 1.0], 1):
        track.add(epoch(number, score, tuning_score=-score))
    assert track.best is not None
    assert track.best.epoch == best


@pytest.mark.parametrize("options", [{"window": 2}, {"window": 2.5}, {"least_gain": -1.0}])
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"Stopping\.(window|least_gain) must be"):
        Stopping(**options)
