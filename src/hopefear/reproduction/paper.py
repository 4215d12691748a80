"""What a paper reports: rows of tables, curves of figures, and the claims that it makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

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
    """

    label: str
    preset: str
    options: tuple[str, ...] = ()
    model: Training = "small"
    choose: Mapping[str, Sequence[object]] = field(default_factory=dict)
    paper: Mapping[str, float] = field(default_factory=dict)
    replicas: int = 3

    @property
    def name(self) -> str:
        """The name of the run: rows of several tables that do the same share one."""
        parts = [self.preset, *self.options, *([] if self.model == "small" else [self.model])]
        return "_".join(parts).replace("=", "-")


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


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: all that is reproduced of it."""

    name: str
    title: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    claims: "tuple[Claim, ...]"

    def rows(self, table: str | None = None) -> list[Row]:
        """Return the rows of a table, or those of all tables and figures, each once."""
        parts: list[Table | Figure] = [t for t in self.tables if table in (None, t.number)]
        parts += self.figures if table is None else ()
        found: dict[str, Row] = {}
        for row in (row for part in parts for row in part.rows):
            known = found.get(row.name)
            if known is None or row.replicas > known.replicas:
                found[row.name] = row
        return list(found.values())
