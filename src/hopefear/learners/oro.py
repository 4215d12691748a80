"""Online rank optimization: in small batches, every oracle above every other hypothesis.

Watanabe (2012), Optimized online rank learning for machine translation, NAACL: algorithm 2 (ORO),
its optimized updates of section 4.1 (O-ORO), the batch MIRA that it is compared with (equation 13),
and the line search of section 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from hopefear import _core
from hopefear.candidates.sources import BatchListData
from hopefear.errors import OptionError
from hopefear.learners.base import DataTypes, ProgressCallback, TuningSet, learners, random_stream
from hopefear.nbest import NBestBuilder
from hopefear.settings import require
from hopefear.types import FloatArray, IntArray

__all__ = ["Oro"]


@learners.register("oro")
@dataclass(frozen=True, kw_only=True)
class Oro:
    """λ/2 ‖w‖² + a loss of the pairs (oracle, other) of a batch, by one update a batch.

    hinge: the mean of max(0, 1 − w·(h(oracle) − h(other))). softmax: the mean of
    −log(Z_oracle/Z_nbest).

    Parameters
    ----------
    loss : {"hinge", "softmax"}
        The loss of a batch.
    update : {"optimized", "subgradient", "mira"}
        Solve the batch's problem within the learning rate (O-ORO, equations 12 and 16), take one
        subgradient step (ORO, equation 8), or solve equation 13 (MIRA; hinge only).
    tangent_offset : bool
        Whether the linearized softmax loss passes through its point of tangency. The printed
        equation 16 lacks that offset; it is kept for comparison.
    batch_size : int
        Sentences in a batch; the oracles are chosen for the corpus score of the batch.
    max_oracles : int
        Of more oracles in a list only so many are paired, in even distances; 0 for no limit.
        Unlike the paper, which pairs all: lists with many hypotheses that are equally good would
        cost the square of their length.
    l2 : float
        λ. For MIRA, how much staying where it is counts.
    rate, decay : float
        η₀ and α: batch k of K in an epoch has the rate η₀ α^(k/K), over all epochs.
    line_search : bool
        After each epoch, go as far from the old weights towards the new ones as is best for the
        metric (the suffix -L).
    list_size : int
        Candidates of a sentence where they are listed anew for every batch, under the weights of
        its time: on forests and with a model's decoder.
    epochs : int
        Passes over the sentences.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet, BatchListData)

    loss: Literal["hinge", "softmax"] = "hinge"
    update: Literal["optimized", "subgradient", "mira"] = "optimized"
    tangent_offset: bool = True
    batch_size: int = 16
    max_oracles: int = 10
    l2: float = 1e-5  # λ
    rate: float = 0.2  # η₀
    decay: float = 0.85  # α
    line_search: bool = True
    list_size: int = 1000
    epochs: int = 30

    def __post_init__(self) -> None:
        require.one_of(self, "loss", ["hinge", "softmax"])
        require.one_of(self, "update", ["optimized", "subgradient", "mira"])
        require.integer(self, "batch_size", 1)
        require.integer(self, "max_oracles", 0)
        require.positive(self, "l2")
        require.positive(self, "rate")
        require.probability(self, "decay")
        require.integer(self, "list_size", 2)
        require.integer(self, "epochs", 1)
        if self.update == "mira" and self.loss == "softmax":
            raise OptionError(self, "update", ": 'mira' is defined for the hinge loss only")

    def init(self, data: TuningSet | BatchListData, weights: FloatArray) -> FloatArray:
        """Start at `weights`; the paper starts at zero."""
        return weights

    def epoch(
        self,
        data: TuningSet | BatchListData,
        state: FloatArray,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> FloatArray:
        """Update once for every batch."""
        order = random_stream(seed).permutation(data.sentence_count)
        batches = np.array_split(order, max(1, round(len(order) / self.batch_size)))
        w, listed = state, []
        for k, batch in enumerate(batches):
            lists = data
            if not isinstance(lists, TuningSet):
                lists = lists.kbest_lists(w, self.list_size, sentences=np.sort(batch).tolist())
                listed.append(lists)
            rate = self.rate * self.decay ** (seed[1] + k / len(batches))
            oracles = _core.corpus_oracles(lists.nbest.core, lists.corpus_score, batch)
            batch_seed = int(random_stream(seed, k).integers(2**63))
            if self.loss == "hinge":
                w = self._hinge(lists, w, batch, oracles, rate, batch_seed)
            else:
                w = self._softmax(lists, w, batch, oracles, rate, batch_seed)
            if self.update != "mira":
                # w ← min(1, 1/(√λ ‖w‖)) w   (line 9)
                w = w * min(1.0, 1.0 / max(np.sqrt(self.l2) * float(np.linalg.norm(w)), 1e-300))
            progress(k + 1, len(batches))
        if not self.line_search:
            return w
        # On the lists of this epoch alone: they are not kept (4.2).
        whole = data if isinstance(data, TuningSet) else _together(listed)
        return whole.line_search(state, w - state)

    def weights(self, state: FloatArray) -> FloatArray:
        """Return the weights."""
        return state

    def _hinge(
        self,
        data: TuningSet,
        w: FloatArray,
        batch: IntArray,
        oracles: list[list[int]],
        rate: float,
        seed: int,
    ) -> FloatArray:
        pairs = _core.oracle_pairs(data.nbest.core, batch, oracles, most=self.max_oracles)
        if self.update == "subgradient":
            count, violating = _core.violated_pairs(data.nbest.core, pairs, w)
            # M′, the number of violating pairs, in place of M: the paper found M too slow
            return (1 - self.l2 * rate) * w + rate / max(count, 1) * violating
        rows = _core.pair_differences(data.nbest.core, pairs)
        margins = np.ones(len(rows))
        if self.update == "mira":
            return _solve(rows, margins, w, 1.0 / self.l2, seed).weights
        return _within(rows, margins, (1 - self.l2 * rate) * w, rate, seed)

    def _softmax(
        self,
        data: TuningSet,
        w: FloatArray,
        batch: IntArray,
        oracles: list[list[int]],
        rate: float,
        seed: int,
    ) -> FloatArray:
        values, gradients = _core.softmax_tangents(data.nbest.core, batch, oracles, w)
        if self.update == "subgradient":
            mean = gradients.transposed_dot(np.full(len(batch), 1 / len(batch)), len(w))
            return (1 - self.l2 * rate) * w + rate * mean
        margins = -values
        if self.tangent_offset:
            # w·Ψ ≥ −L(w_k) + w_k·Ψ − ξ
            margins = margins + gradients.dot(w)
        return _within(gradients, margins, (1 - self.l2 * rate) * w, rate, seed)


def _solve(
    rows: _core.SparseRows, margins: FloatArray, start: FloatArray, bound: float, seed: int
) -> _core.MarginSolution:
    return _core.solve_margins(
        rows, margins, start, bound=bound, tolerance=1e-3, max_passes=1000, seed=seed
    )


def _within(
    rows: _core.SparseRows, margins: FloatArray, start: FloatArray, rate: float, seed: int
) -> FloatArray:
    """Solve with 0 ≤ τ ≤ η and then scale τ so that its sum is at most η (footnote 2)."""
    found = _solve(rows, margins, start, rate, seed)
    scale = min(1.0, rate / max(float(found.tau.sum()), 1e-300))
    return start + scale * (found.weights - start)


def _together(listed: Sequence[TuningSet]) -> TuningSet:
    """Return the lists of all batches as one; each sentence is in one of them."""
    first = listed[0].nbest
    builder = NBestBuilder(first.words, first.feature_names)
    statistics: dict[int, FloatArray] = {}
    for lists in listed:
        builder.merge(lists.nbest)
        for sentence in np.flatnonzero(np.diff(lists.nbest.offsets)).tolist():
            rows = lists.nbest.rows(sentence)
            found = lists.nbest.statistics_of(rows)
            if found is not None:
                statistics[sentence] = found
    nbest = builder.finish(first.sentence_count)
    nbest.set_statistics(np.concatenate([statistics[key] for key in sorted(statistics)]))
    return replace(listed[0], nbest=nbest)
