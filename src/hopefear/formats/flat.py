"""Parallel files: a file of texts, so many lines per sentence, and a file of numbers per feature.

qaware-decode, mbrs, comet-mbr and many scripts keep samples and their scores in this way.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import BLANK, parse_number
from hopefear.formats.files import Source, open_source
from hopefear.settings import require
from hopefear.types import Hypothesis, Segment

__all__ = ["FlatNBest"]


@nbest_formats.register("flat")
@dataclass(frozen=True, kw_only=True)
class FlatNBest:
    """Texts in the file itself, features in the files that are named here.

    Parameters
    ----------
    size : int
        How many lines every sentence has.
    features : mapping from names to paths
        For each feature the file with its values, one a line.
    """

    size: int | None = None
    features: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size is not None:
            require.integer(self, "size", 1)

    def sniff(self, source: Source) -> bool:
        """Never: the number of lines per sentence has to be named."""
        return False

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses; all files must have the same number of lines."""
        if self.size is None:
            raise FormatError(f"{source.name}: to read the flat format its size must be given")
        return group_hypotheses(self._hypotheses(source, self.size))

    def _hypotheses(self, source: Source, size: int) -> Iterator[tuple[int, Hypothesis]]:
        with ExitStack() as stack:
            files = [stack.enter_context(open_source(path)) for path in self.features.values()]
            number = 0
            for number, lines in enumerate(zip_longest(source, *files), 1):
                for file, line in zip([source, *files], lines, strict=True):
                    if line is None:
                        raise FormatError(f"{file.name}: has {number - 1} lines, others have more")
                values = {
                    name: _value(file, number, line[1])
                    for name, file, line in zip(self.features, files, lines[1:], strict=True)
                }
                yield (number - 1) // size, Hypothesis(text=lines[0][1], features=values)
            if number % size:
                raise source.error(number, f"{number} lines are no multiple of the size {size}")


def _value(file: Source, number: int, line: str) -> float:
    try:
        return parse_number(line.strip(BLANK))
    except FormatError as error:
        raise file.error(number, str(error)) from None
