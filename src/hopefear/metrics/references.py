"""References: one or more for each sentence, and checks that hypotheses match them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import DataError
from hopefear.nbest import NBest
from hopefear.text.tokenizers import is_tokenized
from hopefear.types import check_text

__all__ = [
    "References",
    "check_lists",
    "check_sentences",
    "check_texts",
    "check_tokenization",
    "nbest_texts",
]


def check_texts(what: str, texts: Sequence[str]) -> None:
    """Raise DataError unless all texts are valid Unicode strings; `what` begins the message."""
    if isinstance(texts, str):
        raise DataError(f"{what}: expected a list of strings, got a single string")
    try:
        "".join(texts).encode()
    except (TypeError, UnicodeEncodeError):
        for number, text in enumerate(texts):
            check_text(text, f"{what} {number}")
        raise


@dataclass(frozen=True)
class References:
    """One or more references for each sentence; their number may differ between sentences.

    Parameters
    ----------
    sentences : sequence of sequences of str
        ``sentences[i]`` are the references of sentence i.
    source : str, optional
        The files they come from, for messages.

    Examples
    --------
    >>> References([["a cat", "the cat"], ["a dog"]])
    References(2 sentences, references: 1 or 2)
    """

    sentences: Sequence[Sequence[str]]
    source: str = ""

    def __post_init__(self) -> None:
        for number, references in enumerate(self.sentences):
            check_texts(f"{self.prefix}sentence {number}, reference", references)
            if not references:
                raise DataError(f"{self.prefix}sentence {number} (from 0) has no reference")

    @classmethod
    def from_streams(
        cls, streams: Sequence[Sequence[str | None]], names: Sequence[str] = ()
    ) -> References:
        """Make references from parallel files: each stream has one reference per sentence.

        Parameters
        ----------
        streams : sequence of sequences of str or None
            ``streams[r][i]`` is the r-th reference of sentence i, or None if it does not exist.
        names : sequence of str, optional
            The names of the streams, for messages.
        """
        if not streams:
            raise DataError("no references; give at least one file or list of them")
        names = names or [f"reference {number}" for number in range(len(streams))]
        for name, stream in zip(names, streams, strict=True):
            if len(stream) != len(streams[0]):
                raise DataError(
                    f"{names[0]} has {len(streams[0])} sentences, but {name} has {len(stream)}"
                )
        rows = zip(*streams, strict=True)
        sentences = [[text for text in row if text is not None] for row in rows]
        return cls(sentences, source=", ".join(names))

    @property
    def prefix(self) -> str:
        """The beginning of a message about these references."""
        return f"{self.source}: " if self.source else ""

    @property
    def counts(self) -> set[int]:
        """The different numbers of references per sentence."""
        return {len(references) for references in self.sentences}

    def __len__(self) -> int:
        return len(self.sentences)

    def __repr__(self) -> str:
        counts = " or ".join(map(str, sorted(self.counts)))
        return f"References({len(self)} sentences, references: {counts or 0})"


def check_sentences(
    hypotheses: int, sentences: NDArray[np.int64] | None, references: References
) -> NDArray[np.int64]:
    """Return the sentence of each hypothesis, by default that of the same number."""
    if sentences is None:
        if hypotheses != len(references):
            found = f"found {hypotheses} hypotheses"
            message = f"{found}, but references for {len(references)} sentences"
            raise DataError(f"{references.prefix}{message}")
        return np.arange(hypotheses, dtype=np.int64)
    if sentences.shape != (hypotheses,):
        raise DataError(f"found {hypotheses} hypotheses, but {sentences.size} sentence numbers")
    largest, smallest = sentences.max(initial=-1), sentences.min(initial=0)
    if largest >= len(references) or smallest < 0:
        number = largest if largest >= len(references) else smallest
        message = f"there are references for {len(references)} sentences, but a hypothesis is of"
        raise DataError(f"{references.prefix}{message} sentence {number}")
    return np.ascontiguousarray(sentences, dtype=np.int64)


def check_lists(lists: NBest, references: References) -> None:
    """Raise DataError unless n-best lists and references have the same number of sentences."""
    if lists.sentence_count != len(references):
        message = f"the n-best lists have {lists.sentence_count} sentences, but the references"
        raise DataError(f"{references.prefix}{message} have {len(references)}")


def nbest_texts(lists: NBest) -> tuple[list[str], NDArray[np.int64]]:
    """Return the text and the sentence of each hypothesis in n-best lists."""
    counts = np.diff(lists.offsets)
    texts = [lists.text(row) for row in range(len(lists))]
    return texts, np.repeat(np.arange(len(counts), dtype=np.int64), counts)


SENTENCES = 1000  # that check_tokenization looks at


def check_tokenization(tokenize: str | None, references: References) -> str | None:
    """Return a warning if a tokenizer does not suit these references, with what to do.

    Tokenizing tokenized text again splits words, and without a tokenizer `house` and `house.` are
    different words. Either way the score is not what it seems to be.
    """
    if tokenize not in ("13a", "intl", "none"):
        return None
    tokenized = is_tokenized(text for texts in references.sentences[:SENTENCES] for text in texts)
    if tokenized and tokenize != "none":
        return (
            f"{references.prefix}the references are already tokenized (punctuation is separated by "
            f"spaces), but the tokenizer '{tokenize}' would tokenize them again; use "
            "--tokenize none (metric.tokenize) to keep the words as they are"
        )
    if tokenized is False and tokenize == "none":
        return (
            f"{references.prefix}the references are not tokenized (punctuation is attached to "
            "words), but the tokenizer 'none' keeps words as they are; use --tokenize 13a "
            "(metric.tokenize) to separate them"
        )
    return None
