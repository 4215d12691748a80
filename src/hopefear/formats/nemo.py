"""NeMo's beams: a table without header, text and score, a fixed number of lines per utterance.

With three columns the first is the source, as in noisy channel reranking.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source
from hopefear.formats.json_fields import parse_json
from hopefear.settings import require
from hopefear.types import Hypothesis, Segment

__all__ = ["NemoNBest", "is_manifest", "manifest_texts"]


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
        return group_hypotheses(_hypotheses(source, self.beam_size))


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


def _hypotheses(source: Source, beam_size: int) -> Iterator[tuple[int, Hypothesis]]:
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
