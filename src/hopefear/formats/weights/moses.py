"""Moses' weights: lines ``NAME= v v``, alone or in the section [weight] of moses.ini.

A label with several values names the features NAME_0, NAME_1, ...; a label with a single value is
the feature NAME.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import weights_formats
from hopefear.formats.fields import (
    BLANK,
    WeightTable,
    check_name,
    component_names,
    format_number,
    join_components,
    split_blanks,
)
from hopefear.formats.files import PathLike, Source, named_file, open_output, open_source
from hopefear.formats.weights.plain import CdecWeights
from hopefear.types import Weights

__all__ = ["MosesWeights", "sections", "without_comment", "write_moses_ini"]

# What -show-weights prints in place of weights.
_UNTUNEABLE, _UNTUNEABLE_COMPONENT = "UNTUNEABLE", "UNTUNEABLECOMPONENT"


_HEADER = re.compile(r"[ \t]*\[([^\[\] \t]+)\][ \t\r]*")


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


def write_moses_ini(path: PathLike, weights: Weights, template: PathLike) -> None:
    """Write moses.ini as `template` has it, with the values under [weight] replaced.

    A value whose feature is not among `weights` stays: Moses leaves features that cannot be tuned
    out of its n-best lists. Features that the template does not list are sparse. If it names a
    [weight-file], they go to a new one beside `path` (its name and ``.sparse``), with what the old
    one has of other features; otherwise they get lines of their own at the end of [weight].
    """
    lines = _lines(template)
    carriage_return = "\r" if lines[0].endswith("\r") else ""
    sparse = dict(weights)
    end = weight_file = None
    old = ""
    for at, (section, words) in enumerate(sections(lines)):
        if section == "weight" and words:
            end = at + 1
            if words[0].endswith("=") and len(words) > 1:
                lines[at] = _replaced(lines[at], words, weights, sparse)
        elif section == "weight-file" and words and words != ["[weight-file]"]:
            weight_file, old = at, words[0]
    if end is None:
        raise FormatError(f"{template}: has no [weight] section to put weights in")
    with open_output(path) as out, ExitStack() as stack:
        if sparse and weight_file is not None:
            target = Path(f"{path}.sparse").absolute()
            lines[weight_file] = f"{target}{carriage_return}"
            kept = {name: v for name, v in _sparse(template, old).items() if name not in weights}
            # Both files are there at the end, or none of them.
            CdecWeights().write(Weights(kept | sparse), stack.enter_context(open_output(target)))
        else:
            lines[end:end] = [
                f"{check_name(name, 'moses')}= {format_number(value)}{carriage_return}"
                for name, value in sparse.items()
            ]
        out.write("\n".join(lines))
        out.flush()


def _replaced(line: str, words: list[str], weights: Weights, sparse: dict[str, float]) -> str:
    """Return a line of [weight] with its new values, which are taken out of `sparse`."""
    names = component_names(words[0].removesuffix("="), len(words) - 1)
    if not any(name in weights for name in names):
        return line
    values = [
        format_number(sparse.pop(name)) if name in weights else old
        for name, old in zip(names, words[1:], strict=True)
    ]
    content, mark, comment = line.partition("#")
    blanks = content[len(content.rstrip()) :]
    return f"{' '.join([words[0], *values])}{blanks}{mark}{comment}"


def _sparse(template: PathLike, written: str) -> Weights:
    """Return the weights of the [weight-file] that the template names."""
    with open_source(template) as source:
        path = named_file(source, written, "[weight-file]")
    with open_source(path) as source:
        return CdecWeights().read(source)


def _lines(template: PathLike) -> list[str]:
    """Return the lines with all their characters, carriage returns included."""
    with open_source(template) as source:
        data = b"".join(source.pieces())
    try:
        return data.decode().split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{template}:{line}: is not UTF-8 ({error.reason})") from None
