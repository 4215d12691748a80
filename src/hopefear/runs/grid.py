"""A grid: one run for each combination of some settings, and the best of them on held-out data.

Clark, Dyer and Lavie (2014), section 6.2, choose the number of bins and the strength of a
regularizer so; any other setting can be chosen in the same way.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from hopefear.errors import ConfigError
from hopefear.events import ReplicasFinished, RunFinished, read_log
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.learners import AnyLearner
from hopefear.registry import suggest
from hopefear.runs.options import build_settings
from hopefear.runs.run import run
from hopefear.runs.settings import TuneSettings
from hopefear.settings import config
from hopefear.settings.tree import keyword_options, walk
from hopefear.types import Weights

__all__ = ["GridCell", "GridResult", "parse_grid", "tune_grid"]

FOLDER = "grid"
_NOT_COPIED = {"checkpoint", "parses"}

Grid = Mapping[str, Sequence[object]]
Ended = RunFinished | ReplicasFinished


@dataclass(frozen=True, kw_only=True)
class GridCell:
    """A combination of settings, and how its run ended.

    Attributes
    ----------
    values : mapping
        The settings that differ between cells, as text.
    directory : Path
        The directory of the run.
    weights : Weights
        What it learned.
    tuning_score, dev_score : float, optional
    """

    values: Mapping[str, str]
    directory: Path
    weights: Weights
    tuning_score: float | None
    dev_score: float | None

    @property
    def score(self) -> float | None:
        """The score that decides: on held-out data, if there are any."""
        return self.tuning_score if self.dev_score is None else self.dev_score


@dataclass(frozen=True, kw_only=True)
class GridResult:
    """All cells of a grid, and the best one."""

    metric: str
    cells: tuple[GridCell, ...]
    best: GridCell


def parse_grid(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return names and their values from texts as in ``bits=4,6,8``.

    Examples
    --------
    >>> parse_grid(["bits=4,6", "regularizer.strength=1,10"])
    {'bits': ['4', '6'], 'regularizer.strength': ['1', '10']}
    """
    grid: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        found = [value.strip() for value in values.split(",")]
        if not equals or not name or not all(found) or name in grid:
            raise ConfigError(
                f"grid: expected a setting and its values once, as in bits=4,6,8, found '{text}'",
                settings=("grid",),
            )
        grid[name] = found
    return grid


def tune_grid(
    learner: PathLike | AnyLearner,
    /,
    *,
    grid: Grid,
    out: PathLike,
    force: bool = False,
    set: Sequence[str] = (),
    progress: Tell = tell_nobody,
    on_cell: Callable[[GridCell], None] = lambda cell: None,
    **settings: Any,
) -> GridResult:
    """Tune with every combination of some settings and keep the best.

    Parameters
    ----------
    learner : str, Path or Learner
        As for `hopefear.tune`.
    grid : mapping
        Names of settings and their values: ``{"bits": [4, 6, 8]}``. A name may be the end of a
        dotted key where no other setting ends so.
    out : path
        The directory: it becomes that of the best run, and has all runs in ``grid/``. Runs that are
        there already are used again, and one that was stopped is resumed.
    force : bool
        Replace runs that are there.
    set, **settings
        As for `hopefear.tune`.
    progress : callable
        Progress callback.
    on_cell : callable
        Called with each combination when its run has ended.
    """
    options, path = keyword_options(TuneSettings, settings, "tune"), Path(out)
    common = build_settings(learner, options, assignments=set)
    keys = {_key(name, common): [str(value) for value in values] for name, values in grid.items()}
    cells = []
    for combination in product(*keys.values()):
        values = dict(zip(keys, combination, strict=True))
        assigned = [*set, *(f"{key}={value}" for key, value in values.items())]
        chosen = build_settings(learner, options, assignments=assigned)
        if chosen.model is not None and chosen.parses is None:  # which most cells can share
            chosen = replace(chosen, parses=path / "parses")
        names = dict(zip(grid, combination, strict=True))
        name = ",".join(f"{name}={value}" for name, value in names.items()).replace("/", "_")
        directory = path / FOLDER / name
        ended = _ended(chosen, directory, progress, force=force)
        cells.append(
            GridCell(
                values=names,
                directory=directory,
                weights=ended.weights,
                tuning_score=ended.tuning_score,
                dev_score=ended.dev_score,
            )
        )
        on_cell(cells[-1])
    sign = 1 if common.metric.higher_is_better else -1
    best = max(cells, key=lambda cell: sign * (cell.score or 0.0))
    _keep(best.directory, path)
    return GridResult(metric=common.metric.name, cells=tuple(cells), best=best)


def _key(name: str, settings: TuneSettings) -> str:
    """Return the dotted key that a name stands for: the key itself, or the end of one."""
    keys = list(dict.fromkeys(o.key for o in walk(TuneSettings, config.encode(settings))))
    found = [name] if name in keys else [key for key in keys if key.endswith(f".{name}")]
    if len(found) == 1:
        return found[0]
    problem = f"may be {' or '.join(found)}" if found else f"is unknown{suggest(name, keys)}"
    raise ConfigError(f"grid: the setting '{name}' {problem}", settings=("grid",))


def _ended(settings: TuneSettings, directory: Path, tell: Tell, *, force: bool) -> Ended:
    """Return how a run ended: before, or now."""
    own = directory / "config.toml"
    resume = False
    if own.is_file() and not force:
        if config.load(TuneSettings, own) != settings:
            raise ConfigError(
                f"{directory}: holds a run with other settings; name another directory, or force "
                "it to be replaced",
                settings=("force",),
            )
        log = directory / "events.jsonl"
        for event in read_log(log) if log.is_file() else ():
            if isinstance(event, Ended):
                return event
        resume = True
    directory.parent.mkdir(parents=True, exist_ok=True)
    events = run(settings, out=directory, force=force, resume=resume, tell=tell)
    return [event for event in events if isinstance(event, Ended)][-1]


def _keep(best: Path, path: Path) -> None:
    """Copy the files of the best run to the directory of the grid."""
    for item in best.iterdir():
        if item.name in _NOT_COPIED:
            continue
        target = path / item.name
        if item.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(item, target)
        else:
            shutil.copyfile(item, target)
