"""Our own n-best lists: a table with a header, or JSON lines.

In a table (``tsv``) the columns `sentence` and `text` are required, `score` is optional, and every
other column is a feature. In an empty cell the hypothesis lacks the feature or the score.

JSON lines (``jsonl``) hold one hypothesis each; `features` and `score` are optional::

    {"sentence": 0, "text": "the house", "features": {"lm": -2.5}, "score": -1.25}

A sentence is a number from 0, or a string.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import (
    all_finite,
    are_names,
    check_name,
    check_sentence,
    format_number,
    format_sentence,
    json_feature,
    json_number,
    parse_json,
    parse_number,
    parse_sentence,
)
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json
from hopefear.registry import suggest
from hopefear.settings import settings
from hopefear.types import Hypothesis, Segment

__all__ = ["JsonLinesNBest", "TsvNBest", "is_json_line"]

_TEXT = ("sentence", "text")


_OURS = (*_TEXT, "score")
# Columns of texts, which tables of others have.
_TEXTS = {"source", "src", "reference", "ref", "system", "model", "prompt", "lp"}


@nbest_formats.register("tsv")
@settings
class TsvNBest:
    """A header, then one hypothesis per line."""

    def sniff(self, source: Source) -> bool:
        """Look for the columns sentence and text in the first line, and none of other texts."""
        columns = {name for line in source.head(1) for name in line.split("\t")}
        return {"sentence", "text"} <= columns and columns.isdisjoint(_TEXTS)

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return group_hypotheses(_tsv_hypotheses(source))

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses; the header needs all of them in memory."""
        segments = list(segments)
        hypotheses = [hypothesis for segment in segments for hypothesis in segment.hypotheses]
        features = list(dict.fromkeys(name for h in hypotheses for name in h.features))
        for name in features:
            check_name(name, "tsv", forbidden="\t\n\r")
            if name in _OURS:
                raise FormatError(
                    f"the tsv format reserves the column '{name}', so no feature can have it"
                )
        scored = ["score"] if any(h.score is not None for h in hypotheses) else []
        out.write("\t".join(["sentence", "text", *scored, *features]) + "\n")
        for segment in segments:
            for hypothesis in segment.hypotheses:
                values = {**hypothesis.features, "score": hypothesis.score}
                cells = (_cell(values.get(name)) for name in [*scored, *features])
                sentence = _carried(format_sentence(segment.sentence, "tsv"), "sentence")
                text = _carried(hypothesis.text, "text")
                out.write("\t".join([sentence, text, *cells]) + "\n")


def _tsv_hypotheses(source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
    lines = iter(source)
    number, header = next(lines, (1, ""))
    columns = header.split("\t")
    repeated = next((name for name in columns if columns.count(name) > 1), None)
    if repeated is not None or not {"sentence", "text"} <= set(columns):
        problem = f"column '{repeated}' appears twice" if repeated else f"found {header!r:.80}"
        message = "expected a header with the columns 'sentence', 'text' and features"
        raise source.error(number, f"{message}; {problem}")
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise source.error(number, f"expected {len(columns)} columns, found {len(cells)}")
        try:
            yield _row_hypothesis(dict(zip(columns, cells, strict=True)))
        except FormatError as error:
            raise source.error(number, str(error)) from None


def _row_hypothesis(row: Mapping[str, str]) -> tuple[int | str, Hypothesis]:
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
            raise FormatError(
                f"the tsv format cannot represent {character!r} in a {column}: {text!r}"
            )
    return text


_KEYS = ("sentence", "text", "features", "score")


def is_json_line(item: object) -> bool:
    """Whether an item is a line of the format jsonl, and not a record of somebody else."""
    if not isinstance(item, dict) or not {"sentence", "text"} <= item.keys():
        return False
    if isinstance(item["text"], dict | list):
        return False
    # Numbers and texts beside our own keys make it a record; anything else is a mistake of ours.
    others = [value for key, value in item.items() if key not in _KEYS]
    return not others or not all(
        value is None or isinstance(value, str | float | int) for value in others
    )


@nbest_formats.register("jsonl")
@settings
class JsonLinesNBest:
    """One object per line with the keys sentence, text, features and score."""

    def sniff(self, source: Source) -> bool:
        """Look for an object with a sentence and a text, and with keys that are ours."""
        first = next((line for line in source.head() if line.strip()), "")
        if not first.lstrip().startswith("{"):
            return False
        return is_json_line(first_json(source))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses, skipping empty lines."""
        return group_hypotheses(_json_hypotheses(source))

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses."""
        for segment in segments:
            sentence = json.dumps(segment.sentence, ensure_ascii=False)
            for hypothesis in segment.hypotheses:
                text = json.dumps(hypothesis.text, ensure_ascii=False)
                pairs = ", ".join(
                    f"{json.dumps(name, ensure_ascii=False)}: {format_number(value)}"
                    for name, value in hypothesis.features.items()
                )
                line = f'{{"sentence": {sentence}, "text": {text}, "features": {{{pairs}}}'
                if hypothesis.score is not None:
                    line += f', "score": {format_number(hypothesis.score)}'
                out.write(line + "}\n")


def _json_hypotheses(source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
    for number, line in source:
        if not line.strip():
            continue
        table = parse_json(line, source, number)
        try:
            yield _json_hypothesis(table)
        except FormatError as error:
            raise source.error(number, str(error)) from None


def _json_hypothesis(table: object) -> tuple[int | str, Hypothesis]:
    if not isinstance(table, dict):
        raise FormatError(f"expected an object, got {table!r:.40}")
    for key in table:
        if key not in _KEYS:
            raise FormatError(f"unknown key '{key}'{suggest(key, _KEYS)}")
    for key in ("sentence", "text"):
        if key not in table:
            raise FormatError(f"the key '{key}' is missing")
    text, features, score = table["text"], table.get("features", {}), table.get("score")
    if not isinstance(text, str):
        raise FormatError(f"'text' must be a string, got {text!r:.40}")
    if not isinstance(features, dict):
        raise FormatError(f"'features' must be an object, got {features!r:.40}")
    if are_names(tuple(features)) and all_finite(features.values()):
        values = features
    else:
        values = {name: json_feature(name, value) for name, value in features.items()}
    score = None if score is None else json_number(score, "'score'")
    return check_sentence(table["sentence"]), Hypothesis(text=text, features=values, score=score)
