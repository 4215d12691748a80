"""N-best lists with the same number of lines for every sentence, which the user has to name.

NeMo's beams have text and score in each line; with three columns the first is the source, as in
noisy channel reranking. qaware-decode, mbrs, comet-mbr and many scripts keep texts and features in
parallel files (``flat``).
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import BLANK, parse_json, parse_number
from hopefear.formats.files import Source, open_source
from hopefear.settings import require
from hopefear.types import Hypothesis, Segment

__all__ = ["FlatNBest", "NemoNBest", "is_manifest", "manifest_texts"]


@nbest_formats.register("nemo")
@dataclass(frozen=True, kw_only=True)
class NemoNBest:
    """Hypotheses with the feature `score`.

    Parameters
    ----------
    beam_size : int
        How many lines every utterance has; the file does not say it.
    """

    beam_size: int | None = None

    def __post_init__(self) -> None:
        if self.beam_size is not None:
            require.integer(self, "beam_size", 1)

    def sniff(self, source: Source) -> bool:
        """Never: the beam size has to be named."""
        return False

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        if self.beam_size is None:
            raise FormatError(f"{source.name}: to read the nemo format its beam_size must be given")
        return group_hypotheses(_beams(source, self.beam_size))


def is_manifest(source: Source) -> bool:
    """Say whether a file looks like a manifest: JSON lines, each with an `audio_filepath`."""
    first = next((line for line in source.head() if line.strip()), "")
    return first.lstrip().startswith("{") and '"audio_filepath"' in first


def manifest_texts(source: Source) -> list[str]:
    """Read the references: the field `text` of a manifest."""
    texts: list[str] = []
    for number, line in source:
        if not line.strip():
            continue
        table = parse_json(line, source, number)
        text = table.get("text") if isinstance(table, dict) else None
        if not isinstance(text, str):
            raise source.error(number, "expected an object with a 'text'")
        texts.append(text)
    return texts


def _beams(source: Source, beam_size: int) -> Iterator[tuple[int, Hypothesis]]:
    number = 0
    for number, line in source:
        cells = line.split("\t")
        if len(cells) not in (2, 3):
            raise source.error(number, f"expected text and score, found {len(cells)} columns")
        try:
            score = parse_number(cells[-1])
        except FormatError as error:
            raise source.error(number, f"the score: {error}") from None
        hypothesis = Hypothesis(text=cells[-2], features={"score": score}, score=score)
        yield (number - 1) // beam_size, hypothesis
    if number % beam_size:
        raise source.error(number, f"{number} lines are no multiple of the beam size {beam_size}")


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
