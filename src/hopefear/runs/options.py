"""Settings from a learner's name and options, as the command line and Python functions have them.

All options end in one table, the same as a TOML file holds, and that is decoded once.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import cast

from hopefear.candidates import HasForestSets
from hopefear.candidates.tools import tool_of
from hopefear.errors import ConfigError, FormatError
from hopefear.formats.fields import parse_number
from hopefear.learners import AnyLearner, learners
from hopefear.metrics import metrics
from hopefear.parallel import Serial, strategies
from hopefear.presets import VARIANTS, load_presets, overlaid
from hopefear.registry import nearest, suggest
from hopefear.runs.settings import TuneSettings
from hopefear.settings import config
from hopefear.settings.config import Table, parse_assignment, parse_fields, put, read_table

__all__ = ["build_settings", "learner_of", "start_options", "table_of"]

# The settings that say where to start: one that is given goes over what a file or a preset says.
STARTS = ("start", "start_file", "start_patterns", "infer_start", "regress_start")
# What "auto" chooses, and with what it begins.
AUTO = "auto"
CHOSEN = ("learner.", "rhythm.", "scale_features")


def build_settings(
    learner: str | Path | AnyLearner,
    options: Mapping[str, object],
    *,
    assignments: Sequence[str] = (),
) -> TuneSettings:
    """Put the settings of a run together.

    Parameters
    ----------
    learner : str, Path or Learner
        A preset, a learner, or a TOML file of settings; or a learner with its options.
    options : mapping
        Dotted keys and values that go over the file's; a value of None is no option.
    assignments : sequence of str
        ``key=value`` with dotted keys, which go over everything else.
    """
    table, source = _base(learner)
    given = _standing_for({key: value for key, value in options.items() if value is not None})
    if table.get(AUTO) is True and (told := [key for key in given if key.startswith(CHOSEN)]):
        raise ConfigError(
            f"{told[0]}: auto chooses this itself; name a learner, such as kbest-mira, to set it",
            settings=(told[0],),
        )
    if any(key in given for key in STARTS):
        table = {key: value for key, value in table.items() if key not in STARTS}
    table = _for_candidates(table, given)
    chosen = {key[7:]: given.pop(key) for key in list(given) if key.startswith("metric.")}
    for key, value in given.items():
        if key == "metric" and is_dataclass(value):
            value = config.encode_choice(metrics, value)
        put(table, key, value, source)
    if chosen:
        put(table, "metric", _metric_table(table) | chosen, source)
    asked = set(given)
    for assignment in assignments:
        key, value = parse_assignment(assignment)
        put(table, key, value, source)
        asked.add(key)
    if "learner" in table:
        table = _expanded(table, source)
    table.setdefault("tuning", {})  # which says what it needs
    found = config.decode(TuneSettings, table, source=source)
    _check_lists_are_made(found, asked)
    return found


def _check_lists_are_made(found: TuneSettings, asked: Collection[str]) -> None:
    """Refuse options for lists that nobody makes; presets and files may have such settings."""
    for name in ("decodings", "list_size", "lists", "origin", "keep"):
        if f"rhythm.{name}" in asked and not found.lists_are_made:
            raise ConfigError(
                f"rhythm.{name} is for lists that are made for a learner; "
                f"'{learners.name_of(type(found.learner))}' learns from "
                f"{found.kind.data.description} as they are",
                settings=(f"rhythm.{name}",),
            )
    # A preset may ask for forests; where there are none, merged lists come nearest.
    no_forests = found.rhythm.lists == "forests" and not issubclass(found.kind.data, HasForestSets)
    if "rhythm.lists" in asked and no_forests:
        raise ConfigError(
            "rhythm.lists = 'forests' needs a model: another decoder gives lists alone",
            settings=("rhythm.lists", "model"),
        )
    if "rhythm.decodings" in asked and found.rhythm.lists == "block":
        raise ConfigError(
            "rhythm.decodings: with rhythm.lists = 'block' every epoch decodes; set rhythm.epochs",
            settings=("rhythm.decodings",),
        )


def _standing_for(options: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that options stand for, where these say more than one thing."""
    found = dict(options)
    if isinstance(found.get("start"), str | Path):
        found |= start_options(found.pop("start"))
    if isinstance(text := found.get("discretize"), str):
        del found["discretize"]
        found |= {f"discretize.{key}": value for key, value in parse_fields(text).items()}
    held_out = "dev.nbest" in found or "dev.forests" in found
    for name in ("format", "columns", "ignore", "score_feature", "keyed_references"):
        if f"tuning.{name}" in found and held_out:  # the same tool wrote both, unless we are told
            found.setdefault(f"dev.{name}", found[f"tuning.{name}"])
    return found


def table_of(learner: str, metric: str | None = None) -> Table:
    """Return the settings that a preset, a learner or a file stands for, with every default."""
    table, source = _base(learner)
    if metric is not None:
        table["metric"] = {"name": metric}
    variants: Table = {}
    if (preset := load_presets().get(learner)) is not None:
        table, variants = preset.table() | table, dict(preset.variants)
        table["learner"] = preset.settings["learner"]
    table = _expanded(table, source)
    table.setdefault("strategy", config.encode_choice(strategies, Serial()))
    return table | variants


def learner_of(name: str) -> AnyLearner:
    """Return the learner that a preset stands for, or one with our defaults."""
    own = cast(Table, table_of(name)["learner"])
    return config.decode(learners[own["name"]], _options(own), source=name)


def _base(learner: str | Path | AnyLearner) -> tuple[Table, str]:
    """Return the table to begin with, and what messages call it."""
    if not isinstance(learner, str | Path):
        return {"learner": config.encode_choice(learners, learner)}, "tune"
    if Path(learner).suffix == ".toml":
        return read_table(Path(learner)), str(learner)
    name = str(learner)
    if name == AUTO:
        return {"learner": "kbest-mira", AUTO: True}, f"tune {name}"
    if name not in load_presets() and name not in learners:
        known = _suggest_learner(name)
        raise ConfigError(f"unknown preset or learner '{name}'{known}")
    return {"learner": name}, f"tune {name}"


def _suggest_learner(name: str) -> str:
    """Return the end of a message about an unknown learner; papers' presets are left to a list."""
    plain = [
        known for known in (AUTO, *load_presets(), *learners) if not re.search(r"[0-9]{4}", known)
    ]
    near = nearest(name, plain)
    question = ";" if near is None else f"; did you mean '{near}'?"
    return f"{question} {'see' if near is None else 'See'} 'hopefear presets'"


def _metric_table(table: Table) -> Table:
    """Return the metric of the table, or else the one that suits the data."""
    given = table.get("metric")
    if isinstance(given, dict) and "name" in given:
        return given
    if isinstance(given, str):
        return {"name": given}
    data = table.get("tuning")
    data = data if isinstance(data, dict) else {}
    scores = data.get("score_feature") or data.get("scores")
    own = given if isinstance(given, dict) else {}
    if scores:
        return {"name": "column", "label": Path(str(scores)).name, **own}
    return {"name": "bleu", **own}


def _for_candidates(table: Table, given: Mapping[str, object]) -> Table:
    """Apply what a file says of lists or forests alone, if such candidates are given."""
    variants = {name: table[name] for name in VARIANTS if isinstance(table.get(name), dict)}
    plain = {key: value for key, value in table.items() if key not in VARIANTS}
    tuning = plain.get("tuning")
    own = tuning if isinstance(tuning, dict) else {}
    translates = plain.get("model") or plain.get("decoder")
    if translates or any(key == "model" or key.startswith("decoder") for key in given):
        return plain
    kind = "forests" if own.get("forests") or "tuning.forests" in given else "lists"
    return overlaid(plain, variants.get(kind, {}))


def _kind(table: Table) -> str:
    """Return the kind of the candidates, as presets name it."""
    if table.get("model"):
        return "model"
    if table.get("decoder"):
        return "decoder"
    data = table.get("tuning")
    return "forests" if isinstance(data, dict) and data.get("forests") else "lists"


def _is_tool(decoder: object) -> bool:
    """Whether a decoder is called by its name."""
    command = decoder.get("command") if isinstance(decoder, dict) else None
    return isinstance(command, str) and tool_of(command) is not None


def _expanded(table: Table, source: str) -> Table:
    """Put a preset, or a learner's defaults, under what the table says."""
    given = table["learner"]
    given = {"name": given} if isinstance(given, str) else given
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        return table
    name, presets = given["name"], load_presets()
    if name not in presets and name not in learners:
        problem = f"unknown preset or learner '{name}'{suggest(name, [*presets, *learners])}"
        raise ConfigError(f"{source}: learner.name: {problem}")
    base = presets[name].table(_kind(table)) if name in presets else {"learner": {"name": name}}
    if any(key in table for key in STARTS):
        base = {key: value for key, value in base.items() if key not in STARTS}
    own = cast(Table, base["learner"])
    learner = config.decode(learners[own["name"]], _options(own), source=f"preset {name}")
    base["learner"] = {"name": own["name"], **config.encode(learner)}
    base["rhythm"] = config.encode(learner.rhythm) | base.get("rhythm", {})
    metric = base.pop("metric", {})
    suited = _metric_table(table)
    if suited["name"] == "bleu":
        # Words of forests, of a model's translations and of decoders that we know are there: a
        # tokenizer could only break them up.
        has_words = _kind(table) in ("forests", "model") or _is_tool(table.get("decoder"))
        suited = ({"tokenize": "none"} if has_words else {}) | metric | suited
    changes = table | {"learner": _options(given), "metric": suited}
    return overlaid(base, changes)


def _options(table: Table) -> Table:
    return {key: value for key, value in table.items() if key != "name"}


_START_RULES = {"inferred": True, "ones": False}


def start_options(start: object) -> dict[str, object]:
    """Return the setting that start weights stand for: a table, a file, or a rule."""
    if isinstance(start, Mapping):
        return {"start": dict(start)}
    if isinstance(start, str) and start in _START_RULES:
        return {"infer_start": _START_RULES[start]}
    if start == "regression":
        return {"regress_start": True}
    if start == "random":
        return {"random_start": True}
    if not isinstance(start, str | Path):
        problem = f"start: expected weights or the name of a file, got {start!r:.60}"
        raise ConfigError(problem, settings=("start",))
    if isinstance(start, Path) or "=" not in start or _is_file(start):
        return {"start_file": str(start)}
    weights: dict[str, float] = {}
    for name, _, value in (word.rpartition("=") for word in start.split()):
        if not name or name in weights:
            problem = f"'{name}' occurs twice" if name else f"'{value}' has no name"
            raise ConfigError(f"start weights '{start}': {problem}", settings=("start",))
        try:
            weights[name] = parse_number(value)
        except FormatError as error:
            problem = f"start weights '{start}': {error}"
            raise ConfigError(problem, settings=("start",)) from None
    return {"start": weights}


def _is_file(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:  # weights of many features are longer than the name of a file can be
        return False
