"""Lines of fields with ``|||`` between them, which many tools write; the core takes them apart."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TextIO, runtime_checkable

from hopefear.errors import FormatError
from hopefear.formats.base import NBestFormat, group_hypotheses
from hopefear.formats.fields import BLANK, check_name, format_number, is_number
from hopefear.formats.files import Source
from hopefear.nbest import BarHypothesis, BarLayout, parse_hypothesis
from hopefear.types import Hypothesis, Segment

__all__ = [
    "BarNBestFormat",
    "bar_fields",
    "format_pairs",
    "is_pair",
    "read_bar_lines",
    "write_bar_lines",
]


@runtime_checkable
class BarNBestFormat(NBestFormat, Protocol):
    """A format of such lines; the core can read whole files of it at once."""

    @property
    def layout(self) -> BarLayout:
        """Which field is what."""
        ...


def bar_fields(source: Source, least: int) -> list[list[str]]:
    """Return the fields of the first lines, or nothing if these are no such lines.

    `least` is how many fields every line must have. Whether the first one is the number of a
    sentence is for the reader to say, who knows the line.
    """
    lines = [line for line in source.head() if line.strip(BLANK)]
    rows = [[field.strip(BLANK) for field in line.split("|||")] for line in lines]
    return rows if all(len(row) >= least for row in rows) else []


def read_bar_lines(source: Source, layout: BarLayout) -> Iterator[Segment]:
    """Read hypotheses one by one; empty lines are skipped."""

    def hypotheses() -> Iterator[tuple[int, Hypothesis]]:
        for number, line in source:
            if line.strip(" \t\r"):
                parsed = parse_hypothesis(line, layout, f"{source.name}:{number}")
                try:
                    yield _hypothesis(parsed)
                except FormatError as error:
                    raise source.error(number, str(error)) from None

    return group_hypotheses(hypotheses())


def _hypothesis(parsed: BarHypothesis) -> tuple[int, Hypothesis]:
    pairs = zip(parsed.names, parsed.values, strict=True)
    features = {name: _finite(value, f"feature '{name}'") for name, value in pairs}
    score = None if parsed.total is None else _finite(parsed.total, "the score")
    return parsed.sentence, Hypothesis(text=parsed.text, features=features, score=score)


def write_bar_lines(
    segments: Iterable[Segment],
    out: TextIO,
    format: str,
    fields: Callable[[Hypothesis], list[str]],
) -> None:
    """Write a line for each hypothesis: sentence, text, and the `fields` of the hypothesis.

    Blanks around a text do not count in these formats and are not written.
    """
    for segment in segments:
        if isinstance(segment.sentence, str):
            key = segment.sentence
            raise FormatError(f"the {format} format numbers its sentences; this one is '{key}'")
        for hypothesis in segment.hypotheses:
            text = hypothesis.text.strip(BLANK)
            for forbidden in ("|||", "\n"):
                if forbidden in text:
                    raise FormatError(
                        f"the {format} format cannot carry {forbidden!r} in a text: {text!r}"
                    )
            others = fields(hypothesis)
            if any("|||" in field for field in others):
                name = next(name for name in hypothesis.features if "|||" in name)
                raise FormatError(f"the {format} format cannot carry the feature {name!r}")
            out.write(" ||| ".join([str(segment.sentence), text, *others]) + "\n")


def format_pairs(features: Mapping[str, float], format: str, forbidden: str = "") -> str:
    """Write features as NAME=VALUE with blanks between; `forbidden` are further characters."""
    for name in features:
        check_name(name, format, forbidden=BLANK + forbidden)
        if any(map(is_pair, name.split(";")[:-1])):
            raise FormatError(f"the {format} format would take {name!r} for several features")
    return " ".join(f"{name}={format_number(value)}" for name, value in features.items())


def is_pair(word: str) -> bool:
    """Say whether a word is NAME=VALUE."""
    name, _, value = word.rpartition("=")
    return bool(name) and is_number(value)


def _finite(value: float, what: str) -> float:
    if not math.isfinite(value):
        raise FormatError(f"{what} is {value}, which is not finite")
    return value
