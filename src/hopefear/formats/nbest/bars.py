"""N-best lists whose fields are separated by ``|||``; the core parses the lines.

cdec and Joshua: ``0 ||| text ||| NAME=VALUE NAME=VALUE ||| score``. Joshua prints three decimals.
Moses: ``0 ||| text ||| NAME= v v NAME= v ||| score``. A label with several values names the
features NAME_0, NAME_1, ...; a label with a single value is the feature NAME.
Travatar and qaware-decode: ``0 ||| text ||| score ||| NAME=VALUE NAME=VALUE``.
Marian: ``0 ||| text ||| 0-0 1-1 ||| WordScores= -0.1 -0.2 ||| F0= -1.7 ||| -1.7``. Marian's lists
without alignments and word scores are recognized as Moses', or as cdec's if Marian leaves out the
blank, as it does for a single scorer (``F0=-1.7``).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TextIO, runtime_checkable

from hopefear.errors import FormatError
from hopefear.formats.base import NBestFormat, group_hypotheses, nbest_formats
from hopefear.formats.fields import (
    BLANK,
    check_name,
    component_names,
    format_number,
    format_pairs,
    is_number,
    is_pair,
    join_components,
    split_blanks,
)
from hopefear.formats.files import Source
from hopefear.nbest import BarHypothesis, BarLayout, parse_hypothesis
from hopefear.settings import setting, settings
from hopefear.types import Hypothesis, Segment

__all__ = [
    "BarNBestFormat",
    "CdecNBest",
    "JoshuaNBest",
    "MarianNBest",
    "MosesNBest",
    "TravatarNBest",
    "bar_fields",
    "read_bar_lines",
    "write_bar_lines",
]


@runtime_checkable
class BarNBestFormat(NBestFormat, Protocol):
    """A format with ``|||`` between fields, of which the core reads whole files."""

    @property
    def layout(self) -> BarLayout:
        """The places of the fields."""
        ...


def bar_fields(source: Source, least: int) -> list[list[str]]:
    """Return the fields of the first lines; nothing if a line has fewer than `least`.

    The reader checks that the first field is a sentence number, since it can report the line.
    """
    lines = [line for line in source.head() if line.strip(BLANK)]
    rows = [[field.strip(BLANK) for field in line.split("|||")] for line in lines]
    return rows if all(len(row) >= least for row in rows) else []


def read_bar_lines(source: Source, layout: BarLayout) -> Iterator[Segment]:
    """Read hypotheses one by one, skipping empty lines."""

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
    """Write a line for each hypothesis: sentence, text, and the other `fields`.

    These formats ignore spaces around a text, so they are not written.
    """
    for segment in segments:
        if isinstance(segment.sentence, str):
            key = segment.sentence
            raise FormatError(f"the {format} format needs sentence numbers; found the key '{key}'")
        for hypothesis in segment.hypotheses:
            text = hypothesis.text.strip(BLANK)
            for forbidden in ("|||", "\n"):
                if forbidden in text:
                    raise FormatError(
                        f"the {format} format cannot represent {forbidden!r} in a text: {text!r}"
                    )
            others = fields(hypothesis)
            if any("|||" in field for field in others):
                name = next(name for name in hypothesis.features if "|||" in name)
                raise FormatError(f"the {format} format cannot represent the feature {name!r}")
            out.write(" ||| ".join([str(segment.sentence), text, *others]) + "\n")


def _finite(value: float, what: str) -> float:
    if not math.isfinite(value):
        raise FormatError(f"{what} must be finite, got {value}")
    return value


@nbest_formats.register("cdec")
@settings
class CdecNBest:
    """Features are NAME=VALUE; a fifth field is skipped."""

    semicolons: bool = setting(
        False, "Semicolons separate features as well as spaces, as in files of old tools."
    )

    @property
    def layout(self) -> BarLayout:
        """The places of the fields."""
        return BarLayout(features=2, total=3, semicolons=self.semicolons)

    def sniff(self, source: Source) -> bool:
        """Look for a third field with only NAME=VALUE."""
        words = [word for row in bar_fields(source, 3) for word in split_blanks(row[2])]
        return words != [] and all(map(is_pair, words))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses, those without a score with one field less."""

        def fields(hypothesis: Hypothesis) -> list[str]:
            pairs = format_pairs(hypothesis.features, "cdec", ";" if self.semicolons else "")
            return [pairs] if hypothesis.score is None else [pairs, format_number(hypothesis.score)]

        write_bar_lines(segments, out, "cdec", fields)


@nbest_formats.register("joshua")
@settings
class JoshuaNBest:
    """The third field has the features, as in cdec's format."""

    @property
    def layout(self) -> BarLayout:
        """The places of the fields."""
        return BarLayout(features=2, total=3)

    def sniff(self, source: Source) -> bool:
        """Return False: cdec's format is the same."""
        return False

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)


@nbest_formats.register("moses")
@settings
class MosesNBest:
    """Features are labels NAME= with values; values without a label are F0, F1, ..."""

    @property
    def layout(self) -> BarLayout:
        """The places of the fields."""
        return BarLayout(features=2, total=3)

    def sniff(self, source: Source) -> bool:
        """Look for a third field with labels, or with only numbers."""
        rows = bar_fields(source, 3)
        words = [word for row in rows for word in split_blanks(row[2])]
        if any(word[-1] in "=:" for word in words):
            return "WordScores=" not in words  # Marian's
        numbers = all(map(is_number, words))
        return rows != [] and numbers and all(is_number(row[3]) for row in rows if len(row) > 3)

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses, those without a score with one field less."""
        counts: dict[str, int] = {}

        def fields(hypothesis: Hypothesis) -> list[str]:
            labels = _labels(hypothesis.features, counts)
            score = [] if hypothesis.score is None else [format_number(hypothesis.score)]
            return [" ".join(labels), *score]

        write_bar_lines(segments, out, "moses", fields)


def _labels(features: Mapping[str, float], counts: dict[str, int]) -> Iterator[str]:
    """Yield NAME= v v; a label must have the same number of values in all lines (`counts`)."""
    for label, values in join_components(features):
        parts = [(label, values)]
        if len(values) > 1 and counts.get(label, len(values)) != len(values):
            names = component_names(label, len(values))
            parts = [(name, [value]) for name, value in zip(names, values, strict=True)]
        for name, part in parts:
            check_name(name, "moses")
            if counts.setdefault(name, len(part)) != len(part):
                others = f"'{name}_0', '{name}_1', ... of earlier lines"
                raise FormatError(
                    f"the moses format cannot represent the feature '{name}' and {others}"
                )
            yield f"{name}= {' '.join(map(format_number, part))}"


@nbest_formats.register("travatar")
@settings
class TravatarNBest:
    """Four fields, the third for the score and the fourth for the features."""

    @property
    def layout(self) -> BarLayout:
        """The places of the fields."""
        return BarLayout(total=2, features=3)

    def sniff(self, source: Source) -> bool:
        """Look for a number in the third field and NAME=VALUE in the fourth."""
        rows = bar_fields(source, 4)
        return rows != [] and all(
            len(row) == 4 and is_number(row[2]) and all(map(is_pair, split_blanks(row[3])))
            for row in rows
        )

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses, which must have scores."""

        def fields(hypothesis: Hypothesis) -> list[str]:
            if hypothesis.score is None:
                text = hypothesis.text
                raise FormatError(f"the travatar format needs a score, but {text!r} has none")
            return [format_number(hypothesis.score), format_pairs(hypothesis.features, "travatar")]

        write_bar_lines(segments, out, "travatar", fields)


_WORD_SCORES = "WordScores"


@nbest_formats.register("marian")
@settings
class MarianNBest:
    """The last field is the score, the one before has the features; word scores are skipped."""

    @property
    def layout(self) -> BarLayout:
        """The places of the fields."""
        return BarLayout(features=-2, total=-1, ignored=[_WORD_SCORES])

    def sniff(self, source: Source) -> bool:
        """Look for word scores, or for features that come after the third field."""
        rows = bar_fields(source, 4)
        words = [word for row in rows for field in row[2:] for word in split_blanks(field)]
        labels = [any("=" in word for word in split_blanks(row[2])) for row in rows]
        late = [len(row) > 4 and "=" in row[-2] for row in rows]
        return f"{_WORD_SCORES}=" in words or (rows != [] and all(late) and not any(labels))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)
