"""A grid: one run for each combination of some settings, and the best of them on held-out data.

Clark, Dyer and Lavie (2014), section 6.2, choose the number of bins and the strength of a
regularizer so; any other setting can be chosen in the same way.
"""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from hopefear.errors import ConfigError, LearningError
from hopefear.events import ReplicasFinished
from hopefear.formats.files import PathLike, Tell, is_litter, replacing, tell_nobody
from hopefear.learners import AnyLearner
from hopefear.registry import suggest
from hopefear.runs.batch import carried_out, run_once
from hopefear.runs.options import build_settings
from hopefear.runs.settings import TuneSettings
from hopefear.runs.start import with_decoder
from hopefear.settings import config
from hopefear.settings.tree import keyword_options, walk
from hopefear.threads import thread_count
from hopefear.types import Weights

__all__ = ["GridCell", "GridResult", "parse_grid", "tune_grid"]

FOLDER = "grid"
_NOT_COPIED = {".lock", "checkpoint", "parses"}
_BETWEEN = re.compile(r",(?![^\[{]*[\]}])")  # commas that are not in a list or table

Grid = Mapping[str, Sequence[object]]


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
        Of replicas, the mean.
    failure : str
        Why it learned nothing, if it did not: the settings of a grid may be extreme.
    """

    values: Mapping[str, str]
    directory: Path
    weights: Weights = field(default_factory=Weights)
    tuning_score: float | None = None
    dev_score: float | None = None
    failure: str = ""

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
    >>> parse_grid(["bits=4,6", "templates=[],[oov,shape]"])
    {'bits': ['4', '6'], 'templates': ['[]', '[oov,shape]']}
    """
    grid: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        found = [value.strip() for value in _BETWEEN.split(values)]
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
    jobs: int = 1,
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
    jobs : int
        So many runs at the same time, each in a process of its own. They share the threads. As
        always with processes, a script needs ``if __name__ == "__main__":`` then.
    force : bool
        Replace runs that are there.
    set, **settings
        As for `hopefear.tune`; with a `cluster`, its processors carry out a run each.
    progress : callable
        Progress callback.
    on_cell : callable
        Called with each combination when its run has ended.
    """
    cluster = settings.pop("cluster", None)  # which carries out whole runs
    options, path = keyword_options(TuneSettings, settings, "tune"), Path(out)
    # Other options may only make sense with a value of the grid, as those of a regularizer do.
    parts = {field.name for field in fields(TuneSettings)}
    first = {key: str(some[0]) for key, some in grid.items() if key.split(".")[0] in parts}
    common = _with(first, learner, options, set)
    keys = {_key(name, common): [str(value) for value in values] for name, values in grid.items()}
    planned = []
    for combination in product(*keys.values()):
        values = dict(zip(keys, combination, strict=True))
        chosen = with_decoder(_with(values, learner, options, set))
        if chosen.model is not None and chosen.parses is None:  # which most cells can share
            chosen = replace(chosen, parses=path / "parses")
        if cluster is not None:
            chosen = replace(chosen, threads=1)
        elif jobs > 1:
            chosen = replace(chosen, threads=max(1, thread_count(chosen.threads) // jobs))
        names = dict(zip(grid, combination, strict=True))
        name = ",".join(f"{name}={value}" for name, value in names.items()).replace("/", "_")
        cell = GridCell(values=names, directory=path / FOLDER / name)
        planned.append(_Task(cell, chosen, force))
    cells = []
    for cell in carried_out(planned, cluster=cluster, processes=jobs, tell=progress, what="grid"):
        cells.append(cell)
        on_cell(cell)
    learned = [cell for cell in cells if not cell.failure]
    if not learned:
        raise LearningError(f"no combination of the grid: {cells[0].failure}")
    sign = 1 if common.metric.higher_is_better else -1
    best = max(learned, key=lambda cell: sign * (cell.score or 0.0))
    _keep(best.directory, path)
    return GridResult(metric=common.metric.name, cells=tuple(cells), best=best)


def _with(
    values: Mapping[str, str],
    learner: PathLike | AnyLearner,
    options: Mapping[str, object],
    assignments: Sequence[str],
) -> TuneSettings:
    """Return the settings with some values of the grid, which go over all others.

    What chooses a part, such as a regularizer, comes before the options of the part.
    """
    others = [(config.parse_assignment(text)[0], text) for text in assignments]
    known = [*options, *(key for key, _ in others), *values]
    parts = {
        key: config.Text(value)
        for key, value in values.items()
        if any(other.startswith(f"{key}.") for other in known)
    }
    rest = {key: value for key, value in options.items() if key not in parts}
    later = [text for key, text in others if key not in parts]
    later += [f"{key}={value}" for key, value in values.items() if key not in parts]
    return build_settings(learner, parts | rest, assignments=later)


def _key(name: str, settings: TuneSettings) -> str:
    """Return the dotted key that a name stands for: the key itself, or the end of one."""
    keys = list(dict.fromkeys(o.key for o in walk(TuneSettings, config.encode(settings))))
    found = [name] if name in keys else [key for key in keys if key.endswith(f".{name}")]
    if len(found) == 1:
        return found[0]
    problem = f"may be {' or '.join(found)}" if found else f"is unknown{suggest(name, keys)}"
    raise ConfigError(f"grid: the setting '{name}' {problem}", settings=("grid",))


@dataclass(frozen=True)
class _Task:
    """A run of the grid that is to be made, or found."""

    cell: GridCell
    settings: TuneSettings
    force: bool

    def __call__(self, tell: Tell = tell_nobody) -> GridCell:
        """Return the cell with what was learned, before or now."""
        try:
            ended = run_once(self.settings, self.cell.directory, force=self.force, tell=tell)
        except LearningError as error:
            return replace(self.cell, failure=str(error))
        # The best of several replicas would be a matter of luck.
        tuning, dev = (
            (ended.tuning_mean, ended.dev_mean)
            if isinstance(ended, ReplicasFinished)
            else (ended.tuning_score, ended.dev_score)
        )
        return replace(self.cell, weights=ended.weights, tuning_score=tuning, dev_score=dev)


def _keep(best: Path, path: Path) -> None:
    """Copy the files of the best run to the directory of the grid."""
    for item in path.iterdir():
        if is_litter(item.name):  # of a grid that was killed here
            item.unlink()
    for item in best.iterdir():
        if item.name in _NOT_COPIED:
            continue
        target = path / item.name
        if item.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(item, target)
        else:
            with replacing(target) as temporary:
                shutil.copyfile(item, temporary)
