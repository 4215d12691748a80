"""Kaldi's lattices as text, as written by ``lattice-copy ark:- ark,t:-``.

An utterance has a line with its key, lines of arcs ``FROM TO WORD GRAPH,ACOUSTIC,FRAMES`` and of
final states ``STATE GRAPH,ACOUSTIC,FRAMES``, and an empty line. Costs are negative logarithms. The
features lmwt and acwt are negated costs, as for Kaldi's n-best archives, so that higher is better.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Arc, Forest, lattice_forest
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import format_number, parse_number, read_keyed_lines, split_blanks
from hopefear.formats.files import Source, open_output
from hopefear.formats.forests.lattices import ColumnArc, forest_columns
from hopefear.settings import setting, settings
from hopefear.types import Vocabulary

__all__ = ["KaldiLattices"]

EPSILON = "<eps>"


_STATE = re.compile(r"[0-9]{1,18}")


_NAMES = ("lmwt", "acwt")


@forest_formats.register("kaldi-lattice")
@settings
class KaldiLattices:
    """A file of lattices, compact or not; utterances are numbered in their order."""

    words: Path | None = setting(
        None, "Table of words and their numbers (words.txt), if the lattices have numbers."
    )

    def sniff(self, source: Source) -> bool:
        """Look for a key, followed by an arc or a final state."""
        lines = [split_blanks(line) for line in source.head(2)]
        if source.is_directory or len(lines) < 2 or len(lines[0]) != 1:
            return False
        states = lines[1][:2] if len(lines[1]) > 2 else lines[1][:1]
        costs = lines[1][-1].split(",") if len(lines[1]) in (2, 4, 5) else []
        return bool(states) and all(map(_STATE.fullmatch, states)) and len(costs) in (0, 2, 3)

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the lattices in order, one at a time, skipping empty ones."""
        table = self._table()
        seen: set[str] = set()
        for first, key, lines in _utterances(source):
            if key in seen:
                raise source.error(first, f"the utterance '{key}' appears twice")
            seen.add(key)
            lattice = _Lattice(table, self.words)
            for number, fields in lines:
                try:
                    lattice.add(fields)
                except FormatError as error:
                    raise source.error(number, str(error)) from None
            if not lines:
                continue
            try:
                yield len(seen) - 1, lattice.forest(words, feature_names)
            except ForestError as error:
                raise source.error(first, f"'{key}': {error}") from None

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write compact lattices without frames, with sentence numbers as keys."""
        numbers = {word: number for number, word in (self._table() or {}).items()}
        with open_output(path) as out:
            for sentence, forest in forests:
                try:
                    lines = _format(forest, numbers)
                except FormatError as error:
                    raise FormatError(f"{path}: sentence {sentence}: {error}") from error
                out.write("\n".join([f"{sentence} ", *lines, "", ""]))

    def _table(self) -> dict[str, str] | None:
        """Return the words by their numbers."""
        if self.words is None:
            return None
        return {number: word for word, number in read_keyed_lines(self.words).items()}


def _utterances(source: Source) -> Iterator[tuple[int, str, list[tuple[int, list[str]]]]]:
    """Yield the line number, the key and the lines of each utterance."""
    key, first, lines = "", 0, list[tuple[int, list[str]]]()
    for number, line in source:
        if line.startswith("\0B") or "\0B" in line[:200]:
            raise source.error(number, "the archive is binary; convert it to text (ark,t:)")
        fields = split_blanks(line)
        if key and fields:
            lines.append((number, fields))
        elif key:
            yield first, key, lines
            key = ""
        elif fields:
            if len(fields) != 1:
                raise source.error(number, f"expected the key of an utterance, found '{line:.60}'")
            key, first, lines = fields[0], number, []
    if key:
        yield first, key, lines


@dataclass
class _Lattice:
    """Collects the lines of an utterance."""

    table: dict[str, str] | None
    file: Path | None
    states: dict[str, int] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)
    final: dict[int, dict[str, float]] = field(default_factory=dict)

    def add(self, fields: list[str]) -> None:
        if len(fields) <= 2:
            state = self._state(fields[0])
            if state in self.final:
                raise FormatError(f"state {fields[0]} is already final")
            self.final[state] = _costs(fields[1] if len(fields) == 2 else "0,0")
            return
        if len(fields) > 5:
            raise FormatError(f"expected an arc or a final state, found {len(fields)} fields")
        # FROM TO WORD [COSTS], or FROM TO TRANSITION WORD COSTS if the lattice is not compact
        word = fields[3] if len(fields) == 5 else fields[2]
        source, target = self._state(fields[0]), self._state(fields[1])
        costs = _costs(fields[-1] if len(fields) > 3 else "0,0")
        self.arcs.append(Arc(source=source, target=target, words=self._word(word), features=costs))

    def forest(self, words: Vocabulary, feature_names: Vocabulary) -> Forest:
        if not self.final:
            raise ForestError("the lattice has no final state")
        return lattice_forest(self.arcs, final=self.final, words=words, feature_names=feature_names)

    def _state(self, text: str) -> int:
        """Return the number of a state in order of appearance; the first is the start."""
        if not _STATE.fullmatch(text):
            raise FormatError(f"expected the number of a state, found '{text:.40}'")
        return self.states.setdefault(text, len(self.states))

    def _word(self, text: str) -> list[str]:
        if self.table is not None:
            if text not in self.table:
                raise FormatError(f"word {text:.40} is not in {self.file}")
            text = self.table[text]
        return [] if text in (EPSILON, "0") else [text]


def _costs(text: str) -> dict[str, float]:
    parts = text.split(",")
    if len(parts) not in (2, 3):
        raise FormatError(f"expected costs like 'GRAPH,ACOUSTIC,FRAMES', found '{text:.40}'")
    costs = [parse_number(part) for part in parts[:2]]
    return {name: 0.0 - cost for name, cost in zip(_NAMES, costs, strict=True)}


def _format(forest: Forest, numbers: dict[str, str]) -> list[str]:
    columns = forest_columns(forest, "kaldi-lattice")
    lines = []
    for state, column in enumerate(columns):
        for arc in column:
            word = arc.words[0] if arc.words else EPSILON
            if (arc.words and word in (EPSILON, "0")) or split_blanks(word) != [word]:
                raise FormatError(f"the kaldi-lattice format cannot represent the word {word!r}")
            if numbers and word not in numbers:
                raise FormatError(f"the table of words has no number for {word!r}")
            shown = numbers[word] if numbers else word
            lines.append(f"{state} {state + arc.distance} {shown} {_format_costs(arc)}")
    return [*lines, f"{len(columns)} 0,0,"]


def _format_costs(arc: ColumnArc) -> str:
    if unknown := [name for name, value in arc.features.items() if value and name not in _NAMES]:
        raise FormatError(
            f"the kaldi-lattice format has only the features lmwt and acwt, not {unknown[0]!r}"
        )
    return ",".join(format_number(0.0 - arc.features.get(name, 0.0)) for name in _NAMES) + ","
