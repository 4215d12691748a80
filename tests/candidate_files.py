"""Files of made-up candidates, as a user has them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hopefear.demo.synthetic import SyntheticCandidates
from hopefear.formats import write_nbest
from hopefear.types import Hypothesis, Segment

__all__ = ["CandidateFiles", "Change", "write_candidates"]

Change = Callable[[int, int, Hypothesis], Hypothesis | None]


@dataclass(frozen=True, kw_only=True)
class CandidateFiles:
    """N-best lists and references, and both as values."""

    nbest: Path
    refs: Path
    segments: tuple[Segment, ...]
    references: tuple[str, ...]


def write_candidates(
    folder: Path,
    name: str = "tune",
    *,
    sentences: int = 20,
    size: int = 10,
    seed: int = 1,
    format: str = "moses",
    change: Change = lambda sentence, index, hypothesis: hypothesis,
) -> CandidateFiles:
    """Write ``NAME.nbest`` and ``NAME.refs``.

    `change` may replace each hypothesis, or remove it by returning None.
    """
    references, segments = [], []
    for sentence, (reference, segment) in enumerate(
        SyntheticCandidates(sentences=sentences, size=size, seed=seed)
    ):
        references.append(reference)
        changed = [change(sentence, i, h) for i, h in enumerate(segment.hypotheses)]
        hypotheses = tuple(h for h in changed if h is not None)
        if hypotheses:
            segments.append(Segment(sentence=sentence, hypotheses=hypotheses))
    nbest, refs = folder / f"{name}.nbest", folder / f"{name}.refs"
    write_nbest(nbest, segments, format)
    refs.write_text("".join(f"{text}\n" for text in references), encoding="utf-8")
    return CandidateFiles(
        nbest=nbest, refs=refs, segments=tuple(segments), references=tuple(references)
    )
