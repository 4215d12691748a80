"""Moses' files. Weights: the [weight] section of moses.ini, or its lines alone (NAME= v v).

A label with several values names the features NAME_0, NAME_1, ...; one with a single value is the
feature NAME. The n-best reader names them in the same way.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import weights_formats
from hopefear.formats.cdec import CdecWeights
from hopefear.formats.fields import WeightTable, check_name, format_number, split_blanks
from hopefear.formats.files import Source, open_source
from hopefear.types import Weights

__all__ = [
    "MosesWeights",
    "component_names",
    "join_components",
    "sections",
    "sparse_file",
    "without_comment",
]

_HEADER = re.compile(r"[ \t]*\[([^\[\] \t]+)\][ \t\r]*")


@weights_formats.register("moses")
@dataclass(frozen=True, kw_only=True)
class MosesWeights:
    """NAME= v v a line, under [weight] if there are sections; [weight-file] is read too.

    Without sections a label may come again, as in mert-moses.pl's files: its values follow on.
    """

    def sniff(self, source: Source) -> bool:
        """Look for the section, or for a label and numbers in every line."""
        lines = [words for line in source.head() if (words := split_blanks(without_comment(line)))]
        if ["[weight]"] in lines:
            return True
        return lines != [] and all(len(words) > 1 and words[0].endswith("=") for words in lines)

    def read(self, source: Source) -> Weights:
        """Read the weights, dense and sparse."""
        values: dict[str, list[tuple[int, str]]] = {}
        sparse = Weights()
        lines = [line for _, line in source]
        for number, (section, words) in enumerate(sections(lines), 1):
            if not words or words == [f"[{section}]"]:
                continue
            if section == "weight-file":
                with open_source(sparse_file(source.path, words[0])) as file:
                    sparse = CdecWeights().read(file)
            elif section in (None, "weight"):
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
            check_name(label, "moses", forbidden=" \t\n\v\f\r#")
            out.write(f"{label}= {' '.join(map(format_number, values))}\n")


def component_names(label: str, count: int) -> list[str]:
    """Return the names of the features behind a label with `count` values."""
    return [label] if count == 1 else [f"{label}_{i}" for i in range(count)]


def join_components(weights: Weights) -> Iterator[tuple[str, Sequence[float]]]:
    """Give labels and their values: NAME_0, NAME_1, ... in a row become one label NAME.

    They do not if reading could then not tell them from a feature that is called NAME.
    """
    names, values = weights.names, weights.array.tolist()
    at = 0
    while at < len(names):
        label = names[at].removesuffix("_0")
        end = at + 1
        if label not in weights:
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


def sparse_file(ini: Path, written: str) -> Path:
    """Find the file that [weight-file] names: beside moses.ini, or from where we are."""
    places = [ini.parent / written, Path(written)]
    for path in places:
        if path.is_file():
            return path
    tried = " or ".join(map(str, dict.fromkeys(places)))
    raise FormatError(f"{ini}: the [weight-file] is not there: {tried}")


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
