"""N-best lists as a table with tabs, whose header names the columns.

The columns `sentence` and `text` must be there, `score` may be; every other column is a feature. An
empty cell means that the hypothesis does not have the feature (or the score).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import (
    check_name,
    format_number,
    format_sentence,
    parse_number,
    parse_sentence,
)
from hopefear.formats.files import Source
from hopefear.types import Hypothesis, Segment

__all__ = ["TsvNBest"]

_TEXT = ("sentence", "text")
_OURS = (*_TEXT, "score")


@nbest_formats.register("tsv")
@dataclass(frozen=True, kw_only=True)
class TsvNBest:
    """A header, then one hypothesis a line."""

    def sniff(self, source: Source) -> bool:
        """Look for the columns sentence and text in the first line."""
        return any({"sentence", "text"} <= set(line.split("\t")) for line in source.head(1))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return group_hypotheses(_hypotheses(source))

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses; all are held until the features are known."""
        segments = list(segments)
        hypotheses = [hypothesis for segment in segments for hypothesis in segment.hypotheses]
        features = list(dict.fromkeys(name for h in hypotheses for name in h.features))
        for name in features:
            check_name(name, "tsv", forbidden="\t\n\r")
            if name in _OURS:
                raise FormatError(f"the tsv format has a column '{name}' for other things")
        scored = ["score"] if any(h.score is not None for h in hypotheses) else []
        out.write("\t".join(["sentence", "text", *scored, *features]) + "\n")
        for segment in segments:
            for hypothesis in segment.hypotheses:
                values = {**hypothesis.features, "score": hypothesis.score}
                cells = (_cell(values.get(name)) for name in [*scored, *features])
                sentence = _carried(format_sentence(segment.sentence, "tsv"), "sentence")
                text = _carried(hypothesis.text, "text")
                out.write("\t".join([sentence, text, *cells]) + "\n")


def _hypotheses(source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
    lines = iter(source)
    number, header = next(lines, (1, ""))
    columns = header.split("\t")
    repeated = next((name for name in columns if columns.count(name) > 1), None)
    if repeated is not None or not {"sentence", "text"} <= set(columns):
        problem = f"column '{repeated}' comes twice" if repeated else f"found {header!r:.80}"
        message = "expected a header with the columns 'sentence' and 'text' and of features"
        raise source.error(number, f"{message}; {problem}")
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise source.error(number, f"expected {len(columns)} columns, found {len(cells)}")
        try:
            yield _hypothesis(dict(zip(columns, cells, strict=True)))
        except FormatError as error:
            raise source.error(number, str(error)) from None


def _hypothesis(row: Mapping[str, str]) -> tuple[int | str, Hypothesis]:
    values = {name: _number(name, cell) for name, cell in row.items() if cell and name not in _TEXT}
    score = values.pop("score", None)
    hypothesis = Hypothesis(text=row["text"], features=values, score=score)
    return parse_sentence(row["sentence"]), hypothesis


def _number(column: str, cell: str) -> float:
    try:
        return parse_number(cell)
    except FormatError as error:
        raise FormatError(f"column '{column}': {error}") from None


def _cell(value: float | None) -> str:
    return "" if value is None else format_number(value)


def _carried(text: str, column: str) -> str:
    for character in "\t\n\r":
        if character in text:
            raise FormatError(f"the tsv format cannot carry {character!r} in a {column}: {text!r}")
    return text
