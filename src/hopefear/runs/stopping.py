"""Which epoch to keep, and when to stop looking for a better one."""

from collections.abc import Sequence

import numpy as np

from hopefear.errors import OptionError
from hopefear.events import EpochFinished
from hopefear.settings import setting, settings

__all__ = ["Stopping", "Track"]


@settings
class Stopping:
    """Stop when the held-out score no longer rises, judged by its trend over a window of epochs.

    A trend (the slope of a least squares line) does not stop at the first unlucky epoch, as a count
    of epochs without a new best does, and does not go on for a lucky one.
    """

    window: int = setting(
        10, "Number of epochs over which the trend is taken; 0 never stops early.", least=0
    )
    least_gain: float = setting(
        0.0, "Least gain per epoch, in points of the metric, worth going on for.", least=0
    )

    def check(self) -> None:
        """Refuse a window too short for a trend."""
        if self.window in (1, 2):
            raise OptionError(self, "window", f" must be 0 or at least 3, got {self.window}")


CHOSEN = "cross-validation chose this epoch"


class Track:
    """The epochs of one run: the best so far, and whether to stop.

    `last` is an epoch that is known to be the one to take.
    """

    def __init__(self, rule: Stopping, higher_is_better: bool, *, last: int | None = None) -> None:
        self._last = last
        self.best: EpochFinished | None = None
        self.reason = ""
        self._rule = rule
        self._sign = 1.0 if higher_is_better else -1.0
        self._held_out: list[float] = []

    @property
    def held_out(self) -> tuple[float, ...]:
        """The scores of epochs so far by which it is decided when to stop."""
        return tuple(self._held_out)

    def restore(self, best: EpochFinished | None, held_out: Sequence[float], reason: str) -> None:
        """Go on where another track was."""
        self.best, self._held_out, self.reason = best, list(held_out), reason
        if self._last == 0:
            self.reason = CHOSEN

    def add(self, event: EpochFinished) -> bool:
        """Take up an epoch; return whether to stop after it."""
        if self._last is not None:
            self.best = event
            self.reason = CHOSEN if event.epoch >= self._last else ""
            return bool(self.reason)
        if self.best is None or self._value(event) > self._value(self.best):
            self.best = event
        if event.dev_score is None or self._rule.window == 0:
            return False
        self._held_out.append(self._sign * event.dev_score)
        recent = self._held_out[-self._rule.window :]
        if len(recent) < self._rule.window:
            return False
        if _slope(recent) > self._rule.least_gain:
            return False
        trend = "upward" if self._sign > 0 else "downward"
        self.reason = f"the held-out score had no {trend} trend in the last {len(recent)} epochs"
        return True

    def _value(self, event: EpochFinished) -> float:
        score = event.tuning_score if event.dev_score is None else event.dev_score
        return -np.inf if score is None else self._sign * score


def _slope(scores: Sequence[float]) -> float:
    """Return the slope of the least squares line; exactly 0 if the scores are all the same."""
    time = np.arange(len(scores)) - (len(scores) - 1) / 2
    return float(time @ (np.array(scores) - scores[0]) / (time @ time))
