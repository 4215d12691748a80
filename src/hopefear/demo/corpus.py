"""The bitext of a demo, and the scores before and after tuning."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.formats import open_output

__all__ = ["Corpus", "Pair", "Scores"]

Pair = tuple[str, str]
"""A sentence and its translation, with words separated by spaces."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Sentence pairs for training, tuning and testing.

    Attributes
    ----------
    title : str
        The name that is shown.
    train, dev, test : sequence of Pair
        The parts.
    """

    title: str
    train: Sequence[Pair]
    dev: Sequence[Pair]
    test: Sequence[Pair]

    def write(self, directory: Path) -> None:
        """Write each part as two files, ``PART.source`` and ``PART.target``."""
        directory.mkdir(parents=True, exist_ok=True)
        for part in ("train", "dev", "test"):
            for side, name in enumerate(("source", "target")):
                with open_output(directory / f"{part}.{name}") as out:
                    out.writelines(f"{pair[side]}\n" for pair in getattr(self, part))


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The metric on one data set before and after tuning, and of the best choice from the lists."""

    start: float
    tuned: float
    oracle: float | None = None
