"""Rule tables of Moses, and of Hiero in the forms of cdec and Joshua.

Any number of files is read into a :class:`GrammarBuilder`; a grammar can be written as a table. A
glue grammar is a rule table, too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

from hopefear.errors import FormatError
from hopefear.formats.base import Format, choose_format, named_format
from hopefear.formats.files import PathLike, Source, open_binary_output, open_source
from hopefear.grammar import Grammar, GrammarBuilder, RuleTable
from hopefear.registry import Registry
from hopefear.settings import setting, settings

__all__ = [
    "CdecRules",
    "InputSegment",
    "JoshuaRules",
    "MosesRules",
    "RuleFormat",
    "detect_rules",
    "numbered_segment",
    "parse_segment",
    "read_rules",
    "read_segments",
    "rule_formats",
    "write_rules",
]


@runtime_checkable
class RuleFormat(Format, Protocol):
    """A format of rule tables."""

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        ...

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules; raise FormatError for anything the format cannot represent."""
        ...


rule_formats: Registry[RuleFormat] = Registry("rule format")


@rule_formats.register("moses")
@settings
class MosesRules:
    """``SOURCE [X] ||| TARGET [LHS] ||| p p p p ||| links ||| counts ||| NAME value ||| ...``.

    The scores are probabilities. As in Moses, the model uses their logarithms, at least -100. Three
    counts become ``count_e``, ``count_f`` and ``count_f_e``; properties are skipped.
    """

    label: str = setting(
        "TranslationModel0",
        "Name of the table in moses.ini; its scores are LABEL_0, LABEL_1, ..., a single one LABEL.",
    )

    def sniff(self, source: Source) -> bool:
        """Look for sides that end with a label."""
        return _all_lines(source, _is_moses)

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        builder.parse(source.pieces(), RuleTable.moses, self.label, source.name, negate=False)

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules, with probabilities in place of their logarithms."""
        grammar.write_text(RuleTable.moses, out.write)


@rule_formats.register("cdec")
@settings
class CdecRules:
    """``[LHS] ||| SOURCE ||| TARGET ||| NAME=value ... ||| links``; values do not change."""

    label: str = setting("PhraseModel", "Unnamed values are the features LABEL_0, LABEL_1, ...")

    def sniff(self, source: Source) -> bool:
        """Look for a label before ``|||``."""
        return _all_lines(source, re.compile(r"\[[^\[\] ]+\] +\|\|\| ").match)

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        builder.parse(source.pieces(), RuleTable.hiero, self.label, source.name, negate=False)

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules, with logarithms in place of probabilities."""
        grammar.write_text(RuleTable.hiero, out.write)


@rule_formats.register("joshua")
@settings
class JoshuaRules:
    """cdec's format, but Joshua changes the sign of unnamed values, which were costs."""

    owner: str = setting("pt", "Unnamed values are the features tm_OWNER_0, tm_OWNER_1, ...")

    def sniff(self, source: Source) -> bool:
        """Return False: the file looks like cdec's, so Joshua's format must be chosen by name."""
        return False

    def read(self, source: Source, builder: GrammarBuilder) -> None:
        """Add the rules of a file."""
        label = f"tm_{self.owner}"
        builder.parse(source.pieces(), RuleTable.hiero, label, source.name, negate=True)

    def write(self, grammar: Grammar, out: BinaryIO) -> None:
        """Write all rules; all features have names, so Joshua keeps their signs."""
        grammar.write_text(RuleTable.hiero, out.write)


def detect_rules(path: PathLike) -> str:
    """Return the name of a rule table's format."""
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
        One or more files, or ``-`` for standard input.
    format
        A name in `rule_formats`, perhaps with options (``moses:label=TranslationModel1``), or a
        format; detected from the content by default.
    builder
        The builder to add the rules to; a new one by default.

    Returns
    -------
    GrammarBuilder
        The builder; ``build()`` makes a grammar, ``write(path)`` a file.
    """
    builder = GrammarBuilder() if builder is None else builder
    for path in [paths] if isinstance(paths, str | Path) else paths:
        with open_source(path) as source:
            choose_format(source, rule_formats, format).read(source, builder)
    return builder


def write_rules(path: PathLike, grammar: Grammar, format: str | RuleFormat) -> None:
    """Write all rules of a grammar as text; see `open_output` for the file."""
    chosen = named_format(format, rule_formats) if isinstance(format, str) else format
    with open_binary_output(path) as out:
        chosen.write(grammar, out)


@dataclass(frozen=True, kw_only=True)
class InputSegment:
    """A sentence of cdec's input, perhaps with references and its own grammar.

    `id` and `grammar` are the attributes in the line, or None.
    """

    source: str
    id: str | None = None
    grammar: str | None = None
    references: tuple[str, ...] = ()


_SEGMENT = re.compile(r"\s*<seg((?:\s+[\w-]+\s*=\s*\"[^\"]*\")*)\s*>(.*?)</seg>\s*(.*)")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*\"([^\"]*)\"")


def read_segments(path: PathLike) -> Iterator[InputSegment]:
    r"""Read cdec's input: ``<seg id="0" grammar="0.gz">source</seg> ||| reference ||| ...``.

    A line without ``<seg>`` is a sentence without a grammar.
    """
    with open_source(path) as source:
        for number, line in source:
            try:
                yield parse_segment(line)
            except FormatError as error:
                raise source.error(number, str(error)) from None


def numbered_segment(number: int, line: str) -> str:
    """Return a line of cdec's input with the number of its sentence, unless it has one.

    Examples
    --------
    >>> numbered_segment(3, "das Haus"), numbered_segment(3, '<seg grammar="g.gz">Haus</seg>')
    ('<seg id="3">das Haus</seg>', '<seg id="3" grammar="g.gz">Haus</seg>')
    """
    found = _SEGMENT.match(line)
    if found is None:
        return f'<seg id="{number}">{line}</seg>'
    if re.search(r"\sid\s*=", found[1]):
        return line
    return line.replace("<seg", f'<seg id="{number}"', 1)


def parse_segment(line: str) -> InputSegment:
    """Parse one line of cdec's input."""
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


def _all_lines(source: Source, test: Callable[[str], object]) -> bool:
    lines = [line for line in source.head() if line.strip()]
    return bool(lines) and all(map(test, lines))


_LABEL = re.compile(r"\[[^\[\] ]+\]")


def _is_moses(line: str) -> bool:
    """Whether two sides of words and a label come before numbers."""
    fields = line.split(" ||| ", 2)  # and not one expression, which would try all places of bars
    sides = [field.split() for field in fields[:2]]
    return (
        len(fields) == 3
        and not line[0].isspace()
        and all(len(side) > 1 and _LABEL.fullmatch(side[-1]) for side in sides)
        and fields[2].lstrip(" ")[:1] in tuple("-+.0123456789")
    )
