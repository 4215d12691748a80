"""N-best lists with a fixed number of lines per sentence, which the user has to give.

NeMo's beams have text and score in each line; with three columns the first is the source, as in
noisy channel reranking. qaware-decode, mbrs, comet-mbr and many scripts keep texts and features in
parallel files (``flat``).
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import BLANK, parse_json, parse_number
from hopefear.formats.files import Source, open_source
from hopefear.settings import setting, settings
from hopefear.types import Hypothesis, Segment

__all__ = ["FlatNBest", "NemoNBest", "is_manifest", "manifest_texts"]


@nbest_formats.register("nemo")
@settings
class NemoNBest:
    """Hypotheses with the feature `score`."""

    beam_size: int | None = setting(None, "Number of lines per utterance.", least=1)

    def sniff(self, source: Source) -> bool:
        """Return False: the beam size has to be given."""
        return False

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        if self.beam_size is None:
            raise FormatError(f"{source.name}: the nemo format needs its size, nemo:beam_size=N")
        return group_hypotheses(_beams(source, self.beam_size))


def is_manifest(source: Source) -> bool:
    """Return whether a file looks like a manifest: JSON lines with an `audio_filepath`."""
    first = next((line for line in source.head() if line.strip()), "")
    return first.lstrip().startswith("{") and '"audio_filepath"' in first


def manifest_texts(source: Source) -> list[str]:
    """Read the references from the field `text` of a manifest."""
    texts: list[str] = []
    for number, line in source:
        if not line.strip():
            continue
        table = parse_json(line, source, number)
        text = table.get("text") if isinstance(table, dict) else None
        if not isinstance(text, str):
            raise source.error(number, "expected an object with a string 'text'")
        texts.append(text)
    return texts


def _beams(source: Source, beam_size: int) -> Iterator[tuple[int, Hypothesis]]:
    number = 0
    for number, line in source:
        cells = line.split("\t")
        if len(cells) not in (2, 3):
            raise source.error(number, f"expected text, tab and score; found {len(cells)} columns")
        try:
            score = parse_number(cells[-1])
        except FormatError as error:
            raise source.error(number, f"the score: {error}") from None
        hypothesis = Hypothesis(text=cells[-2], features={"score": score}, score=score)
        yield (number - 1) // beam_size, hypothesis
    if number % beam_size:
        raise source.error(
            number, f"the number of lines, {number}, is not a multiple of beam_size={beam_size}"
        )


@nbest_formats.register("flat")
@settings
class FlatNBest:
    """Texts in the file itself, and the values of each feature in another file."""

    size: int | None = setting(None, "Number of lines per sentence.", least=1)
    features: Mapping[str, Path] = setting(
        factory=dict, help="Files of feature values by name, with one value per line."
    )

    def sniff(self, source: Source) -> bool:
        """Return False: the number of lines per sentence has to be given."""
        return False

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses from files that have the same number of lines."""
        if self.size is None:
            raise FormatError(f"{source.name}: the flat format needs its size, flat:size=N")
        return group_hypotheses(self._hypotheses(source, self.size))

    def _hypotheses(self, source: Source, size: int) -> Iterator[tuple[int, Hypothesis]]:
        with ExitStack() as stack:
            files = [stack.enter_context(open_source(path)) for path in self.features.values()]
            number = 0
            for number, lines in enumerate(zip_longest(source, *files), 1):
                for file, line in zip([source, *files], lines, strict=True):
                    if line is None:
                        raise FormatError(
                            f"{file.name}: has only {number - 1} lines, fewer than the other files"
                        )
                values = {
                    name: _value(file, number, line[1])
                    for name, file, line in zip(self.features, files, lines[1:], strict=True)
                }
                yield (number - 1) // size, Hypothesis(text=lines[0][1], features=values)
            if number % size:
                raise source.error(
                    number, f"the number of lines, {number}, is not a multiple of size={size}"
                )


def _value(file: Source, number: int, line: str) -> float:
    try:
        return parse_number(line.strip(BLANK))
    except FormatError as error:
        raise file.error(number, str(error)) from None
