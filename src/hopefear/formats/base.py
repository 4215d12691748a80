"""What a format is, and the registries in which formats are found.

A format is an object: options are fields of its class, and all have defaults. Its file in this
package registers the class; nothing else has to be changed to add one.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, TextIO, TypeVar, runtime_checkable

from hopefear.errors import ConfigError, FormatError
from hopefear.forest import Forest
from hopefear.formats.files import Source
from hopefear.registry import Registry
from hopefear.settings.config import decode
from hopefear.settings.overrides import Table, parse_value, put
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
    """Whatever can be recognized by its content."""

    def sniff(self, source: Source) -> bool:
        """Say whether the file looks like this format; ``source.head()`` has its first lines."""
        ...


@runtime_checkable
class NBestFormat(Format, Protocol):
    """A form of n-best lists that can be read."""

    def read(self, source: Source) -> Iterator[Segment]:
        """Read hypotheses in the order of the file, one run of the same sentence at a time."""
        ...


@runtime_checkable
class WritableNBestFormat(NBestFormat, Protocol):
    """A form of n-best lists that can also be written."""

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write hypotheses; FormatError for what the format cannot carry."""
        ...


@runtime_checkable
class WeightsFormat(Format, Protocol):
    """A form of weights."""

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        ...

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights; FormatError for what the format cannot carry."""
        ...


@runtime_checkable
class ForestFormat(Format, Protocol):
    """A form of forests."""

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read sentences and their forests; words and features are added to the vocabularies."""
        ...

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write sentences and their forests; FormatError for what the format cannot carry."""
        ...


AnyFormat = TypeVar("AnyFormat", bound=Format)

SHOWN = 60  # characters of a line in a message

nbest_formats: Registry[NBestFormat] = Registry("n-best format", group="hopefear.nbest_formats")
weights_formats: Registry[WeightsFormat] = Registry(
    "weights format", group="hopefear.weights_formats"
)
forest_formats: Registry[ForestFormat] = Registry("forest format", group="hopefear.forest_formats")


def named_format(text: str, formats: Registry[AnyFormat]) -> AnyFormat:
    """Make a format of its name and options, as ``nemo:beam_size=8,...``.

    Options are those of the format's class, values as in TOML; what is no such value is text.
    """
    name, _, options = text.partition(":")
    table: Table = {}
    for option in filter(None, options.split(",")):
        key, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"{formats.kind} '{text}': expected OPTION=VALUE, found '{option}'")
        put(table, key, parse_value(value), f"{formats.kind} '{text}'")
    try:
        return decode(formats[name], table, source=f"{formats.kind} '{name}'")
    except ConfigError as error:  # options of a format are no settings by themselves
        raise ConfigError(str(error)) from error


def choose_format(
    source: Source, formats: Registry[AnyFormat], chosen: str | AnyFormat | None
) -> AnyFormat:
    """Return the format that was chosen, by name or as an object, or else the one that fits.

    A file that fits no format, or several, is an error that lists what could be chosen.
    """
    if isinstance(chosen, str):
        return named_format(chosen, formats)
    if chosen is not None:
        return chosen
    if not source.is_directory and not source.head():
        raise FormatError(f"{source.name}: is empty, so that there is nothing to read")
    fitting = fitting_formats(source, formats) or fitting_formats(source, formats, nearly=True)
    if len(fitting) == 1:
        return formats[fitting[0]]()
    # Where weights are read, there is mostly no option that names their format.
    nameable = formats is not weights_formats
    if fitting:
        problem = f"could be any of these; name the format: {', '.join(fitting)}"
    else:
        first = next((line for line in source.head() if line.strip()), "")
        shown = repr(first if len(first) <= SHOWN else f"{first[:SHOWN]}...")
        looks = "" if source.is_directory else f"; its first line is {shown}"
        known, named = ", ".join(formats), "if it is one of these, name it" if nameable else "known"
        problem = f"is in no known {formats.kind}{looks}; {named}: {known}"
    raise FormatError(f"{source.name}: {problem}", settings=("format",) if nameable else ())


def fitting_formats(
    source: Source, formats: Registry[AnyFormat], *, nearly: bool = False
) -> list[str]:
    """Return the names of the formats that a file looks like.

    `nearly`: by its lines one for one. A format that at least half of the first lines fit is the
    right one, and its reader then says which line is broken, and how.
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
    """Gather the hypotheses of the same sentence that follow each other."""
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
