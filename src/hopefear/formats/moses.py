"""Moses' files.

N-best lists: ``0 ||| text ||| NAME= v v NAME= v ||| score``, and fields that are skipped.
Weights: lines ``NAME= v v``, alone or in the section [weight] of moses.ini.

A label with several values names the features NAME_0, NAME_1, ...; one with a single value is the
feature NAME.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.bar_lines import bar_fields, read_bar_lines, write_bar_lines
from hopefear.formats.base import nbest_formats, weights_formats
from hopefear.formats.cdec import CdecWeights
from hopefear.formats.fields import (
    BLANK,
    WeightTable,
    check_name,
    format_number,
    is_number,
    split_blanks,
)
from hopefear.formats.files import Source, named_file, open_source
from hopefear.nbest import BarLayout
from hopefear.types import Hypothesis, Segment, Weights

__all__ = [
    "MosesNBest",
    "MosesWeights",
    "component_names",
    "join_components",
    "sections",
    "without_comment",
]

# What -show-weights prints in place of weights.
_UNTUNEABLE, _UNTUNEABLE_COMPONENT = "UNTUNEABLE", "UNTUNEABLECOMPONENT"
_HEADER = re.compile(r"[ \t]*\[([^\[\] \t]+)\][ \t\r]*")


@nbest_formats.register("moses")
@dataclass(frozen=True, kw_only=True)
class MosesNBest:
    """Features are NAME= and their values; numbers without a label are F0, F1, ..."""

    @property
    def layout(self) -> BarLayout:
        """Which field is what."""
        return BarLayout(features=2, total=3)

    def sniff(self, source: Source) -> bool:
        """Look for labels, or for numbers alone, in the third field."""
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
        """Write the hypotheses; the score is left out where there is none."""
        counts: dict[str, int] = {}

        def fields(hypothesis: Hypothesis) -> list[str]:
            labels = _labels(hypothesis.features, counts)
            score = [] if hypothesis.score is None else [format_number(hypothesis.score)]
            return [" ".join(labels), *score]

        write_bar_lines(segments, out, "moses", fields)


@weights_formats.register("moses")
@dataclass(frozen=True, kw_only=True)
class MosesWeights:
    """NAME= v v a line, under [weight] if there are sections; [weight-file] is read too.

    Without sections a label may come again, as in mert-moses.pl's files: its values follow on.
    What ``moses -show-weights`` says cannot be tuned is in no n-best list, and has no weight here.
    """

    def sniff(self, source: Source) -> bool:
        """Look for the section, or for a label and numbers in every line."""
        lines = [
            words for line in source.head(1000) if (words := split_blanks(without_comment(line)))
        ]
        if ["[weight]"] in lines:
            return True
        return lines != [] and all(
            len(words) > 1 and (words[0].endswith("=") or words[1:] == [_UNTUNEABLE])
            for words in lines
        )

    def read(self, source: Source) -> Weights:
        """Read the weights, dense and sparse."""
        values: dict[str, list[tuple[int, str]]] = {}
        sparse = Weights()
        lines = [line for _, line in source]
        for number, (section, words) in enumerate(sections(lines), 1):
            if not words or words == [f"[{section}]"]:
                continue
            if section == "weight-file":
                with open_source(named_file(source, words[0], "[weight-file]")) as file:
                    sparse = CdecWeights().read(file)
            elif section in (None, "weight") and words[1:] != [_UNTUNEABLE]:
                words = [word for word in words if word != _UNTUNEABLE_COMPONENT]
                label = words[0].removesuffix("=")
                if label in (words[0], "") or len(words) == 1:
                    raise source.error(
                        number, f"expected NAME= and values, found '{' '.join(words)}'"
                    )
                if section and label in values:
                    raise source.error(number, f"'{label}' already has weights")
                values.setdefault(label, []).extend((number, value) for value in words[1:])
        return _named(source, values, sparse)

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write a [weight] section, all features with a label."""
        out.write("[weight]\n")
        for label, values in join_components(weights):
            check_name(label, "moses", forbidden=BLANK + "#")
            out.write(f"{label}= {' '.join(map(format_number, values))}\n")


def component_names(label: str, count: int) -> list[str]:
    """Return the names of the features behind a label with `count` values."""
    return [label] if count == 1 else [f"{label}_{i}" for i in range(count)]


def join_components(features: Mapping[str, float]) -> Iterator[tuple[str, Sequence[float]]]:
    """Give labels and their values: NAME_0, NAME_1, ... in a row become one label NAME.

    They do not if reading could then not tell them from a feature that is called NAME.
    """
    names, values = list(features), list(features.values())
    at = 0
    while at < len(names):
        label = names[at].removesuffix("_0")
        end = at + 1
        if label not in features:
            while end < len(names) and names[end] == f"{label}_{end - at}":
                end += 1
        yield (label if end - at > 1 else names[at]), values[at:end]
        at = end


def sections(lines: Sequence[str]) -> Iterator[tuple[str | None, list[str]]]:
    """Give for every line its section (None if the file has none) and its words.

    Comments have no words, and the header of a section has one, as ``[weight]``.
    """
    contents = [without_comment(line) for line in lines]
    headers = [_HEADER.fullmatch(content) for content in contents]
    section = "" if any(headers) else None
    for content, header in zip(contents, headers, strict=True):
        section = header[1] if header else section
        yield section, split_blanks(content)


def without_comment(line: str) -> str:
    """Drop what follows a ``#``, as Moses does wherever it stands."""
    return line.partition("#")[0]


def _named(source: Source, labels: dict[str, list[tuple[int, str]]], sparse: Weights) -> Weights:
    table = WeightTable(source)
    for label, values in labels.items():
        names = component_names(label, len(values))
        for name, (number, value) in zip(names, values, strict=True):
            if name in sparse:
                raise source.error(number, f"feature '{name}' is also in the [weight-file]")
            table.add(number, name, value)
    dense = table.weights()
    return Weights([*dense.items(), *sparse.items()])


def _labels(features: Mapping[str, float], counts: dict[str, int]) -> Iterator[str]:
    """Give NAME= v v; a label must have as many values as on the lines before, see `counts`."""
    for label, values in join_components(features):
        parts = [(label, values)]
        if len(values) > 1 and counts.get(label, len(values)) != len(values):
            names = component_names(label, len(values))
            parts = [(name, [value]) for name, value in zip(names, values, strict=True)]
        for name, part in parts:
            check_name(name, "moses")
            if counts.setdefault(name, len(part)) != len(part):
                others = f"'{name}_0', '{name}_1', ... on lines before"
                raise FormatError(f"the moses format cannot carry feature '{name}' beside {others}")
            yield f"{name}= {' '.join(map(format_number, part))}"
