"""Choosing hypotheses by weights: the best of each list, or the lists sorted anew."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hopefear.formats import SentenceKeys, detect_nbest, write_nbest
from hopefear.formats.files import PathLike
from hopefear.nbest import NBest
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["Reranking", "write_reranked"]


@dataclass(frozen=True, kw_only=True)
class Reranking:
    """N-best lists under given weights; iterating gives the best text of each sentence.

    Parameters
    ----------
    lists : NBest
        The hypotheses.
    weights : Weights
        Features that they do not list count nothing.
    keys : SentenceKeys
        What the files call the sentences, if not by numbers.
    threads : int
        0 for one per core. The result does not depend on it.

    Examples
    --------
    >>> from hopefear.nbest import NBestBuilder
    >>> builder = NBestBuilder()
    >>> _ = builder.add(0, "a house", {"lm": -2.5}), builder.add(0, "the house", {"lm": -2.0})
    >>> list(Reranking(lists=builder.finish(), weights=Weights({"lm": 1.0})))
    ['the house']
    """

    lists: NBest
    weights: Weights
    keys: SentenceKeys = field(default_factory=SentenceKeys)
    threads: int = 0

    def __iter__(self) -> Iterator[str]:
        """Give the best text of each sentence, in order; an empty one where there is none.

        Of equally good hypotheses the first is taken.
        """
        vector = self.weights.vector(self.lists.feature_names)
        for row in self.lists.best(vector, threads=self.threads):
            yield self.lists.text(int(row)) if row >= 0 else ""

    def segments(self) -> Iterator[Segment]:
        """Give the lists with the best hypothesis first, each with its score; empty ones not."""
        lists, names = self.lists, self.keys.names
        vector = self.weights.vector(lists.feature_names)
        for sentence in range(lists.sentence_count):
            rows = lists.rows(sentence)
            if not rows:
                continue
            scores = lists.sentence_scores(sentence, vector)
            hypotheses = tuple(
                Hypothesis(
                    text=lists.text(rows[i]),
                    features=lists.features_of(rows[i]),
                    score=float(scores[i]),
                )
                for i in np.argsort(-scores, kind="stable").tolist()
            )
            yield Segment(sentence=names[sentence] if names else sentence, hypotheses=hypotheses)


def write_reranked(
    path: PathLike, reranking: Reranking, format: str | None, source: PathLike
) -> None:
    """Write the lists in their new order, in `format` or else in that of the file `source`."""
    write_nbest(path, reranking.segments(), format or detect_nbest(source))
