"""Several runs, one after the other, in processes of their own, or on a cluster.

What was finished before is found, and what was stopped is resumed, so that the same call again
costs only what is left.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Protocol, TypeVar

from hopefear.cluster.tasks import carry_out
from hopefear.errors import ConfigError, OptionError
from hopefear.events import ReplicasFinished, RunFinished, read_log
from hopefear.formats.files import Tell, tell_nobody
from hopefear.runs.run import run
from hopefear.runs.settings import TuneSettings
from hopefear.settings import config

__all__ = ["Ended", "Job", "carried_out", "run_once"]

Ended = RunFinished | ReplicasFinished
Result = TypeVar("Result")
Made = TypeVar("Made", covariant=True)


class Job(Protocol[Made]):
    """A piece of work that other processes understand: an object of an importable class."""

    def __call__(self, tell: Tell = tell_nobody) -> Made:
        """Do it, or find what was done before."""


def run_once(
    settings: TuneSettings, directory: Path, *, force: bool = False, tell: Tell = tell_nobody
) -> Ended:
    """Return how a run ended: one that is there already, is resumed, or is made now.

    Raises
    ------
    ConfigError
        If the directory has a run with other settings, unless it may be replaced.
    """
    if not force and (ended := _found(settings, directory)) is not None:
        return ended
    resume = (directory / "config.toml").is_file() and not force
    directory.parent.mkdir(parents=True, exist_ok=True)
    events = run(settings, out=directory, force=force, resume=resume, tell=tell)
    return [event for event in events if isinstance(event, Ended)][-1]


def _found(settings: TuneSettings, directory: Path) -> Ended | None:
    own, log = directory / "config.toml", directory / "events.jsonl"
    if not own.is_file():
        return None
    # The number of threads changes nothing but the time.
    before = replace(config.load(TuneSettings, own), threads=settings.threads)
    if before != settings:
        raise ConfigError(
            f"{directory}: holds a run with other settings; name another directory, "
            "or force it to be replaced",
            settings=("force",),
        )
    events = read_log(log) if log.is_file() else ()
    return next((event for event in events if isinstance(event, Ended)), None)


def carried_out(
    jobs: "Sequence[Job[Result]]",
    *,
    cluster: str | None = None,
    processes: int = 1,
    tell: Tell = tell_nobody,
    what: str = "runs",
) -> Iterator[Result]:
    """Yield the results of all jobs in order, as soon as they are there.

    Parameters
    ----------
    jobs : sequence of Job
    cluster : str, optional
        A cluster, whose processors do a job each.
    processes : int
        So many jobs at the same time, each in a process of its own that ends when this one does.
    tell : callable
        Progress callback; a single process tells more.
    what : str
        What the jobs are, for the callback.
    """
    if cluster is not None:
        return carry_out([partial(_do, job) for job in jobs], cluster)
    return (job(tell) for job in jobs) if processes <= 1 else _apart(jobs, processes, tell, what)


def _apart(
    jobs: "Sequence[Job[Result]]", processes: int, tell: Tell, what: str
) -> Iterator[Result]:
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        processes, mp_context=context, initializer=_end_with, initargs=(watched,)
    )
    try:
        for done, result in enumerate(pool.map(_do, jobs), 1):
            tell(what, done, len(jobs))
            yield result
    finally:
        held.close()
        pool.shutdown(cancel_futures=True)
        watched.close()


def _do(job: "Job[Result]") -> Result:
    try:
        return job()
    except OptionError as error:  # which names an object that is not here
        raise ConfigError(str(error), settings=error.settings) from None


def _end_with(watched: Connection) -> None:
    """End this process, even in the middle of a run, as soon as the other end is closed."""

    def watch() -> None:
        with suppress(EOFError):
            watched.recv_bytes()
        os._exit(1)

    Thread(target=watch, daemon=True).start()
