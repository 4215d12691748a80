"""Building the cloud of a sentence from its n-best list or its forest.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5 and figure 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopefear.candidates import ListSet
from hopefear.errors import DataError
from hopefear.forest import Derivation, Forest
from hopefear.inspection.cloud import Chosen, Cloud, CloudPoint
from hopefear.metrics import Bleu, BleuReferences, Column, Metric, OracleDocument
from hopefear.metrics.base import Statistics
from hopefear.search import Example, Found, NBestSearch, Rerank, Search, searches
from hopefear.settings import setting, settings
from hopefear.types import FloatArray, Weights

__all__ = [
    "CloudOptions",
    "Worth",
    "derivation_tree",
    "draw_guides",
    "forest_cloud",
    "list_cloud",
    "most_interesting",
]


@settings
class CloudOptions:
    """How many candidates a cloud shows, and how hope and fear are found."""

    listed: int = setting(100, "Show this many of the model's best candidates.", least=1)
    others: int = setting(200, "Show this many of the other candidates, drawn at random.", least=0)
    seed: int = setting(1, "Random seed of the draw.", least=0)
    search: Search | None = setting(
        None, "How to find hope and fear in forests. [the search of the run's learner, or rerank]"
    )
    temperature: float | None = setting(
        None,
        "Temperature of the distribution that derivations are drawn from. [the score range of the "
        "listed candidates, so that most of the others lie outside it]",
        above=0,
    )


@dataclass(frozen=True, kw_only=True)
class Worth:
    """Sentence-level scores: those on the x axis, and the gains that hope and fear weigh.

    For BLEU, `document` is the context in which a sentence has its gain.
    """

    metric: Metric
    document: OracleDocument | None = None

    @classmethod
    def typical(cls, metric: Metric, chosen: Statistics) -> "Worth":
        """Return the scores in a typical document, given the statistics of some 1-best sentences.

        A learner that visits sentence after sentence keeps b̄ ← decay · (b̄ + b) (Chiang, 2012,
        2.4). With the mean b of the sentences, b̄ converges to decay / (1 − decay) · b. The initial
        document is added so that no component is 0.
        """
        if not isinstance(metric, Bleu):
            return cls(metric=metric)
        decay = OracleDocument().decay
        start = metric.corpus_score().first_document()
        mean = chosen.mean(axis=0) if len(chosen) else np.zeros_like(start)
        return cls(
            metric=metric,
            document=OracleDocument(statistics=start + decay / (1 - decay) * mean, decay=decay),
        )

    @property
    def name(self) -> str:
        """The label of the x axis."""
        if isinstance(self.metric, Bleu):
            return "sentence BLEU+1"
        sign = "" if self.metric.higher_is_better else "minus "
        return f"{sign}sentence {self.metric.name}"

    def shown(self, statistics: Statistics) -> FloatArray:
        """Return the score of each sentence on its own, as scores are printed; higher is better."""
        percent = 1.0 if isinstance(self.metric, Column) else 100.0
        return percent * self.metric.gains(statistics)

    def gains(self, statistics: Statistics) -> FloatArray:
        """Return the gain B of each sentence."""
        if self.document is not None:
            return self.document.gains(statistics)
        return self.metric.gains(statistics)


def list_cloud(
    data: ListSet,
    weights: Weights,
    sentence: int,
    options: CloudOptions | None = None,
    *,
    name: str | None = None,
    references: Sequence[str] = (),
) -> Cloud:
    """Return the cloud of a sentence of n-best lists.

    The 1-best hypotheses of all lists make the document in which a hypothesis has its gain. `name`
    is the key of the sentence, if it has one; `references` are only displayed.
    """
    options = options or CloudOptions()
    lists = data.nbest
    rows = lists.rows(sentence)
    if not rows:
        raise DataError(f"sentence {name or sentence} has no hypotheses")
    vector = weights.vector(lists.feature_names)
    statistics = lists.statistics
    if statistics is None:
        raise DataError("the n-best lists have no metric statistics")
    best_rows = lists.best(vector, threads=data.threads)
    worth = Worth.typical(data.metric, statistics[best_rows[best_rows >= 0]])
    own = statistics[rows.start : rows.stop]
    scores, gains = lists.sentence_scores(sentence, vector), worth.gains(own)
    shown = worth.shown(own)

    def point(i: int) -> CloudPoint:
        score, value = float(scores[i]), float(shown[i])
        return CloudPoint(text=lists.text(rows[i]), score=score, worth=value)

    def chosen(values: FloatArray) -> Chosen:
        i = int(values.argmax())
        return Chosen(
            point=point(i),
            gain=float(gains[i]),
            features=lists.features_of(rows[i]),
            statistics=tuple(own[i].tolist()),
        )

    order = np.argsort(-scores, kind="stable")
    random = np.random.default_rng(options.seed)
    rest = np.sort(random.permutation(order[options.listed :])[: options.others])
    best, hope, fear = chosen(scores), chosen(scores + gains), chosen(scores - gains)
    return Cloud(
        sentence=name or str(sentence),
        metric=data.metric.name,
        worth=worth.name,
        search="exhaustive search",
        references=tuple(references),
        size=f"{len(rows)} hypotheses",
        listed=tuple(point(i) for i in order[: options.listed].tolist()),
        others=tuple(point(i) for i in rest.tolist()),
        best=best,
        hope=hope,
        fear=fear,
        weights=_weights_of(weights, best, hope, fear),
    )


def most_interesting(data: ListSet, weights: Weights) -> int:
    """Return the sentence whose 1-best hypothesis loses most gain against its hope."""
    lists = data.nbest
    vector = weights.vector(lists.feature_names)
    statistics = lists.statistics
    if statistics is None or not len(lists):
        raise DataError("the n-best lists have no hypotheses that a metric has judged")
    best = lists.best(vector, threads=data.threads)
    gains = Worth.typical(data.metric, statistics[best[best >= 0]]).gains(statistics)
    wanted = lists.scores(vector, data.threads) + gains
    losses = np.full(lists.sentence_count, -np.inf)
    for sentence in np.flatnonzero(best >= 0).tolist():
        rows = lists.rows(sentence)
        hope = rows.start + int(wanted[rows.start : rows.stop].argmax())
        losses[sentence] = gains[hope] - gains[best[sentence]]
    return int(losses.argmax())


def forest_cloud(
    forest: Forest,
    prepared: BleuReferences,
    metric: Bleu,
    weights: Weights,
    sentence: int,
    options: CloudOptions | None = None,
    *,
    context: Sequence[Found] = (),
    references: Sequence[str] = (),
) -> Cloud:
    """Return the cloud of a forest: its best derivations, and some that are drawn at random.

    Parameters
    ----------
    forest : Forest
        The derivations of the sentence.
    prepared : BleuReferences
        The references of all sentences.
    metric : Bleu
        The metric; its tokenization is ``none``, as the words of the forest are its tokens.
    weights : Weights
        The model.
    sentence : int
        The number of the sentence, counted from 0.
    options : CloudOptions, optional
        The search for hope and fear, and the number of derivations.
    context : sequence of Found
        1-best derivations of some sentences, which make the document in which B is the gain.
    references : sequence of str
        Displayed beside the derivations.
    """
    options = options or CloudOptions()
    example = Example(forest, sentence, prepared, weights.vector(forest.feature_names))
    worth = Worth.typical(metric, np.array([found.statistics for found in context]))
    document = worth.document or OracleDocument()
    search = options.search or Rerank()
    best_list = example.nbest(options.listed, distinct=False)
    scores = [found.derivation.score for found in best_list]
    temperature = options.temperature or (scores[0] - scores[-1]) or 1.0

    def points(found: Sequence[Found]) -> list[CloudPoint]:
        if not found:
            return []
        shown = worth.shown(np.array([one.statistics for one in found]))
        return [
            CloudPoint(text=one.derivation.text, score=one.derivation.score, worth=float(value))
            for one, value in zip(found, shown, strict=True)
        ]

    def chosen(one: Found) -> Chosen:
        return Chosen(
            point=points([one])[0],
            gain=one.gain(document),
            features=one.features.named(forest.feature_names),
            statistics=tuple(one.statistics.tolist()),
            tree=derivation_tree(one.derivation),
        )

    def find(gain_weight: float, by: Search) -> Found:
        return by.find(example, example.scores, document, gain_weight)[0]

    best, hope, fear = (
        chosen(one) for one in (example.best, find(1.0, search), find(-1.0, search))
    )
    in_list = NBestSearch(size=options.listed)
    looked_further = not isinstance(search, NBestSearch)
    return Cloud(
        sentence=str(sentence),
        metric=metric.name,
        worth=worth.name,
        search=f"{searches.name_of(type(search))} search",
        references=tuple(references),
        size=_count(forest),
        listed=tuple(points(best_list)),
        others=tuple(points(_drawn(example, options, temperature))),
        best=best,
        hope=hope,
        fear=fear,
        listed_hope=points([find(1.0, in_list)])[0] if looked_further else None,
        listed_fear=points([find(-1.0, in_list)])[0] if looked_further else None,
        weights=_weights_of(weights, best, hope, fear),
    )


def _weights_of(weights: Weights, *chosen: Chosen) -> dict[str, float]:
    features = {name for one in chosen for name in one.features}
    return {name: weights.get(name, 0.0) for name in sorted(features)}


def _drawn(example: Example, options: CloudOptions, temperature: float) -> list[Found]:
    """Draw distinct derivations."""
    distribution = example.forest.distribution(edge_scores=example.scores, temperature=temperature)
    drawn = distribution.sample(options.others, seed=options.seed)
    return example.found(list(dict.fromkeys(drawn)))


def _count(forest: Forest) -> str:
    count = forest.count()
    digits = len(str(count))
    return f"{count:,} derivations" if digits < 10 else f"about 10^{digits - 1} derivations"


def derivation_tree(derivation: Derivation) -> tuple[str, ...]:
    """Return one line per edge: its target side and the source span that it covers.

    Edges at the top that only concatenate their parts, as glue rules do, are left out, and their
    parts become trees of their own.
    """
    depths, texts = [], []
    above: list[bool] = []  # for each ancestor of the edge, whether it is left out
    for edge, line in zip(derivation.edges.tolist(), derivation.show().split("\n"), strict=True):
        text = line.lstrip(" ")
        depth = (len(line) - len(text)) // 2
        del above[depth:]
        left_out = all(above) and _only_joins(derivation, edge)
        if not left_out:
            depths.append(depth - sum(above))
            texts.append(text.partition(": ")[2])  # without the edge's number
        above.append(left_out)
    guides = draw_guides(depths)
    return tuple(f"{guide}{text}" for guide, text in zip(guides, texts, strict=True))


def _only_joins(derivation: Derivation, edge: int) -> bool:
    """Tell whether the target side of an edge is its tails in order, without a word."""
    forest = derivation.forest
    begin, end = forest.target_begin[edge : edge + 2]
    symbols: list[int] = forest.targets[begin:end].tolist()
    return symbols == [~tail for tail in range(len(symbols))]


def draw_guides(depths: Sequence[int]) -> list[str]:
    """Return the branches to draw before the lines of a tree, given their depths in pre-order.

    Examples
    --------
    >>> draw_guides([0, 1, 2, 1])
    ['', '├─', '│ └─', '└─']
    """
    guides: list[str] = []
    open_below: list[bool] = []  # at each depth, whether a later line branches off
    for depth in reversed(depths):
        del open_below[depth:]
        open_below += [False] * (depth - len(open_below))
        if not depth:
            guides.append("")
            continue
        before = "".join("│ " if more else "  " for more in open_below[: depth - 1])
        guides.append(before + ("├─" if open_below[depth - 1] else "└─"))
        open_below[depth - 1] = True
    return guides[::-1]
