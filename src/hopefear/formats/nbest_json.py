"""N-best lists as JSON lines: one hypothesis a line, as an object.

``{"sentence": 0, "text": "the house", "features": {"lm": -2.5}, "score": -1.25}``

`sentence` is a number from 0 or a string; `features` and `score` may be left out.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import check_sentence, format_number
from hopefear.formats.files import Source
from hopefear.formats.json_fields import json_number, parse_json
from hopefear.registry import suggest
from hopefear.types import Hypothesis, Segment

__all__ = ["JsonLinesNBest"]

_KEYS = ("sentence", "text", "features", "score")


@nbest_formats.register("jsonl")
@dataclass(frozen=True, kw_only=True)
class JsonLinesNBest:
    """One object a line with the keys sentence, text, features and score."""

    def sniff(self, source: Source) -> bool:
        """Look for an object with a sentence and a text."""
        first = next((line for line in source.head() if line.strip()), "")
        return first.lstrip().startswith("{") and '"sentence"' in first and '"text"' in first

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses; empty lines are skipped."""
        return group_hypotheses(_hypotheses(source))

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


def _hypotheses(source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
    for number, line in source:
        if not line.strip():
            continue
        table = parse_json(line, source, number)
        try:
            yield _hypothesis(table)
        except FormatError as error:
            raise source.error(number, str(error)) from None


def _hypothesis(table: object) -> tuple[int | str, Hypothesis]:
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
    values = {name: json_number(value, f"feature '{name}'") for name, value in features.items()}
    score = None if score is None else json_number(score, "'score'")
    return check_sentence(table["sentence"]), Hypothesis(text=text, features=values, score=score)
