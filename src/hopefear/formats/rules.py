"""Rule tables of other tools: Moses, and Hiero's form as cdec and Joshua have it.

They are read into a :class:`GrammarBuilder`, from any number of files, and written from a grammar.
A glue grammar is a rule table like any other.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

from hopefear.errors import FormatError
from hopefear.formats.base import Format, choose_format, named_format
from hopefear.formats.files import PathLike, Source, open_binary_output, open_source
from hopefear.grammar import Grammar, GrammarBuilder, RuleTable
from hopefear.registry import Registry

__all__ = [
    "CdecRules",
    "InputSegment",
    "JoshuaRules",
    "MosesRules",
    "RuleFormat",
    "detect_rules",
    "parse_segment",
    "read_rules",
    "read_segments",
    "rule_formats",
    "write_rules",
]


@runtime_checkable
class RuleFormat(Format, Protocol):
    """A form of rule tables."""

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        ...

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules; FormatError for what the format cannot carry."""
        ...


rule_formats: Registry[RuleFormat] = Registry("rule format")


@rule_formats.register("moses")
@dataclass(frozen=True, kw_only=True)
class MosesRules:
    """``SOURCE [X] ||| TARGET [LHS] ||| p p p p ||| links ||| counts ||| NAME value ||| ...``.

    The scores are probabilities: the model sees their logarithms, not below -100, as in Moses.
    Three counts are kept as ``count_e``, ``count_f`` and ``count_f_e``; properties are skipped.

    Parameters
    ----------
    label
        What the table is called in moses.ini: its scores are LABEL_0, LABEL_1, ... or, if there is
        one, LABEL.
    """

    label: str = "TranslationModel0"

    def sniff(self, source: Source) -> bool:
        """Look for sides that end with a label."""
        side = r"\S.*? \[[^\[\] ]+\]"
        return _all_lines_match(source, rf"{side} +\|\|\| {side} +\|\|\| +[-+.0-9]")

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        builder.parse(source.pieces(), RuleTable.moses, self.label, source.name, negate=False)

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules; scores are written as the probabilities that they are logarithms of."""
        grammar.write_text(RuleTable.moses, out.write)


@rule_formats.register("cdec")
@dataclass(frozen=True, kw_only=True)
class CdecRules:
    """``[LHS] ||| SOURCE ||| TARGET ||| NAME=value ... ||| links``; values are used as they are.

    Parameters
    ----------
    label
        Numbers without a name are the features LABEL_0, LABEL_1, ...
    """

    label: str = "PhraseModel"

    def sniff(self, source: Source) -> bool:
        """Look for a label before three bars."""
        return _all_lines_match(source, r"\[[^\[\] ]+\] +\|\|\| ")

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        builder.parse(source.pieces(), RuleTable.hiero, self.label, source.name, negate=False)

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules; for probabilities their logarithms are written."""
        grammar.write_text(RuleTable.hiero, out.write)


@rule_formats.register("joshua")
@dataclass(frozen=True, kw_only=True)
class JoshuaRules:
    """The same, but Joshua changes the sign of numbers without a name (they were costs).

    Parameters
    ----------
    owner
        Numbers without a name are the features tm_OWNER_0, tm_OWNER_1, ...
    """

    owner: str = "pt"

    def sniff(self, source: Source) -> bool:
        """Leave it to cdec's format: the files look the same, so Joshua's must be named."""
        return False

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        label = f"tm_{self.owner}"
        builder.parse(source.pieces(), RuleTable.hiero, label, source.name, negate=True)

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules; features have names, so Joshua leaves their sign."""
        grammar.write_text(RuleTable.hiero, out.write)


def detect_rules(path: PathLike) -> str:
    """Return the name of the format in which rules are written."""
    with open_source(path) as source:
        return rule_formats.name_of(type(choose_format(source, rule_formats, None)))


def read_rules(
    paths: PathLike | Sequence[PathLike],
    format: str | RuleFormat | None = None,
    *,
    builder: GrammarBuilder | None = None,
) -> GrammarBuilder:
    """Read rule tables.

    Parameters
    ----------
    paths
        A file or several, plain or gzip, or ``-``.
    format
        A name out of `rule_formats`, perhaps with options (``moses:label=TranslationModel1``), or a
        format; told by content if not given.
    builder
        Where to add the rules; a new one if left out.

    Returns
    -------
    GrammarBuilder
        With the rules: ``build()`` makes a grammar of them, ``write(path)`` a file.
    """
    builder = GrammarBuilder() if builder is None else builder
    for path in [paths] if isinstance(paths, str | Path) else paths:
        with open_source(path) as source:
            choose_format(source, rule_formats, format).read(source, builder)
    return builder


def write_rules(path: PathLike, grammar: Grammar, format: str | RuleFormat) -> None:
    """Write all rules of a grammar as text, compressed if the name ends in ``.gz``."""
    chosen = named_format(format, rule_formats) if isinstance(format, str) else format
    with open_binary_output(path) as out:
        chosen.write(grammar, out)


@dataclass(frozen=True, kw_only=True)
class InputSegment:
    """A sentence of cdec's input, perhaps with a grammar of its own and references.

    `id` and `grammar` are what the line says, a relative path as it is; None where it says nothing.
    """

    source: str
    id: str | None = None
    grammar: str | None = None
    references: tuple[str, ...] = ()


_SEGMENT = re.compile(r"\s*<seg((?:\s+[\w-]+\s*=\s*\"[^\"]*\")*)\s*>(.*?)</seg>\s*(.*)")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*\"([^\"]*)\"")


def read_segments(path: PathLike) -> Iterator[InputSegment]:
    r"""Read cdec's input: ``<seg id="0" grammar="0.gz">source</seg> ||| reference ||| ...``.

    Lines without a segment are sentences without a grammar.
    """
    with open_source(path) as source:
        for number, line in source:
            try:
                yield parse_segment(line)
            except FormatError as error:
                raise source.error(number, str(error)) from None


def parse_segment(line: str) -> InputSegment:
    """Read one line of cdec's input."""
    text, *references = re.split(r"(?:^|(?<=\s))\|\|\|(?=\s|$)", line)
    found = _SEGMENT.fullmatch(text)
    if "<seg" in text and (found is None or found[3]):
        raise FormatError(f"expected <seg ...>SOURCE</seg>, found '{text}'")
    attributes = dict(_ATTRIBUTE.findall(found[1])) if found else {}
    return InputSegment(
        source=(found[2] if found else text).strip(),
        id=attributes.get("id"),
        grammar=attributes.get("grammar"),
        references=tuple(reference.strip() for reference in references),
    )


def _all_lines_match(source: Source, pattern: str) -> bool:
    lines = [line for line in source.head() if line.strip()]
    return bool(lines) and all(re.match(pattern, line) for line in lines)
