"""The rhythm of learning: which blocks of sentences there are, when candidates are listed again.

Online, mini-batch and batch learning differ in their blocks; MERT, PRO and RAMPION around a decoder
differ in what a new decoding does to the lists, in where a pull to the start pulls, and in which
weights they hand on. All of it is settings, so that a published system is data.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hopefear.settings import setting, settings
from hopefear.types import IntArray

__all__ = ["Block", "ProgressCallback", "Rhythm", "Step", "split_blocks"]

Block = IntArray
"""The sentences of one step, in the order in which they are visited."""

ProgressCallback = Callable[[int, int], None]
"""Called with how much of an epoch is done, and how much there is."""


@settings
class Rhythm:
    """Which blocks a learner sees, and when candidates are listed again.

    Every learner has one by default, as its paper does it; a preset or the user may change it.
    """

    epochs: int = setting(
        1,
        "Passes over the sentences; around a decoder, after each decoding.",
        least=1,
    )
    block: int = setting(
        0,
        "Sentences that a learner sees at a time: 1 is online, 16 mini-batch, 0 all at once.",
        least=0,
    )
    order: Literal["random", "given"] = setting(
        "random",
        "The order in which sentences are visited: shuffled in each epoch, or as given.",
    )
    line_search: bool = setting(
        False,
        "After every epoch, go from the weights before it towards those after it as far as is "
        "best for the metric on the current lists (Watanabe, 2012, 4.2: the suffix -L).",
    )
    decodings: int = setting(
        20,
        "How often to decode, at most, where lists are made for the learner.",
        least=1,
    )
    list_size: int = setting(
        100,
        "Translations of a sentence in a list that is made for the learner.",
        least=2,
    )
    lists: Literal["merged", "replaced", "block", "forests"] = setting(
        "merged",
        "What a new decoding does to the lists of earlier ones: merge with them, or replace them. "
        "'block' lists the sentences of each block anew, under the weights of the moment. "
        "'forests' learns from the whole forests of each decoding by a model instead of lists; "
        "mert can do so.",
    )
    origin: Literal["kept", "moved"] = setting(
        "kept",
        "What a pull towards the start means after further decodings: the start of the run, or of "
        "the decoding.",
    )
    keep: Literal["best", "last"] = setting(
        "best",
        "Which weights a decoding hands on: those of its best epoch on the lists, or of the last.",
    )


@dataclass(frozen=True, kw_only=True)
class Step:
    """Where a run is when a learner sees a block.

    Attributes
    ----------
    epoch, epochs : int
        The pass over the data, from 0, and how many there will be. A learner that starts anew at
        each decoding counts anew.
    block, blocks : int
        The block of this epoch, from 0, and how many there are.
    entropy : tuple of int
        What random numbers are derived from: the run's seed, the epoch in the whole run.
    shard : int
        The worker, from 0; workers have random numbers of their own.
    shuffled : bool
        Whether sentences are visited in random order.
    shared : bool
        Whether lessons are sent to other learners.
    owned : bool
        Whether nobody else has the learner's state, so that it may be changed in place.
    learners : int
        How many share the sentences, each learning what all of them teach.
    progress : callable
        To be called now and then with how much of the block is done.
    """

    epoch: int = 0
    epochs: int = 1
    block: int = 0
    blocks: int = 1
    entropy: tuple[int, int] = (1, 0)
    shard: int = 0
    shuffled: bool = True
    shared: bool = False
    owned: bool = False
    learners: int = 1
    progress: ProgressCallback = lambda done, total: None

    @property
    def passed(self) -> float:
        """The passes over the data so far, with the part of this one that is done."""
        return self.epoch + self.block / self.blocks

    @property
    def share(self) -> float:
        """The share of the whole schedule that is done."""
        return self.passed / self.epochs

    def random(self, *keys: int) -> np.random.Generator:
        """Return a random generator for this epoch, or for a numbered part of it."""
        spawned = (self.shard,) if self.shard else ()
        return np.random.default_rng(
            np.random.SeedSequence([*self.entropy, *keys], spawn_key=spawned)
        )

    def visits(self, sentences: IntArray, *keys: int) -> Block:
        """Return sentences in the order of a further visit: shuffled, or as they are."""
        if not self.shuffled:
            return sentences
        return np.sort(sentences)[self.random(*keys).permutation(len(sentences))]


def split_blocks(order: IntArray, size: int) -> list[Block]:
    """Return the sentences in blocks of nearly this size; 0 for one block of all.

    Examples
    --------
    >>> [block.tolist() for block in split_blocks(np.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    count = 1 if size == 0 else max(1, round(len(order) / size))
    return np.array_split(order, count)
