"""Scores of hypotheses in their order: a number per line, or the JSON that COMET writes.

``comet-score --to_json`` writes the segments of each system under the name of its file::

    {"hyp.txt": [{"src": "das Haus", "mt": "the house", "COMET": 0.81}, ...]}

"""

from collections.abc import Iterator

from hopefear.errors import FormatError
from hopefear.formats.fields import json_number, parse_number
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json, json_items

__all__ = ["read_scores"]

EXAMPLE = 'a number per line, or COMET\'s {"FILE": [{"COMET": 0.81}, ...]}'


def read_scores(source: Source) -> Iterator[float]:
    """Yield the scores."""
    if first_json(source) is not None:
        for line, item in json_items(source):
            try:
                yield from _scores(item)
            except FormatError as error:
                raise source.error(line, str(error)) from None
        return
    for line, text in source:
        try:
            yield parse_number(text.strip())
        except FormatError as error:
            shown = str(error) if len(text) <= 60 else f"{text[:60]!r}... is not a number"
            raise source.error(line, f"{shown}; expected {EXAMPLE}") from None


def _scores(item: object) -> Iterator[float]:
    segments = item
    if isinstance(item, dict) and len(item) == 1:
        segments = next(iter(item.values()))
    if not isinstance(segments, list):
        segments = [segments]
    for segment in segments:
        found = segment
        if isinstance(segment, dict):
            numbers = {
                name: value
                for name, value in segment.items()
                if isinstance(value, int | float) and not isinstance(value, bool)
            }
            if len(numbers) != 1 and "COMET" not in numbers:
                keys = ", ".join(numbers) or "none"
                raise FormatError(f"which number is the score? Found {keys}; expected {EXAMPLE}")
            found = numbers.get("COMET", next(iter(numbers.values())))
        yield json_number(found, "a score")
