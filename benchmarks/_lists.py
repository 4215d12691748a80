"""Made-up n-best lists of any size, in which features tell something about the words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.candidates import ListSet
from hopefear.metrics import Bleu, References
from hopefear.nbest import BarLayout, NBestBuilder

WORDS = 16  # of a reference


@dataclass(frozen=True, kw_only=True)
class MadeUpLists:
    """Each hypothesis is its reference with some words replaced.

    Parameters
    ----------
    sentences, size : int
        How many lists, and how long they are.
    dense : int
        Features that all hypotheses have: the number of right words, with more and more noise.
    sparse : int
        Words of the language, each of which is a feature of the hypotheses that have it; 0 for
        none of these features.
    seed : int
        The same seed gives the same lists.
    """

    sentences: int
    size: int
    dense: int
    sparse: int = 0
    seed: int = 1

    def references(self) -> References:
        """Return a reference for each sentence."""
        names = [f"w{i}" for i in range(self._vocabulary)]
        return References([[" ".join(names[i] for i in row)] for row in self._references()])

    def pieces(self) -> Iterator[bytes]:
        """Give the lists as text, in cdec's form."""
        words = [b"w%d" % i for i in range(self._vocabulary)]
        features = [b"s%d=1" % i for i in range(self.sparse)]
        dense = [b"d%d=" % i for i in range(self.dense)]
        random = np.random.default_rng([self.seed, 1])
        noise = np.linspace(1, 8, self.dense)
        for sentence, reference in enumerate(self._references()):
            wrong = random.random((self.size, WORDS)) < random.uniform(0.25, 0.7, (self.size, 1))
            others = random.integers(0, self._vocabulary, (self.size, WORDS))
            texts = np.where(wrong, others, reference)
            right = WORDS - wrong.sum(axis=1)
            numbers = right[:, None] + random.normal(0, 1, (self.size, self.dense)) * noise
            lines = []
            for text, row in zip(texts.tolist(), numbers.tolist(), strict=True):
                named = [name + b"%.4f" % value for name, value in zip(dense, row, strict=True)]
                if self.sparse:
                    named += [features[i] for i in sorted(set(text))]
                said = b" ".join([words[i] for i in text])
                lines.append(b"%d ||| %b ||| %b ||| 0\n" % (sentence, said, b" ".join(named)))
            yield b"".join(lines)

    def tuning_set(self, *, threads: int = 1, memory_limit: int = 0) -> ListSet:
        """Read the lists and let BLEU judge them."""
        builder = NBestBuilder(memory_limit=memory_limit)
        builder.parse(self.pieces(), BarLayout(), "made-up lists")
        nbest, metric = builder.finish(), Bleu(tokenize="none")
        metric.prepare(self.references()).set_statistics(nbest, threads=threads)
        return ListSet(nbest=nbest, metric=metric, threads=threads)

    @property
    def _vocabulary(self) -> int:
        return self.sparse or 1000

    def _references(self) -> NDArray[np.int64]:
        random = np.random.default_rng([self.seed, 0])
        return random.integers(0, self._vocabulary, (self.sentences, WORDS))
