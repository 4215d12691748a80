"""Bitexts for the demonstration: what all of them have."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.formats import open_output

__all__ = ["Corpus", "Pair"]

Pair = tuple[str, str]
"""A sentence and its translation, words separated by blanks."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Sentence pairs to train on, to tune on and to test on.

    Attributes
    ----------
    title : str
        What it is, for people.
    train, dev, test : sequence of Pair
        The parts.
    """

    title: str
    train: Sequence[Pair]
    dev: Sequence[Pair]
    test: Sequence[Pair]

    def write(self, directory: Path) -> None:
        """Write each part as two files, ``PART.source`` and ``PART.target``."""
        for part in ("train", "dev", "test"):
            for side, name in enumerate(("source", "target")):
                with open_output(directory / f"{part}.{name}") as out:
                    out.writelines(f"{pair[side]}\n" for pair in getattr(self, part))
