"""A sentence as online learners visit it, for their tests."""

import numpy as np
from hypothesis import strategies as st

from hopefear import _core
from hopefear.forest import Forest, nbest_forest
from hopefear.learners.visit import Visit
from hopefear.metrics import Bleu, OracleDocument, References
from hopefear.search import Example, Found, NBestSearch
from hopefear.types import FloatArray, Hypothesis
from strategies import arrays

BLEU = Bleu(tokenize="none")
ALL = NBestSearch(size=10_000)
texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=9).map(" ".join)
small = arrays(3, lambda random: random.uniform(-1, 1))


def visit_of(
    forest: Forest, texts: list[str], weights: FloatArray, rate: float, *, epoch: int = 0
) -> tuple[Visit, _core.OnlineWeights]:
    online = _core.OnlineWeights(weights)
    example = Example(forest, 0, BLEU.prepare(References([texts])), weights)
    rates = np.full(len(weights), rate)
    return Visit(example, OracleDocument(), epoch, online, weights.copy(), rates), online


def pair(hope: dict[str, float], fear: dict[str, float]) -> Forest:
    return nbest_forest(
        [
            Hypothesis(text="a b c d e", features=hope),
            Hypothesis(text="a b x y z", features=fear),
        ]
    )


def features_of(found: Found, size: int) -> FloatArray:
    h = np.zeros(size)
    h[found.features.ids] = found.features.values
    return h
