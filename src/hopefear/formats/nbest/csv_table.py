"""Tables with a header, separated by commas, semicolons or tabs, as frames and spreadsheets write.

::

    seg_id,src,mt,system,comet
    0,das Haus,"the house, then",A,0.81

A column that begins with a number is a feature; other columns are texts, and only the hypothesis
counts. Empty cells and `nan` stand for numbers that are missing. Without a column of sentences,
rows with the same source are of the same sentence.
"""

import csv
from collections.abc import Iterator, Sequence

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import parse_number, parse_numbers, parse_sentence
from hopefear.formats.files import Source
from hopefear.formats.nbest.columns import INDEX, SOURCE, ColumnFormat, Numbering, first_of
from hopefear.formats.nbest.tables import TsvNBest
from hopefear.settings import settings
from hopefear.types import Hypothesis, Segment

__all__ = ["CsvNBest", "header_names", "named_rows"]

EXAMPLE = """
sentence,text,lm,comet
0,the house,-2.5,0.81"""
MISSING = {"", "nan", "NaN", "NA", "N/A", "null", "None", "<NA>"}


@nbest_formats.register("csv")
@settings
class CsvNBest(ColumnFormat):
    """A header, then one hypothesis per row; cells may be quoted, except between tabs."""

    def sniff(self, source: Source) -> bool:
        """Look for columns of texts, and of sentences or sources, in the first line."""
        names = header_names(source)
        if self.text_column(names) is None or len(names) < 2:
            return False
        if (self.sentence_column(names) or first_of(SOURCE, names)) is None:
            return False
        plain = self.sentence is None and self.text is None and not self.ignore
        return not (plain and TsvNBest().sniff(source))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return group_hypotheses(self._hypotheses(source))

    def _hypotheses(self, source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
        rows = _rows(source)
        line, names = next(rows, (1, []))
        reader = _Reader(self, source, line, names)
        for line, row in rows:
            try:
                yield reader.read(row)
            except FormatError as error:
                raise source.error(line, str(error)) from None


class _Reader:
    """Turns rows into hypotheses."""

    def __init__(self, format: CsvNBest, source: Source, line: int, names: Sequence[str]) -> None:
        text, sentence = format.text_column(names), format.sentence_column(names)
        origin = first_of(SOURCE, names)
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise source.error(line, f"column '{repeated}' appears twice")
        if text is None or (sentence is None and origin is None):
            what = "text" if text is None else "sentence"
            raise source.error(
                line,
                f"which column is the {what}? Found {', '.join(names)}; name it with --columns "
                f"{what}=COLUMN. For example, this would be read:{EXAMPLE}",
            )
        self._width, self._text = len(names), names.index(text)
        self._numbering = Numbering()
        self._keyed = sentence is not None
        self._sentence = names.index(sentence or origin or "")
        taken = {text, sentence, *SOURCE, *INDEX, *format.ignore}
        self._unknown = {i: name for i, name in enumerate(names) if name not in taken}
        self._comma = _delimiter((source.head(1) or [""])[0]) == ";"  # may be that of decimals
        self._places: list[int] = []
        self._names: list[str] = []

    def read(self, row: Sequence[str]) -> tuple[int | str, Hypothesis]:
        """Return the sentence and the hypothesis of a row."""
        if len(row) != self._width:
            raise FormatError(f"expected {self._width} columns, found {len(row)}")
        if self._unknown:
            self._learn_kinds(row)
        cells = [self._number(row[place]) for place in self._places]
        numbers = parse_numbers(cells)
        values = (
            self._one_by_one(cells)
            if numbers is None
            else dict(zip(self._names, numbers, strict=True))
        )
        own = row[self._sentence]
        number = parse_sentence(own) if self._keyed else self._numbering.of(own)
        return number, Hypothesis(text=row[self._text], features=values)

    def _one_by_one(self, cells: Sequence[str]) -> dict[str, float]:
        """Read numbers some of which are missing, or are none."""
        values: dict[str, float] = {}
        for name, cell in zip(self._names, cells, strict=True):
            if cell in MISSING:
                continue
            try:
                values[name] = parse_number(cell)
            except FormatError as error:
                hint = f"if it is no feature, leave it out with --ignore '{name}'"
                raise FormatError(f"column '{name}': {error}; {hint}") from None
        return values

    def _number(self, cell: str) -> str:
        """Return a number as we write it: between semicolons, spreadsheets write 0,5 for 0.5."""
        return cell.replace(",", ".", 1) if self._comma and "," in cell else cell

    def _learn_kinds(self, row: Sequence[str]) -> None:
        """See in the first row that has something in a column whether it holds numbers."""
        for place, name in list(self._unknown.items()):
            if row[place] in MISSING:
                continue
            del self._unknown[place]
            try:
                parse_number(self._number(row[place]))
            except FormatError:
                continue
            self._places.append(place)
            self._names.append(name)


def header_names(source: Source) -> list[str]:
    """Return the names of the columns, if the first line has several; its texts otherwise."""
    lines = source.head(1)
    return _cells(lines[0], _delimiter(lines[0])) if lines else []


def named_rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of each row by the names of their columns."""
    rows = _rows(source)
    _, names = next(rows, (1, []))
    for line, row in rows:
        if len(row) != len(names):
            raise source.error(line, f"expected {len(names)} columns, found {len(row)}")
        yield line, dict(zip(names, row, strict=True))


def _delimiter(header: str) -> str:
    """Return what separates most names."""
    return max("\t,;", key=header.count)


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == "\t":
        return line.split("\t")
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row and the line on which it ends; cells may contain newlines."""
    delimiter = _delimiter((source.head(1) or [""])[0])
    if delimiter == "\t":
        for number, line in source:
            yield number, line.split("\t")
        return
    reader = csv.reader((line + "\n" for _, line in source), delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise source.error(reader.line_num, f"not CSV: {error}") from None
        if row is None:
            return
        if row:
            yield reader.line_num, row
