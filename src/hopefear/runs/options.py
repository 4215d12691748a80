"""Settings from a learner's name and options, as the command line and Python functions have them.

All options end in one table, the same as a TOML file holds, and that is decoded once.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from hopefear.errors import ConfigError
from hopefear.learners import Learner, TuningSet, learners
from hopefear.metrics import Metric, metrics
from hopefear.presets import presets
from hopefear.registry import suggest
from hopefear.runs.settings import TuneSettings
from hopefear.settings import config
from hopefear.settings.overrides import Table, parse_assignment, put, read_table

__all__ = ["build_settings"]

# The settings that say where to start: one that is given goes over what a file or a preset says.
STARTS = ("start", "start_file", "start_patterns", "infer_start")


def build_settings(
    learner: str | Path | Learner,
    options: Mapping[str, object],
    *,
    metric: str | Metric | None = None,
    metric_options: Mapping[str, object] | None = None,
    assignments: Sequence[str] = (),
) -> TuneSettings:
    """Put the settings of a run together.

    Parameters
    ----------
    learner : str, Path or Learner
        A preset, a learner, or a TOML file of settings; or a learner with its options.
    options : mapping
        Dotted keys and plain values that go over the file's; a value of None is no option.
    metric : str or Metric, optional
        By name, or with its options.
    metric_options : mapping, optional
        Options of the metric; those that are None are left out.
    assignments : sequence of str
        ``key=value`` with dotted keys and TOML values, which go over everything else.
    """
    table, source = _base(learner)
    if any(key in options for key in STARTS):
        table = {key: value for key, value in table.items() if key not in STARTS}
    for key, value in options.items():
        if value is not None:
            put(table, key, value, source)
    if metric is not None:
        put(table, "metric", metric if isinstance(metric, str) else _plain(metric), source)
    chosen = {key: value for key, value in (metric_options or {}).items() if value is not None}
    if chosen or "metric" not in table or _has_forests(table):
        put(table, "metric", _with_tokenizer(table, _metric_table(table) | chosen), source)
    for assignment in assignments:
        key, value = parse_assignment(assignment)
        put(table, key, value, source)
    if "learner" in table:
        _put_preset(table, source)
        translates = bool(table.get("model") or table.get("decoder"))
        table["learner"] = _expanded(
            table["learner"], forests=_has_forests(table), translates=translates
        )
    table.setdefault("tuning", {})  # which says what it needs
    return config.decode(TuneSettings, table, source=source)


def _base(learner: str | Path | Learner) -> tuple[Table, str]:
    """Return the table to begin with, and what messages call it."""
    if not isinstance(learner, str | Path):
        return {
            "learner": {"name": learners.name_of(type(learner)), **config.encode(learner)}
        }, "tune"
    if Path(learner).suffix == ".toml":
        return read_table(Path(learner)), str(learner)
    name = str(learner)
    if name not in presets and name not in learners:
        known = [*presets, *learners]
        raise ConfigError(
            f"'{name}' is no preset, no learner and no .toml file{suggest(name, known)}"
        )
    return {"learner": name}, f"tune {name}"


def _metric_table(table: Table) -> Table:
    """Return the metric of the table, or else the one that suits the data."""
    given = table.get("metric")
    if isinstance(given, dict):
        return given
    if given is not None:
        return {"name": given}
    data = table.get("tuning")
    data = data if isinstance(data, dict) else {}
    scores = data.get("score_feature") or data.get("scores")
    if scores:
        return {"name": "column", "label": Path(str(scores)).name}
    # The words of a model's translations are there; a tokenizer could only break them up.
    return {"name": "bleu", "tokenize": "none"} if table.get("model") else {"name": "bleu"}


def _has_forests(table: Table) -> bool:
    data = table.get("tuning")
    return isinstance(data, dict) and "forests" in data


def _with_tokenizer(table: Table, metric: Table) -> Table:
    """Add that the words of forests are tokens, unless the metric says otherwise."""
    if _has_forests(table) and metric.get("name") == "bleu":
        return {"tokenize": "none", **metric}
    return metric


def _plain(metric: Metric) -> Table:
    return {"name": metrics.name_of(type(metric)), **config.encode(metric)}


def _put_preset(table: Table, source: str) -> None:
    """Put what a preset says of the run into the table, unless that says something else."""
    given = table["learner"]
    name = given.get("name") if isinstance(given, dict) else given
    if isinstance(name, str) and name not in presets and name not in learners:
        problem = f"'{name}' is no preset and no learner{suggest(name, [*presets, *learners])}"
        raise ConfigError(f"{source}: learner.name: {problem}")
    if name not in presets:
        return
    preset = presets[cast(str, name)]
    if preset.start and not any(key in table for key in STARTS):
        table["start_patterns"] = dict(preset.start)
    if preset.scale_features:
        table.setdefault("scale_features", True)


def _expanded(learner: object, *, forests: bool, translates: bool) -> object:
    """Put a preset's learner in place of its name; options beside it go over the preset's.

    Around a decoder, lists are made as of forests: what learns from them then is the same.
    """
    given = {"name": learner} if isinstance(learner, str) else learner
    if not isinstance(given, dict):
        return learner
    name = given.get("name")
    if name in presets:
        chosen = presets[cast(str, name)]
        other = chosen.on_forests
        suits = forests or (translates and other is not None and TuningSet in other.learns_from)
        base = other if other is not None and suits else chosen.learner
    elif name in learners:
        try:
            base = learners[cast(str, name)]()
        except TypeError:  # it has no defaults: what is missing will be told
            return learner
    else:
        return learner
    changes = {key: value for key, value in given.items() if key != "name"}
    return _over({"name": learners.name_of(type(base)), **config.encode(base)}, changes)


def _over(table: Table, changes: Mapping[str, object]) -> Table:
    """Return a table with changes; a part that stays of its kind need not be named again."""
    changed = dict(table)
    for key, value in changes.items():
        known = table.get(key)
        same = (
            isinstance(known, dict)
            and isinstance(value, dict)
            and "name" in known
            and value.get("name", known["name"]) == known["name"]
        )
        changed[key] = _over(cast(Table, known), cast(Table, value)) if same else value
    return changed
