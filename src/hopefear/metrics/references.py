"""What hypotheses are compared with: one or more references for each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import DataError
from hopefear.nbest import NBest
from hopefear.text.tokenizers import is_tokenized

__all__ = [
    "References",
    "check_lists",
    "check_sentences",
    "check_texts",
    "check_tokenization",
    "nbest_texts",
]


def check_texts(what: str, texts: Sequence[str]) -> None:
    """Require texts that can be written as UTF-8; `what` they are is named in the error."""
    if isinstance(texts, str):
        raise DataError(f"{what}: expected a list of texts, got one text")
    try:
        "".join(texts).encode()
    except (TypeError, UnicodeEncodeError):
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise DataError(f"{what} {number}: expected a text, got {text!r}") from None
            broken = next(
                (character for character in text if "\ud800" <= character <= "\udfff"), ""
            )
            if broken:
                raise DataError(f"{what} {number} has a half character, {broken!r}") from None
        raise


@dataclass(frozen=True)
class References:
    """One or more references for each sentence; the number may differ between sentences.

    Parameters
    ----------
    sentences : sequence of sequences of str
        ``sentences[i]`` are the references of sentence i.
    source : str, optional
        Where they come from (a file, several files), for messages.

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
                raise DataError(f"{self.prefix}sentence {number} has no reference")

    @classmethod
    def from_streams(
        cls, streams: Sequence[Sequence[str | None]], names: Sequence[str] = ()
    ) -> References:
        """Take references as files hold them: one stream for each reference of a sentence.

        Parameters
        ----------
        streams : sequence of sequences of str or None
            ``streams[r][i]`` is the r-th reference of sentence i, None if it has no r-th reference.
        names : sequence of str, optional
            The names of the streams, for messages.
        """
        if not streams:
            raise DataError("no references")
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
        """The numbers of references that sentences have."""
        return {len(references) for references in self.sentences}

    def __len__(self) -> int:
        return len(self.sentences)

    def __repr__(self) -> str:
        counts = " or ".join(map(str, sorted(self.counts)))
        return f"References({len(self)} sentences, references: {counts or 0})"


def check_sentences(
    hypotheses: int, sentences: NDArray[np.int64] | None, references: References
) -> NDArray[np.int64]:
    """Return the sentence of each of `hypotheses` rows; by default row i is of sentence i."""
    if sentences is None:
        if hypotheses != len(references):
            message = f"{hypotheses} hypotheses, but references for {len(references)} sentences"
            raise DataError(f"{references.prefix}{message}")
        return np.arange(hypotheses, dtype=np.int64)
    if sentences.shape != (hypotheses,):
        raise DataError(f"{hypotheses} hypotheses, but sentence numbers for {sentences.size}")
    largest, smallest = sentences.max(initial=-1), sentences.min(initial=0)
    if largest >= len(references) or smallest < 0:
        number = largest if largest >= len(references) else smallest
        message = f"hypotheses of sentence {number}, but references for {len(references)} sentences"
        raise DataError(f"{references.prefix}{message}")
    return np.ascontiguousarray(sentences, dtype=np.int64)


def check_lists(lists: NBest, references: References) -> None:
    """Require references for the sentences of n-best lists, and for no others."""
    if lists.sentence_count != len(references):
        message = f"n-best lists of {lists.sentence_count} sentences, but references for"
        raise DataError(f"{references.prefix}{message} {len(references)}")


def nbest_texts(lists: NBest) -> tuple[list[str], NDArray[np.int64]]:
    """Return the text of each row of n-best lists, and its sentence."""
    counts = np.diff(lists.offsets)
    texts = [lists.text(row) for row in range(len(lists))]
    return texts, np.repeat(np.arange(len(counts), dtype=np.int64), counts)


SENTENCES = 1000


def check_tokenization(tokenize: str | None, references: References) -> str | None:
    """Return what is wrong with a tokenizer for these references, and what would do."""
    if tokenize not in ("13a", "intl", "none"):
        return None
    tokenized = is_tokenized(text for texts in references.sentences[:SENTENCES] for text in texts)
    if tokenized and tokenize != "none":
        return (
            f"{references.prefix}the references are tokenized already (punctuation stands between "
            f"blanks), but the tokenizer {tokenize} is to tokenize them again; --tokenize none "
            "(metric.tokenize) takes the words as they are"
        )
    if tokenized is False and tokenize == "none":
        return (
            f"{references.prefix}the references are not tokenized (punctuation is attached to "
            "words), but words are to be taken as they are; --tokenize 13a (metric.tokenize) "
            "separates them"
        )
    return None
