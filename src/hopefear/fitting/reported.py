"""The events of a run, with its report: while it goes on, and at the end."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from hopefear.errors import HopefearError, describe_file_error
from hopefear.events import EpochFinished, Event, Noted, RunFinished, Warned
from hopefear.runs.load import Loaded
from hopefear.types import Weights

__all__ = ["cloud_keeper", "has_report", "reported"]

INTERVAL = 5.0  # seconds between reports while a run goes on, at least
SHARE = 0.01  # of the time of a run that these reports may take
LARGEST = 64 << 20  # bytes of logs that are read again while a run goes on


def reported(events: Iterator[Event], directory: Path) -> Iterator[Event]:
    """Yield the events of a run, and write its report now and then and at the end, even a bad one.

    Reports are written after an epoch. So that they take a hundredth of the time at most, the next
    one waits a hundred times as long as the last one took. So that they take little memory, there
    are none beside logs with millions of weights.
    """
    started = False
    due = time.monotonic() + INTERVAL
    try:
        for event in events:
            started = started or not isinstance(event, Warned | Noted)
            if isinstance(event, EpochFinished | RunFinished) and time.monotonic() >= due:
                began = time.monotonic()
                with suppress(HopefearError, OSError):  # a run needs no report to go on
                    logs = directory.glob("**/events.jsonl")
                    if sum(log.stat().st_size for log in logs) <= LARGEST:
                        _write(directory, durable=False)
                now = time.monotonic()
                due = now + max(INTERVAL, (now - began) / SHARE)
            yield event
    except (HopefearError, OSError):
        if started:  # else there is no directory, or it is another run's
            with suppress(HopefearError, OSError):  # the run's own error is the one to raise
                _write(directory)
        raise
    try:
        _write(directory)
    except (HopefearError, OSError) as error:
        reason = describe_file_error(error) if isinstance(error, OSError) else str(error)
        raise HopefearError(
            f"the run is over and its weights are in {directory / 'weights.tsv'}, but there is no "
            f"report: {reason}. After that, 'hopefear report {directory}' writes it"
        ) from error


def has_report(directory: Path) -> bool:
    """Whether a run that is over has a report of its end, and not only of a time before."""
    try:
        written = (directory / "report.html").stat().st_mtime_ns
        return written >= (directory / "events.jsonl").stat().st_mtime_ns
    except FileNotFoundError:
        return False


def cloud_keeper(directory: Path) -> Callable[[Loaded, Weights], None]:
    """Return a function that saves the cloud of the most interesting sentence of a run."""

    def keep(data: Loaded, weights: Weights) -> None:
        from hopefear.reporting.inspecting import keep_cloud  # which a run needs when it is over

        with suppress(HopefearError, OSError):  # a run needs no cloud
            keep_cloud(directory, data, weights)

    return keep


def _write(directory: Path, *, durable: bool = True) -> None:
    from hopefear.reporting import write_report  # which a short run needs only when it is over

    write_report([directory], directory / "report.html", durable=durable)
