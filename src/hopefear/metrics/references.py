"""What hypotheses are compared with: one or more references for each sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from hopefear.errors import DataError

__all__ = ["References", "check_texts"]


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
    ) -> "References":
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
