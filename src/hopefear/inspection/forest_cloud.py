"""The cloud of a forest: its best derivations, and some that are drawn at random.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5 and figure 1.
"""

from collections.abc import Sequence

import numpy as np

from hopefear.forest import Forest
from hopefear.inspection.cloud import Chosen, Cloud, CloudPoint
from hopefear.inspection.derivation_tree import derivation_tree
from hopefear.inspection.options import CloudOptions
from hopefear.inspection.worth import Worth
from hopefear.metrics import Bleu, BleuReferences, OracleDocument
from hopefear.search import Example, Found, NBest, Rerank, Search, searches
from hopefear.types import Weights

__all__ = ["forest_cloud"]


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
    """Return the cloud of a sentence.

    Parameters
    ----------
    forest : Forest
        Its derivations.
    prepared : BleuReferences
        The references of all sentences, as the metric has them.
    metric : Bleu
        Whose words are those of the forest: its tokenization is ``none``.
    weights : Weights
        The model.
    sentence : int
        Which one it is, from 0.
    options : CloudOptions, optional
        How hope and fear are searched for, and how many derivations are shown.
    context : sequence of Found
        1-best derivations of some sentences: what a document looks like in which B is the gain.
    references : sequence of str
        To be shown.
    """
    options = options or CloudOptions()
    example = Example(forest, sentence, prepared, weights.vector(forest.feature_names))
    worth = Worth.typical(metric, np.array([found.statistics for found in context]))
    document = worth.document or OracleDocument()
    search = options.search or Rerank()
    best_list = example.nbest(options.listed, distinct=False)
    scores = [found.derivation.score for found in best_list]
    temperature = options.temperature or (scores[0] - scores[-1]) or 1.0
    drawn = _drawn(example, options.others, temperature, options.seed)

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
    in_list = NBest(size=options.listed)
    looked_further = not isinstance(search, NBest)
    features = {name for one in (best, hope, fear) for name in one.features}
    return Cloud(
        sentence=str(sentence),
        metric=metric.name,
        worth=worth.name,
        search=f"{searches.name_of(type(search))} search",
        references=tuple(references),
        size=_count(forest),
        listed=tuple(points(best_list)),
        others=tuple(points(drawn)),
        best=best,
        hope=hope,
        fear=fear,
        listed_hope=points([find(1.0, in_list)])[0] if looked_further else None,
        listed_fear=points([find(-1.0, in_list)])[0] if looked_further else None,
        weights={name: weights.get(name, 0.0) for name in sorted(features)},
    )


def _drawn(example: Example, count: int, temperature: float, seed: int) -> list[Found]:
    """Draw derivations; of equal ones, one is kept. Scores are those of the model."""
    drawn = example.forest.sample(
        count=count, seed=seed, edge_scores=example.scores, temperature=temperature
    )
    return example.found(list(dict.fromkeys(drawn)))


def _count(forest: Forest) -> str:
    count = forest.count()
    digits = len(str(count))
    return f"{count:,} derivations" if digits < 10 else f"about 10^{digits - 1} derivations"
