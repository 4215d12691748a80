"""The protocols of formats, and the registries in which formats are found.

A format is an object whose class has the format's options as fields, all with defaults. The file
that defines the class registers it; adding a format changes nothing else.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, TextIO, TypeVar, cast, runtime_checkable

from hopefear.errors import ConfigError, FormatError
from hopefear.forest import Forest
from hopefear.formats.files import Source
from hopefear.registry import Registry
from hopefear.settings.config import Table, Text, decode, put
from hopefear.types import Hypothesis, Segment, Vocabulary, Weights

__all__ = [
    "ForestFormat",
    "Format",
    "NBestFormat",
    "WeightsFormat",
    "WritableNBestFormat",
    "choose_format",
    "fitting_formats",
    "forest_formats",
    "group_hypotheses",
    "named_format",
    "nbest_formats",
    "weights_formats",
]


class Format(Protocol):
    """Anything that can be recognized by its content."""

    def sniff(self, source: Source) -> bool:
        """Return whether the file looks like this format; ``source.head()`` has its first lines."""
        ...


@runtime_checkable
class NBestFormat(Format, Protocol):
    """A format of n-best lists that can be read."""

    def read(self, source: Source) -> Iterator[Segment]:
        """Read hypotheses in file order, yielding consecutive ones of a sentence together."""
        ...


@runtime_checkable
class WritableNBestFormat(NBestFormat, Protocol):
    """A format of n-best lists that can also be written."""

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write hypotheses; raise FormatError for anything the format cannot represent."""
        ...


@runtime_checkable
class WeightsFormat(Format, Protocol):
    """A format of weights."""

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        ...

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights; raise FormatError for anything the format cannot represent."""
        ...


@runtime_checkable
class ForestFormat(Format, Protocol):
    """A format of forests."""

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read sentences and their forests, adding words and features to the vocabularies."""
        ...

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write sentences and forests; raise FormatError for anything that does not fit."""
        ...


AnyFormat = TypeVar("AnyFormat", bound=Format)

SHOWN = 60  # characters of a line in a message
COLUMNS = re.compile(r'\{"[^"]*":\s*\{"0":')  # the beginning of a frame that was written by columns
EXAMPLE = """
{"sentence": 0, "text": "the house", "features": {"lm": -2.5}}
{"sentence": 0, "text": "a house", "features": {"lm": -2.0}}"""

nbest_formats: Registry[NBestFormat] = Registry("n-best format", group="hopefear.nbest_formats")
weights_formats: Registry[WeightsFormat] = Registry(
    "weights format", group="hopefear.weights_formats"
)
forest_formats: Registry[ForestFormat] = Registry("forest format", group="hopefear.forest_formats")


def named_format(text: str, formats: Registry[AnyFormat]) -> AnyFormat:
    """Make a format from its name and options, as in ``nemo:beam_size=8,...``.

    The options are the fields of the format's class. Values are read as TOML, or else as text.
    """
    name, _, options = text.partition(":")
    table: Table = {}
    for option in filter(None, options.split(",")):
        key, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"{formats.kind} '{text}': expected OPTION=VALUE, found '{option}'")
        put(table, key, Text(value), f"{formats.kind} '{text}'")
    try:
        return decode(formats[name], table, source=f"{formats.kind} '{name}'")
    except ConfigError as error:  # without the names of settings: a format's options are none
        raise ConfigError(str(error)) from error


def choose_format(
    source: Source, formats: Registry[AnyFormat], chosen: str | AnyFormat | None
) -> AnyFormat:
    """Return the chosen format, given by name or as an object, or detect it from the content.

    If no format fits the content, or several do, the FormatError lists the choices.
    """
    if isinstance(chosen, str):
        return named_format(chosen, formats)
    if chosen is not None:
        return chosen
    if not source.is_directory and not source.head():
        raise FormatError(f"{source.name}: the file is empty")
    fitting = fitting_formats(source, formats) or fitting_formats(source, formats, nearly=True)
    if len(fitting) == 1:
        return formats[fitting[0]]()
    # Most commands that read weights have no option for their format.
    nameable = formats is not weights_formats
    if fitting:
        problem = f"fits several formats; choose one of: {', '.join(fitting)}"
    else:
        first = next((line for line in source.head() if line.strip()), "")
        shown = repr(first if len(first) <= SHOWN else f"{first[:SHOWN]}...")
        looks = "" if source.is_directory else f"; its first line is {shown}"
        known = (
            f"{'choose one of the known formats' if nameable else 'known'}: {', '.join(formats)}"
        )
        problem = f"the {formats.kind} is not recognized{looks}; {known}"
        if formats is cast("object", nbest_formats):
            if COLUMNS.match(first):
                problem += "; a frame is read as to_json(orient='records', lines=True) writes it"
            problem += f"\nFor example, this would be read:{EXAMPLE}"
    raise FormatError(f"{source.name}: {problem}", settings=("format",) if nameable else ())


def fitting_formats(
    source: Source, formats: Registry[AnyFormat], *, nearly: bool = False
) -> list[str]:
    """Return the names of the formats that fit the content of a file.

    With `nearly`, a format needs to fit only half of the first lines, one by one. Its reader can
    then report which line is broken.
    """
    if not nearly:
        return [name for name in formats if formats[name]().sniff(source)]
    lines = [source.alone(line) for line in source.head() if line.strip()]
    counts = {name: sum(formats[name]().sniff(line) for line in lines) for name in formats}
    most = max(counts.values(), default=0)
    if not most or 2 * most < len(lines):
        return []
    return [name for name, count in counts.items() if count == most]


def group_hypotheses(
    hypotheses: Iterable[tuple[int | str, Hypothesis]],
) -> Iterator[Segment]:
    """Group consecutive hypotheses of the same sentence."""
    current: int | str = 0
    run: list[Hypothesis] = []
    for sentence, hypothesis in hypotheses:
        if run and sentence != current:
            yield Segment(sentence=current, hypotheses=tuple(run))
            run = []
        current = sentence
        run.append(hypothesis)
    if run:
        yield Segment(sentence=current, hypotheses=tuple(run))
