"""Statistics of metrics that compare words (BLEU, TER, WER), on the core's side of the border."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.metrics.base import Statistics
from hopefear.metrics.references import References
from hopefear.metrics.rows import check_sentences

__all__ = ["WordReferences"]


class _CoreReferences(Protocol):
    def statistics(self, hypotheses: _core.Hypotheses, *, threads: int = 0) -> Statistics: ...


class WordReferences:
    """References as numbered words.

    Parameters
    ----------
    references : References
    make : callable
        Makes the core's object that computes the statistics out of the numbered words.
    lowercase : bool
        Lowercase references and hypotheses.
    tokenize : callable, optional
        From text to words separated by blanks; if not given, the words are there already.
    """

    def __init__(
        self,
        references: References,
        *,
        make: Callable[[_core.ReferenceWords], _CoreReferences],
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
        hypotheses: Sequence[str],
        sentences: NDArray[np.int64] | None = None,
        *,
        threads: int = 0,
    ) -> Statistics:
        """Return a row of statistics for each hypothesis; see `Prepared`."""
        numbers = check_sentences(len(hypotheses), sentences, self._references)
        texts = _core.text_hypotheses(self._words, self._preprocess(hypotheses), numbers)
        return self._core.statistics(texts, threads=threads)

    def _preprocess(self, texts: Sequence[str]) -> list[str]:
        """Lowercase and tokenize, once for each distinct text: n-best lists repeat themselves."""
        if self._tokenize is None:
            return [text.lower() for text in texts] if self._lowercase else list(texts)
        tokenize, done = self._tokenize, dict.fromkeys(texts, "")
        for text in done:
            # Trailing blanks go first, as in sacreBLEU: its tokenizer of characters keeps them.
            done[text] = tokenize((text.lower() if self._lowercase else text).rstrip())
        return [done[text] for text in texts]
