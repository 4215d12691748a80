"""What a paper reports: rows of tables, curves of figures, and the claims that it makes of them."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from hopefear.presets import load_presets
from hopefear.settings.config import parse_assignment

if TYPE_CHECKING:
    from hopefear.reproduction.claims import Claim

__all__ = ["Figure", "Paper", "Row", "Table", "Training"]

Training = Literal["small", "large", "patterns"]
"""The features of a model: the usual ones, with lexical features, or with patterns."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One system of a paper: a preset, what differs from it, and what the paper measured.

    Attributes
    ----------
    label : str
        What the paper calls it.
    preset : str
        A preset.
    options : tuple of str
        Settings that differ from it, as in ``learner.rate=0.05``.
    model : str
        The features of the model.
    choose : mapping
        Settings that are chosen on held-out data, and their values.
    paper : mapping
        The paper's figures, by the columns of its table.
    replicas : int
        How often it is tuned, with other seeds.
    random : bool
        Whether it draws random numbers; without any, replicas would all be the same.
    """

    label: str
    preset: str
    options: tuple[str, ...] = ()
    model: Training = "small"
    choose: Mapping[str, Sequence[object]] = field(default_factory=dict)
    paper: Mapping[str, float] = field(default_factory=dict)
    replicas: int = 3
    random: bool = True

    @cached_property
    def name(self) -> str:
        """The name of the run: rows of tables and figures that do the same share one."""
        changes = [option for option in self.options if not self._has_already(option)]
        parts = [self.preset, *changes, *([] if self.model == "small" else [self.model])]
        parts += ["chosen"] if self.choose else []  # whatever the preset says of it
        return "_".join(parts).replace("=", "-")

    def _has_already(self, option: str) -> bool:
        """Return whether the preset says the same, as where a figure varies a rate."""
        key, value = parse_assignment(option)
        found: object = load_presets()[self.preset].table()
        for part in key.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return str(found) == value


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a paper: its number, what it shows, and its rows."""

    number: str
    title: str
    rows: tuple[Row, ...]

    @property
    def heading(self) -> str:
        """What a reader looks for in the paper."""
        return f"Table {self.number}" if self.number.isdigit() else self.number.capitalize()

    @property
    def columns(self) -> list[str]:
        """The columns of the paper, in its order."""
        return list(dict.fromkeys(column for row in self.rows for column in row.paper))


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of a paper: the learning curves of some rows, or the shapes that one learned."""

    number: str
    title: str
    rows: tuple[Row, ...]
    kind: Literal["curves", "shapes", "cloud", "scatter"] = "curves"
    data: Literal["tuning", "dev"] = "dev"  # of curves


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: all that is reproduced of it."""

    name: str
    title: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    claims: "tuple[Claim, ...]"

    def rows(self) -> list[Row]:
        """Return the rows of all tables and figures, each once, with the most replicas."""
        found: dict[str, Row] = {}
        parts: list[Table | Figure] = [*self.tables, *self.figures]
        for row in (row for part in parts for row in part.rows):
            known = found.get(row.name)
            if known is None or row.replicas > known.replicas:
                found[row.name] = row
        return list(found.values())

    def table(self, number: str) -> "Paper":
        """Return one table alone, with the claims that can be judged by its rows."""
        tables = tuple(table for table in self.tables if table.number == number)
        rows = {row.name for table in tables for row in table.rows}
        claims = tuple(one for one in self.claims if {row.name for row in one.rows} <= rows)
        return replace(self, tables=tables, figures=(), claims=claims)

    def claiming(self, texts: Sequence[str]) -> "Paper":
        """Return the claims that have one of these texts in them, and the rows they speak of."""
        wanted = [text.casefold() for text in texts]
        claims = tuple(
            one for one in self.claims if any(text in one.text.casefold() for text in wanted)
        )
        rows = {row.name for one in claims for row in one.rows}
        return replace(
            self,
            tables=tuple(kept for table in self.tables if (kept := _with_rows(table, rows)).rows),
            figures=tuple(part for one in self.figures if (part := _with_rows(one, rows)).rows),
            claims=claims,
        )


Part = TypeVar("Part", Table, Figure)


def _with_rows(part: Part, names: Container[str]) -> Part:
    return replace(part, rows=tuple(row for row in part.rows if row.name in names))
