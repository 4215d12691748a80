"""Published ways to tune, under the names by which people know them: TOML files, one a paper.

A table is a system: settings of a run, one line that explains it, and settings that take their
place where lists or forests are given (`lists`, `forests`). With `like`, it says what is different
from a system above it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, cast

__all__ = ["VARIANTS", "Preset", "Table", "load_presets", "overlaid"]

Table = dict[str, Any]

VARIANTS = ("lists", "forests")


@dataclass(frozen=True)
class Preset:
    """A published system.

    Attributes
    ----------
    name, paper : str
        Its own name, and that of its file.
    explanation : str
        One line that says what it is.
    settings : mapping
        What it sets, as a TOML file of settings has it.
    variants : mapping
        What it sets otherwise for candidates of some kinds.
    """

    name: str
    paper: str
    explanation: str
    settings: Table
    variants: Mapping[str, Table]

    def table(self, kind: str = "") -> Table:
        """Return the settings for candidates of a kind."""
        return overlaid(self.settings, self.variants.get(kind, {}))


@cache
def load_presets() -> Mapping[str, Preset]:
    """Return every preset by its name."""
    found: dict[str, Preset] = {}
    for file in sorted(resources.files(__name__).iterdir(), key=lambda file: file.name):
        paper, dot, ending = file.name.rpartition(".")
        if ending != "toml" or not dot:
            continue
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            explanation, like = table.pop("explanation"), found.get(table.pop("like", ""))
            variants = {kind: table.pop(kind) for kind in VARIANTS if kind in table}
            if like is not None:
                table, variants = overlaid(like.settings, table), {**like.variants, **variants}
            found[name] = Preset(name, paper, explanation, table, variants)
    return MappingProxyType(found)


def overlaid(table: Mapping[str, object], changes: Mapping[str, object]) -> Table:
    """Return a table with changes; a named part that keeps its name keeps its other keys.

    Examples
    --------
    >>> overlaid({"learner": {"name": "sgd", "rate": 0.1}}, {"learner": {"rate": 0.2}})
    {'learner': {'name': 'sgd', 'rate': 0.2}}
    >>> overlaid({"learner": {"name": "sgd", "rate": 0.1}}, {"learner": {"name": "mert"}})
    {'learner': {'name': 'mert'}}
    """
    changed = dict(table)
    for key, value in changes.items():
        known = table.get(key)
        if isinstance(known, dict) and isinstance(value, str) and "name" in known:
            value = {"name": value}
        same = (
            isinstance(known, dict)
            and isinstance(value, dict)
            and value.get("name", known.get("name")) == known.get("name")
            and ("name" in known or key in ("rhythm", "discretize"))
        )
        changed[key] = overlaid(cast(Table, known), cast(Table, value)) if same else value
    return changed
