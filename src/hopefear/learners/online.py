"""What online learners have in common: a pass over sentences, a step for each.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13: algorithm 1; sections 4
and 5 for learners that look for hope and fear.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Annotated, ClassVar, Literal, Self, cast

import numpy as np

from hopefear import _core
from hopefear.candidates import HasForests
from hopefear.errors import ConfigError, OptionError
from hopefear.learners.base import Figures
from hopefear.learners.regularized import BETWEEN, Regularized
from hopefear.learners.visit import OnlineLesson, OnlineState, Taught, Visit
from hopefear.metrics import Bleu, BleuReferences, Metric, OracleDocument
from hopefear.regularizers import NoPenalty, Penalty, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.search import (
    Example,
    Hope,
    ReferenceDerivation,
    Rerank,
    Search,
    reference_derivations,
    searches,
)
from hopefear.settings import setting, settings
from hopefear.types import FloatArray, Vocabulary

__all__ = ["HopeFearLearner", "OnlineLearner"]

COLD = 1e-9  # below this nothing moves any more


@settings
class OnlineLearner(Regularized, ABC):
    """A learner that sees one sentence after the other."""

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=10)

    rate: float = setting(0.01, "η, the learning rate.", above=0)
    feature_rates: Mapping[str, float] = setting(
        factory=dict,
        help='Other rates for some features; names may have wildcards, as in {"LM*" = 0.01}.',
    )
    decay: float = setting(
        0.9, "What the oracle document keeps from sentence to sentence.", least=0, most=1
    )
    cooling: float = setting(
        1.0,
        "After every epoch rates and gains are multiplied by this. Below 1, steps become smaller, "
        "and hope and fear come nearer to the 1-best (as in the annealing of Smith and Eisner, "
        "2006).",
        above=0,
        most=1,
    )
    average: Literal["run", "late", "none"] = setting(
        "run",
        "Which weights to take: the mean over all steps so far, the mean in which step t counts t "
        "times, so that the beginning is forgotten, or those after the last step.",
    )

    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=NoPenalty,
        help="R, counted against the sum over all sentences: after every 16 sentences the weights "
        "move to argmin R(v) · 16/N + Σ (v − w)²/(2 rate), each feature with its own rate.",
    )

    def check(self) -> None:
        """Require rates that are not negative."""
        for name, rate in self.feature_rates.items():
            if not rate >= 0:
                raise OptionError(self, "feature_rates", f": '{name}' must be >= 0, got {rate}")

    @staticmethod
    def check_metric(metric: Metric) -> None:
        """Refuse a metric by which hope and fear cannot be searched for."""
        if not isinstance(metric, Bleu) or metric.tokenize != "none":
            tokenizer = f" with tokenize = '{metric.tokenize}'" if isinstance(metric, Bleu) else ""
            raise ConfigError(
                "this learner searches for hope and fear by BLEU with tokenize = 'none', not by "
                f"{metric.name}{tokenizer}",
                settings=("metric", "metric.tokenize"),
            )

    @abstractmethod
    def update(self, visit: Visit) -> Taught | None:
        """Learn from a sentence: change `visit.trial` as you like, then `visit.move`."""

    def start(self, data: HasForests, weights: FloatArray, origin: FloatArray) -> OnlineState:
        """Start at `weights`, with a small document to judge the first sentence in."""
        self.check_metric(data.metric)
        document = OracleDocument(statistics=data.corpus_score.first_document(), decay=self.decay)
        rates = self._rates(data.feature_names, 0)
        return OnlineState(
            weights=_core.OnlineWeights(weights), document=document, rates=rates, origin=origin
        )

    def learn(
        self,
        state: OnlineState,
        data: HasForests,
        block: Block,
        step: Step,
        heard: Sequence[OnlineLesson] = (),
    ) -> tuple[OnlineState, OnlineLesson]:
        """Visit the sentences; the first of them is learned together with what was heard."""
        references = cast(BleuReferences, data.prepared)
        # With many features and small blocks, copies would take as long as the steps.
        weights = state.weights if step.owned else state.weights.copy()
        trial = np.array(weights.current)
        heat = self.heat(step.epoch)
        same = heat == state.document.scale
        document = state.document if same else replace(state.document, scale=heat)
        kept = step.owned and same
        rates = state.rates if kept else state.rates * (heat / state.document.scale)
        figures: Figures | None = None
        penalty: Penalty | None = None  # for the features so far; it takes long to make
        lessons: dict[int, Taught] = {}
        known = len(data.feature_names)
        others = tuple(taught for lesson in heard for taught in lesson.taught(known))
        for done, sentence in enumerate(block.tolist(), 1):
            began = time.thread_time()
            forest = data.forest(sentence, weights.current)
            if forest is not None:
                if len(data.feature_names) > len(weights):
                    weights = weights.grown(len(data.feature_names))
                    new = heat * self._rates(data.feature_names, len(rates))
                    rates = np.append(rates, new)
                    trial = np.array(weights.current)
                    penalty = None
                example = Example(forest, sentence, references, weights.current)
                visit = Visit(example, document, step.epoch, weights, trial, rates, others)
                taught, others = self.update(visit), ()
                if step.shared and taught is not None:
                    lessons[sentence] = taught
                if not self.regularized:
                    weights.count(self._counted(state.seen + done))
                document = document.add(example.best.statistics)
                own = _figures_of(taught, example, time.thread_time() - began)
                figures = own if figures is None else figures + own
            if self.regularized and (state.seen + done) % BETWEEN == 0:
                penalty = penalty or self.penalty(data, state.origin, len(weights))
                # v ← argmin R(v) k/N + ½ (v − w)ᵀ Σ⁻¹ (v − w), with Σ = η for all but AROW
                w, share = np.array(weights.current), BETWEEN * step.learners
                steps = rates * (share / data.sentence_count)
                change = penalty.proximal(w, steps) - w
                weights.add(np.arange(len(w), dtype=np.int32), change, 1.0)
                trial = np.array(weights.current)
                # As in `visit_between`, these weights count for all sentences since the last step.
                weights.count(BETWEEN * self._counted(state.seen + done))
            step.progress(done, len(block))
        after = OnlineState(
            weights=weights,
            document=document,
            rates=rates,
            origin=state.origin,
            seen=state.seen + len(block),
        )
        figures = figures or Figures(statistics=np.zeros(data.corpus_score.dimension))
        return after, OnlineLesson.of(lessons, figures)

    def silence(self) -> OnlineLesson:
        """Return a lesson without anything in it."""
        return OnlineLesson.of({}, Figures(statistics=np.empty(0)))

    def throttled(self, factor: float) -> Self:
        """Return a learner with lower rates, whose steps add up with those of others."""
        rates = {name: factor * rate for name, rate in self.feature_rates.items()}
        return replace(self, rate=factor * self.rate, feature_rates=rates)

    def weights(self, state: OnlineState) -> FloatArray:
        """Return the mean over some steps, or the last weights."""
        last = self.average == "none"
        return np.array(state.weights.current) if last else state.weights.average()

    def merge(self, states: Sequence[OnlineState]) -> OnlineState:
        """Return the mean of the weights, over all steps of all states; rates and documents too."""
        document = replace(
            states[0].document,
            statistics=np.mean([state.document.statistics for state in states], axis=0),
        )
        return OnlineState(
            weights=_core.OnlineWeights.merged([state.weights for state in states]),
            document=document,
            rates=_mean_rates([state.rates for state in states]),
            origin=states[0].origin,
            seen=max(state.seen for state in states),
        )

    def _counted(self, seen: int) -> float:
        """Return how often the weights count in the mean after so many sentences."""
        return float(seen) if self.average == "late" else 1.0

    def heat(self, epoch: int) -> float:
        """Return what rates and gains are multiplied by in an epoch, counted from 0."""
        return max(self.cooling**epoch, COLD)

    def _rates(self, names: Vocabulary, first: int) -> FloatArray:
        """Return the rates of the features from number `first` on."""
        rates = np.full(len(names) - first, self.rate)
        for pattern, rate in self.feature_rates.items():
            for i in range(first, len(names)):
                if fnmatchcase(names[i], pattern):
                    rates[i - first] = rate
        return rates


def _mean_rates(rates: Sequence[FloatArray]) -> FloatArray:
    """Return the mean rate of each feature, over those who have met it."""
    longest = max(rates, key=len)
    known = [np.append(own, np.full(len(longest) - len(own), np.nan)) for own in rates]
    mean: FloatArray = np.nanmean(known, axis=0)
    return mean


def _figures_of(taught: Taught | None, example: Example, seconds: float) -> Figures:
    violation = 0.0 if taught is None else taught.violation
    return Figures(
        statistics=example.best.statistics,
        sentences=1,
        updates=int(violation > 0),
        violation=violation,
        constraints=0 if taught is None else len(taught.losses),
        seconds=seconds,
        squares=seconds**2,
    )


@settings
class HopeFearLearner(OnlineLearner, ABC):
    """An online learner that moves from one derivation to another."""

    search: Annotated[Search, searches] = setting(
        factory=Rerank, help="How hope and fear are found: rerank, linear, nbest."
    )
    reference: Annotated[ReferenceDerivation, reference_derivations] = setting(
        factory=Hope, help="What to move towards: hope, local, max-bleu, bold."
    )
