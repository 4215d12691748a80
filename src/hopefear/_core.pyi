"""The compiled core of hopefear."""

from collections.abc import Sequence


class Vocabulary:
    """Strings numbered from 0 in order of first appearance."""

    def __init__(self) -> None: ...

    def add(self, text: str) -> int:
        """The id of a string, which is added if it is new."""

    def find(self, text: str) -> int | None:
        """The id of a string, or None."""

    def __getitem__(self, id: int) -> str: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

class LanguageModel:
    """An n-gram model in ARPA or KenLM binary form."""

    def __init__(self, path: str) -> None: ...

    @property
    def order(self) -> int: ...

    def __contains__(self, word: str) -> bool: ...

    def score(self, words: Sequence[str], *, begin: bool = True, end: bool = True) -> float:
        """log10 p(words), from <s> and up to </s> unless told otherwise."""
