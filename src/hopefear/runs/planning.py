"""Planning: what an epoch would take with more learners, estimated from runs that were measured.

The steps of a learner take random times with the measured mean and deviation. A step of an
asynchronous learner takes longer the more lessons it hears; how much is a line through the runs.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.errors import DataError
from hopefear.events import EpochFinished, RunStarted, read_log
from hopefear.types import FloatArray

__all__ = ["ClusterEstimate", "Comparison", "Measured", "Plan", "read_measured", "simulate"]

DRAWS = 200
# v, what is needed for its average (2), the rates and the origin, in float64: see OnlineState.
BYTES_PER_FEATURE = 40


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the log of a run says about its steps; all numbers are means over epochs.

    Attributes
    ----------
    name, strategy, workers
    sentences, features : int
    seconds : float
        Wall clock of an epoch.
    step : float
        CPU time of a step, in seconds.
    deviation : float
        Its standard deviation between sentences.
    messages, sent : float
        Messages of an epoch, a copy for each listener, and their bytes.
    """

    name: str
    strategy: str
    workers: int
    sentences: int
    features: int
    seconds: float
    step: float
    deviation: float
    messages: float
    sent: float

    @property
    def heard(self) -> float:
        """The lessons of others that a step hears."""
        return self.messages / self.sentences


def read_measured(directory: Path) -> Measured:
    """Read what a run tells about its steps.

    Raises
    ------
    DataError
        If the run has no epoch of an online learner.
    """
    config, log = directory / "config.toml", directory / "events.jsonl"
    if not config.is_file() or not log.is_file():
        raise DataError(f"{directory}: is not the directory of a run")
    events = list(read_log(log))
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    epochs = [
        event
        for event in events
        if isinstance(event, EpochFinished) and event.step_seconds is not None
    ]
    if started is None or not epochs:
        raise DataError(
            f"{directory}: has no measured steps; they are told by online learners, such as mira"
        )
    # Epochs after the first, which fills caches, if there are any.
    epochs = epochs[1:] or epochs
    strategy = tomllib.loads(config.read_text(encoding="utf-8")).get("strategy", {})

    def mean(field: str) -> float:
        return float(np.mean([getattr(event, field) or 0.0 for event in epochs]))

    return Measured(
        name=str(directory),
        strategy=strategy.get("name", "serial"),
        workers=strategy.get("workers", 1),
        sentences=started.sentences,
        features=max(started.features, *(len(event.weights) for event in epochs)),
        seconds=mean("seconds"),
        step=mean("step_seconds"),
        deviation=mean("step_deviation"),
        messages=mean("messages"),
        sent=mean("bytes_sent"),
    )


@dataclass(frozen=True, kw_only=True)
class ClusterEstimate:
    """What an epoch takes with some number of learners.

    Attributes
    ----------
    strategy, workers
    seconds : float
        Of an epoch.
    speedup : float
        How many times as fast as one learner.
    work : float
        CPU seconds of all steps.
    messages, sent : float
        Of an epoch; the states that are mixed are messages, too.
    """

    strategy: str
    workers: int
    seconds: float
    speedup: float
    work: float
    messages: float
    sent: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A measured run beside the estimate for it."""

    measured: Measured
    estimate: ClusterEstimate


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Estimates for more learners.

    Attributes
    ----------
    runs : tuple of Measured
        What was measured; they differ in the number of workers.
    sentences : int, optional
        To learn from; as many as in the first run by default.
    bandwidth : float
        Bytes a second that one machine can send, and receive at the same time.
    latency : float
        Seconds until the first byte of a message arrives.
    processors : int, optional
        That work at the same time; one for each learner by default.
    """

    runs: tuple[Measured, ...]
    sentences: int | None = None
    bandwidth: float = 125e6
    latency: float = 0.0005
    processors: int | None = None

    @property
    def count(self) -> int:
        """The sentences of an epoch."""
        return self.sentences or self.runs[0].sentences

    @cached_property
    def line(self) -> tuple[float, float]:
        """The seconds of a step that hears nothing, and of each lesson that it hears."""
        heard, steps = (
            np.array([getattr(run, field) for run in self.runs]) for field in ("heard", "step")
        )
        if np.ptp(heard) < 1e-9:
            return float(steps.mean()), 0.0
        slope, base = np.polyfit(heard, steps, 1)
        # Noise of the measurement must not make steps shorter by what they hear.
        return (float(base), float(slope)) if slope > 0 else (float(steps.mean()), 0.0)

    @property
    def lessons(self) -> float:
        """Lessons that a sentence teaches; 0 if no run sent any."""
        sent = [run.heard / (run.workers - 1) for run in self.runs if run.messages]
        return float(np.mean(sent)) if sent else 0.0

    @property
    def message(self) -> float:
        """Bytes of a message; 0 if no run sent any."""
        messages = sum(run.messages for run in self.runs)
        return sum(run.sent for run in self.runs) / messages if messages else 0.0

    @property
    def spread(self) -> float:
        """The deviation of a step as a share of its mean."""
        return float(np.mean([run.deviation / run.step for run in self.runs]))

    @property
    def state(self) -> int:
        """Bytes of a learner's state."""
        return BYTES_PER_FEATURE * max(run.features for run in self.runs)

    def estimate(self, strategy: str, workers: int) -> ClusterEstimate:
        """Return what an epoch takes."""
        base, slope = self.line
        alone = self.count * base
        if strategy == "async":
            copies = self.count * self.lessons * (workers - 1)
            step = base + slope * self.lessons * (workers - 1)
            sent = copies * self.message
            compute, messages = self._longest(workers, step), copies
            # What a machine receives comes while it works; it can only be late.
            seconds = max(compute, sent / workers / self.bandwidth) + self.latency * (workers > 1)
        else:
            step, messages = base, 2.0 * workers * (workers > 1)
            sent = messages * self.state
            # One machine sends all states and gets them back.
            exchange = sent / self.bandwidth + 2 * self.latency * (workers > 1)
            seconds = self._longest(workers, step) + exchange
        return ClusterEstimate(
            strategy=strategy,
            workers=workers,
            seconds=seconds,
            speedup=alone / seconds,
            work=self.count * step,
            messages=messages,
            sent=sent,
        )

    def compare(self, measured: Measured) -> Comparison:
        """Return the estimate for a run that was measured."""
        return Comparison(
            measured=measured, estimate=self.estimate(measured.strategy, measured.workers)
        )

    def _longest(self, workers: int, step: float) -> float:
        """Return the seconds of the learner that takes longest, or of all if processors are few."""
        sizes = np.array([len(part) for part in np.array_split(np.arange(self.count), workers)])
        together = min(self.processors or workers, workers)
        if not self.spread:
            return float(max(sizes.max() * step, self.count * step / together))
        shape = 1 / self.spread**2
        # The sum of n gamma variates of one scale is a gamma variate of n times the shape.
        random = np.random.default_rng(1)
        busy = sizes[sizes > 0]
        sums: FloatArray = random.gamma(busy * shape, step / shape, size=(DRAWS, len(busy)))
        return float(np.maximum(sums.max(axis=1), sums.sum(axis=1) / together).mean())

    def assumptions(self) -> list[str]:
        """Return what the estimates rest on, in words."""
        base, slope = self.line
        where = ", ".join(run.name for run in self.runs)
        place = (
            "a processor for each learner"
            if self.processors is None
            else f"{self.processors} processors"
        )
        told = [
            f"a step takes {1e3 * base:.3g} ms ± {100 * self.spread:.0f} % of CPU time between "
            f"sentences, measured in {where}; times of steps have a gamma distribution",
            f"{self.count:,} sentences in an epoch, {place}",
            f"machines send {self.bandwidth / 1e6:.4g} MB a second and receive as much at the "
            f"same time; a message takes {1e3 * self.latency:.3g} ms on its way",
            f"mixing sends a state of {self.state / 1e6:.3g} MB ({BYTES_PER_FEATURE} bytes a "
            "feature) to each learner and back, one after the other, through one machine",
        ]
        if not self.message:
            return [*told, "no run exchanged lessons: there are no estimates for async"]
        heard = f"{1e6 * slope:.3g} µs" if slope else "nothing that could be measured"
        return [
            *told,
            f"{100 * self.lessons:.0f} % of the sentences teach a lesson, which is "
            f"{self.message:,.0f} bytes to each other learner; hearing one takes {heard}, and a "
            "hundred take a hundred times as long",
            "epochs are equally good, whatever the number of learners; see the curves of a report",
        ]


def simulate(
    runs: Sequence[Path], workers: Sequence[int], compare: Sequence[Path], **network: Any
) -> tuple[Plan, list[ClusterEstimate], list[Comparison]]:
    """Return a plan, its estimates, and measured runs beside those for them.

    Parameters
    ----------
    runs, compare : sequence of Path
        Directories of runs: those to learn from, and those to compare with.
    workers : sequence of int
        Numbers of learners to estimate for.
    **network
        Further attributes of `Plan`.
    """
    plan = Plan(runs=tuple(map(read_measured, runs)), **network)
    strategies = ["mixing", "async"] if plan.message else ["mixing"]
    estimates = [plan.estimate(name, count) for name in strategies for count in workers]
    return plan, estimates, [plan.compare(read_measured(path)) for path in compare]
