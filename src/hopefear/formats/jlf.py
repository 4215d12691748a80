"""JLF, cicada's lattices: a line ``[[["word", {"feature": 1.0}, 1], ...], ...]`` each.

The lists are those of the states in order; the number of an arc is how many states it goes on.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Forest
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import format_number, split_blanks
from hopefear.formats.files import Source
from hopefear.formats.json_fields import (
    json_integer,
    json_list,
    json_number,
    json_object,
    json_text,
    parse_json,
)
from hopefear.formats.lattices import ColumnArc, columns_forest, forest_columns
from hopefear.formats.lines import write_lines
from hopefear.types import Vocabulary

__all__ = ["JlfLattices"]

_START = re.compile(r"\s*\[\s*\[\s*\[")
EPSILON = "<epsilon>"


@forest_formats.register("jlf")
@dataclass(frozen=True, kw_only=True)
class JlfLattices:
    """A file with a lattice a line; ``<epsilon>`` is no word, attributes are not kept."""

    def sniff(self, source: Source) -> bool:
        """Look for lists in lists."""
        return not source.is_directory and bool(_START.match("\n".join(source.head(1))))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the lattices in order. Empty lines and empty lattices have no forest."""
        for number, line in source:
            if not line.strip():
                continue
            value = parse_json(line, source, number)
            try:
                columns = [
                    [_arc(arc, state) for arc in json_list(column, f"state {state}")]
                    for state, column in enumerate(json_list(value, "a lattice"))
                ]
                if columns:
                    yield number - 1, columns_forest(columns, words, feature_names)
            except (FormatError, ForestError) as error:
                raise source.error(number, str(error)) from None

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a file; FormatError for forests that are no lattices."""
        write_lines(path, forests, _format)


def _arc(value: object, state: int) -> ColumnArc:
    what = f"state {state}, an arc"
    items = json_list(value, what)
    if len(items) not in (3, 4):
        raise FormatError(f"{what} must have a word, features and a length, got {value!r:.60}")
    word = json_text(items[0], f"{what}: its word")
    features = {
        name: json_number(number, f"{what}: feature '{name}'")
        for name, number in json_object(items[1], f"{what}: its features").items()
    }
    said = () if word == EPSILON else tuple(split_blanks(word))
    return ColumnArc(said, features, json_integer(items[-1], f"{what}: its length", least=1))


def _format(forest: Forest) -> str:
    columns = forest_columns(forest, "jlf")
    return f"[{', '.join(_format_column(column) for column in columns)}]"


def _format_column(column: list[ColumnArc]) -> str:
    arcs = []
    for arc in column:
        word = arc.words[0] if arc.words else EPSILON
        if arc.words == (EPSILON,) or (arc.words and split_blanks(word) != [word]):
            raise FormatError(f"the jlf format cannot carry the word {word!r}")
        features = ", ".join(
            f"{json.dumps(name, ensure_ascii=False)}: {format_number(value)}"
            for name, value in arc.features.items()
        )
        arcs.append(f"[{json.dumps(word, ensure_ascii=False)}, {{{features}}}, {arc.distance}]")
    return f"[{', '.join(arcs)}]"
