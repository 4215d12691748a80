"""Moses' weights: lines ``NAME= v v`` on their own, or in the section [weight] of moses.ini.

A label with several values names the features NAME_0, NAME_1, ...; a label with a single value is
the feature NAME.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
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
    numbering_conflict,
    split_blanks,
)
from hopefear.formats.files import PathLike, Source, named_file, open_output, open_source
from hopefear.formats.weights.plain import CdecWeights
from hopefear.settings import settings
from hopefear.types import Weights

__all__ = ["MosesWeights", "sections", "without_comment", "write_moses_ini"]

# moses -show-weights prints these in place of weights.
_UNTUNEABLE, _UNTUNEABLE_COMPONENT = "UNTUNEABLE", "UNTUNEABLECOMPONENT"


_HEADER = re.compile(r"[ \t]*\[([^\[\] \t]+)\][ \t\r]*")


@weights_formats.register("moses")
@settings
class MosesWeights:
    """NAME= v v lines, under [weight] if there are sections; [weight-file] is read, too.

    Without sections a label may appear again with more values, as in files of mert-moses.pl.
    Features that ``moses -show-weights`` calls untuneable are not in n-best lists; they get no
    weight.
    """

    def sniff(self, source: Source) -> bool:
        """Look for the section, or for lines of a label and values."""
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
        """Write a section [weight]."""
        out.write("[weight]\n")
        for label, values in join_components(weights):
            check_name(label, "moses", forbidden=BLANK + "#")
            out.write(f"{label}= {' '.join(map(format_number, values))}\n")


def sections(lines: Sequence[str]) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the section (None if the file has no sections) and the words of each line.

    Comments have no words; the header of a section is one word, as ``[weight]``.
    """
    contents = [without_comment(line) for line in lines]
    headers = [_HEADER.fullmatch(content) for content in contents]
    section = "" if any(headers) else None
    for content, header in zip(contents, headers, strict=True):
        section = header[1] if header else section
        yield section, split_blanks(content)


def without_comment(line: str) -> str:
    """Remove everything after the first ``#``, as Moses does."""
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
    """Write a copy of the moses.ini `template` with new values under [weight].

    A value whose feature is not among `weights` stays, since Moses leaves untuneable features out
    of n-best lists. Features that the template does not list are sparse. If it names a
    [weight-file], they go to a new file, `path` with ``.sparse`` appended, together with the other
    features of the old file; otherwise they are added at the end of [weight].
    """
    lines = _lines(template)
    carriage_return = "\r" if lines[0].endswith("\r") else ""
    sparse, listed = dict(weights), set[str]()
    end = weight_file = None
    old = ""
    for at, (section, words) in enumerate(sections(lines)):
        if section == "weight" and words:
            end = at + 1
            if words[0].endswith("=") and len(words) > 1:
                names = component_names(words[0].removesuffix("="), len(words) - 1)
                listed.update(names)
                lines[at] = _replaced(lines[at], words, names, sparse)
        elif section == "weight-file" and words and words != ["[weight-file]"]:
            weight_file, old = at, words[0]
    if end is None:
        raise FormatError(f"{template}: the section [weight] is missing")
    if (conflict := numbering_conflict(weights, listed)) is not None:
        raise FormatError(f"{template}: the new weights do not fit [weight]: {conflict}")
    with open_output(path) as out, ExitStack() as stack:
        if sparse and weight_file is not None:
            target = Path(f"{path}.sparse").absolute()
            lines[weight_file] = f"{target}{carriage_return}"
            kept = {name: v for name, v in _sparse(template, old).items() if name not in weights}
            # Either both files appear or none.
            CdecWeights().write(Weights(kept | sparse), stack.enter_context(open_output(target)))
        else:
            lines[end:end] = [
                f"{check_name(name, 'moses')}= {format_number(value)}{carriage_return}"
                for name, value in sparse.items()
            ]
        out.write("\n".join(lines))
        out.flush()


def _replaced(line: str, words: list[str], names: list[str], sparse: dict[str, float]) -> str:
    """Return a line of [weight] with its new values, and remove them from `sparse`."""
    if not any(name in sparse for name in names):
        return line
    values = [
        format_number(sparse.pop(name)) if name in sparse else old
        for name, old in zip(names, words[1:], strict=True)
    ]
    content, mark, comment = line.partition("#")
    blanks = content[len(content.rstrip()) :]
    return f"{' '.join([words[0], *values])}{blanks}{mark}{comment}"


def _sparse(template: PathLike, written: str) -> Weights:
    """Return the weights in the [weight-file] of the template."""
    with open_source(template) as source:
        path = named_file(source, written, "[weight-file]")
    with open_source(path) as source:
        return CdecWeights().read(source)


def _lines(template: PathLike) -> list[str]:
    """Return the lines with all characters, including carriage returns."""
    with open_source(template) as source:
        data = b"".join(source.pieces())
    try:
        return data.decode().split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{template}:{line}: not UTF-8: {error.reason}") from None
