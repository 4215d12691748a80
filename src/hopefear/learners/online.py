"""What online learners have in common: a pass over the sentences, a step for each.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, algorithm 1.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.candidates.sources import ForestData
from hopefear.errors import ConfigError, OptionError
from hopefear.learners.base import DataTypes, EpochFigures, ProgressCallback, random_stream
from hopefear.metrics import Bleu, BleuReferences, Metric, OracleDocument
from hopefear.search import Example
from hopefear.settings import require
from hopefear.types import FloatArray, Vocabulary

__all__ = ["OnlineLearner", "OnlineState", "Outcome", "Visit"]

COLD = 1e-9  # below this nothing moves any more


@dataclass(frozen=True, kw_only=True, eq=False)
class OnlineState:
    """What an online learner remembers.

    Attributes
    ----------
    weights : OnlineWeights
        As they are, and their mean over all steps.
    document : OracleDocument
        What was translated before.
    rates : array
        The learning rate of each feature: η, or the diagonal of Σ.
    figures : EpochFigures, optional
        What the last epoch was like.
    """

    weights: _core.OnlineWeights
    document: OracleDocument
    rates: FloatArray
    figures: EpochFigures | None = None


@dataclass(frozen=True)
class Outcome:
    """What a step was like: constraints in the working set, and how far the first was violated."""

    constraints: int = 0
    violation: float = 0.0


class Visit:
    """A sentence whose turn it is, and the weights that a learner moves.

    Attributes
    ----------
    example : Example
    document : OracleDocument
        In whose context gains are.
    epoch : int
        From 0.
    trial : array
        Weights to try, equal to the learner's until it changes them.
    rates : array
        The learning rate of each feature.
    """

    def __init__(
        self,
        example: Example,
        document: OracleDocument,
        epoch: int,
        weights: _core.OnlineWeights,
        trial: FloatArray,
        rates: FloatArray,
    ) -> None:
        self.example, self.document, self.epoch = example, document, epoch
        self.trial, self.rates = trial, rates
        self._weights = weights

    @property
    def start(self) -> FloatArray:
        """The weights before the step."""
        return self._weights.current

    def move(self, ids: NDArray[np.int32], change: FloatArray) -> None:
        """Take the step: w += change, for these features."""
        self._weights.add(np.ascontiguousarray(ids, dtype=np.int32), change, 1.0)
        self.trial[ids] = self._weights.current[ids]


@dataclass(frozen=True, kw_only=True)
class OnlineLearner(ABC):
    """A learner that sees one sentence after the other, in random order.

    Parameters
    ----------
    rate : float
        η, the learning rate.
    feature_rates : mapping
        Other rates for some features, whose names may have wildcards, as in ``{"LM*" = 0.01}``.
    decay : float
        What the oracle document keeps from sentence to sentence.
    cooling : float
        After every epoch rates and gains are multiplied by it. Below 1, steps become smaller, and
        hope and fear come nearer to the 1-best: what counts in the end is what the model has to
        decide (as in the annealing of Smith and Eisner, 2006).
    average : {"run", "late", "none"}
        What the weights are: the mean over all steps so far, the mean in which step t counts t
        times, so that the beginning is forgotten, or those after the last step.
    epochs : int
        Passes over the sentences.
    """

    learns_from: ClassVar[DataTypes] = (ForestData,)

    rate: float = 0.01
    feature_rates: Mapping[str, float] = field(default_factory=dict)
    decay: float = 0.9
    cooling: float = 1.0
    average: Literal["run", "late", "none"] = "run"
    epochs: int = 10

    def __post_init__(self) -> None:
        require.positive(self, "rate")
        require.probability(self, "decay")
        require.positive(self, "cooling")
        require.probability(self, "cooling")
        require.one_of(self, "average", ["run", "late", "none"])
        require.integer(self, "epochs", 1)
        for name, rate in self.feature_rates.items():
            if not rate >= 0:
                raise OptionError(self, "feature_rates", f": '{name}' must be >= 0, got {rate}")

    @staticmethod
    def check_metric(metric: Metric) -> None:
        """Refuse a metric by which hope and fear cannot be searched for."""
        if not isinstance(metric, Bleu) or metric.tokenize != "none":
            tokenizer = f" with tokenize = '{metric.tokenize}'" if isinstance(metric, Bleu) else ""
            raise ConfigError(
                "hope and fear are searched for by BLEU with tokenize = 'none', not by "
                f"{metric.name}{tokenizer}"
            )

    @abstractmethod
    def update(self, visit: Visit) -> Outcome:
        """Learn from a sentence: change `visit.trial` as you like, then `visit.move`."""

    def init(self, data: ForestData, weights: FloatArray) -> OnlineState:
        """Start at `weights`, with a small document to judge the first sentence in."""
        references_of(data)
        document = OracleDocument(statistics=data.corpus_score.first_document(), decay=self.decay)
        rates = self._rates(data.feature_names, 0)
        return OnlineState(weights=_core.OnlineWeights(weights), document=document, rates=rates)

    def epoch(
        self,
        data: ForestData,
        state: OnlineState,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> OnlineState:
        """Visit every sentence once, in random order."""
        references = references_of(data)
        weights, trial = state.weights.copy(), np.array(state.weights.current)
        heat = self.heat(seed[1])
        document = replace(state.document, scale=heat)
        rates = state.rates * (heat / state.document.scale)
        tally = _Tally(data.corpus_score.dimension)
        order = random_stream(seed).permutation(data.sentence_count)
        before = seed[1] * len(order)
        for done, sentence in enumerate(order.tolist(), 1):
            forest = data.forest(sentence, weights.current)
            if forest is not None:
                if len(data.feature_names) > len(weights):
                    weights = weights.grown(len(data.feature_names))
                    new = heat * self._rates(data.feature_names, len(rates))
                    rates = np.append(rates, new)
                    trial = np.array(weights.current)
                example = Example(forest, sentence, references, weights.current)
                visit = Visit(example, document, seed[1], weights, trial, rates)
                tally.add(self.update(visit), example)
                weights.count(before + done if self.average == "late" else 1.0)
                document = document.add(example.best.statistics)
            progress(done, len(order))
        return replace(
            state, weights=weights, document=document, rates=rates, figures=tally.figures()
        )

    def weights(self, state: OnlineState) -> FloatArray:
        """Return the mean over some steps, or the last weights."""
        last = self.average == "none"
        return np.array(state.weights.current) if last else state.weights.average()

    def heat(self, epoch: int) -> float:
        """Return what rates and gains are multiplied by in an epoch, counted from 0."""
        return max(self.cooling**epoch, COLD)

    def figures(self, state: OnlineState) -> EpochFigures | None:
        """Return what the last epoch was like."""
        return state.figures

    def _rates(self, names: Vocabulary, first: int) -> FloatArray:
        """Return the rates of the features from number `first` on."""
        rates = np.full(len(names) - first, self.rate)
        for pattern, rate in self.feature_rates.items():
            for i in range(first, len(names)):
                if fnmatchcase(names[i], pattern):
                    rates[i - first] = rate
        return rates


def references_of(data: ForestData) -> BleuReferences:
    """Return the references of a data set as searches need them."""
    OnlineLearner.check_metric(data.metric)
    return cast(BleuReferences, data.prepared)


class _Tally:
    """Counts what happens in an epoch."""

    def __init__(self, dimension: int) -> None:
        self._statistics = np.zeros(dimension)
        self._sentences = self._updates = self._constraints = 0
        self._violation = 0.0
        self._began = time.perf_counter()

    def add(self, outcome: Outcome, example: Example) -> None:
        self._statistics += example.best.statistics
        self._sentences += 1
        self._updates += outcome.violation > 0
        self._constraints += outcome.constraints
        self._violation += outcome.violation

    def figures(self) -> EpochFigures:
        seconds = time.perf_counter() - self._began
        sentences = max(self._sentences, 1)
        return EpochFigures(
            statistics=self._statistics,
            updates=self._updates,
            violation=self._violation / sentences,
            working_set=self._constraints / sentences,
            sentences_per_second=self._sentences / max(seconds, 1e-9),
        )
