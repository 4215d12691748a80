"""The events of a run, with its report at the end."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hopefear.errors import HopefearError, describe_file_error
from hopefear.events import Event, Noted, Warned

__all__ = ["reported"]


def reported(events: Iterator[Event], directory: Path) -> Iterator[Event]:
    """Yield the events of a run, and write its report at the end, even a bad one."""
    started = False
    try:
        for event in events:
            started = started or not isinstance(event, Warned | Noted)
            yield event
    except (HopefearError, OSError):
        if started:  # else there is no directory, or it is another run's
            with suppress(HopefearError, OSError):  # the run's own error is the one to raise
                _write_static(directory)
        raise
    try:
        _write_static(directory)
    except (HopefearError, OSError) as error:
        reason = describe_file_error(error) if isinstance(error, OSError) else str(error)
        raise HopefearError(
            f"the run is over and its weights are in {directory / 'weights.tsv'}, but there is no "
            f"report: {reason}. After that, 'hopefear report {directory}' writes it"
        ) from error


def _write_static(directory: Path) -> None:
    from hopefear.reporting import write_report  # which a run needs only when it is over

    write_report([directory], directory / "report.html")
