"""Statistics of metrics that compare words (BLEU, TER, WER), computed by the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.metrics.base import Statistics
from hopefear.metrics.references import (
    References,
    check_lists,
    check_sentences,
    check_texts,
    nbest_texts,
)
from hopefear.nbest import NBest
from hopefear.types import Vocabulary

__all__ = ["WordReferences"]


def lowercased(words: Vocabulary) -> list[str]:
    """Return the words of a vocabulary in lower case."""
    return [word.lower() for word in words]


Core = TypeVar("Core", bound=_core.WordMetric)


class WordReferences(Generic[Core]):
    """References as numbered words.

    Parameters
    ----------
    references : References
    make : callable
        Makes the core's object that computes the statistics.
    lowercase : bool
        Lowercase references and hypotheses.
    tokenize : callable, optional
        Turns text into words separated by spaces; by default texts are split as they are.
    """

    def __init__(
        self,
        references: References,
        *,
        make: Callable[[_core.ReferenceWords], Core],
        lowercase: bool,
        tokenize: Callable[[str], str] | None,
    ) -> None:
        self._references = references
        self._lowercase = lowercase
        self._tokenize = tokenize
        sentences = [self._preprocess(texts) for texts in references.sentences]
        self._words = _core.ReferenceWords(sentences)
        self._core = make(self._words)

    def statistics(
        self,
        hypotheses: Sequence[str] | NBest,
        sentences: NDArray[np.int64] | None = None,
        *,
        threads: int = 0,
    ) -> Statistics:
        """Return a row of statistics for each hypothesis; see `Prepared`."""
        return self._core.statistics(self._number(hypotheses, sentences), threads=threads)

    def set_statistics(self, lists: NBest, *, threads: int = 0) -> None:
        """Compute the statistics of n-best lists and store them in the lists."""
        self._core.set_statistics(lists, self._number(lists, None), threads=threads)

    def _number(
        self, hypotheses: Sequence[str] | NBest, sentences: NDArray[np.int64] | None
    ) -> _core.Hypotheses:
        """Return the hypotheses with words numbered as in the references."""
        if isinstance(hypotheses, NBest):
            check_lists(hypotheses, self._references)
            if self._tokenize is None:
                spellings = lowercased(hypotheses.words) if self._lowercase else None
                return _core.nbest_hypotheses(self._words, hypotheses, spellings)
            hypotheses, sentences = nbest_texts(hypotheses)
        check_texts("hypothesis", hypotheses)
        numbers = check_sentences(len(hypotheses), sentences, self._references)
        return _core.text_hypotheses(self._words, self._preprocess(hypotheses), numbers)

    def _preprocess(self, texts: Sequence[str]) -> list[str]:
        """Lowercase and tokenize each distinct text once, since n-best lists repeat texts."""
        if self._tokenize is None:
            return [text.lower() for text in texts] if self._lowercase else list(texts)
        tokenize, done = self._tokenize, dict.fromkeys(texts, "")
        for text in done:
            # As in sacreBLEU, remove trailing spaces first: 13a joins words that are divided by a
            # hyphen at the end of a line, and intl looks at what follows a comma.
            done[text] = tokenize((text.lower() if self._lowercase else text).rstrip())
        return [done[text] for text in texts]
