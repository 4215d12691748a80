"""Forests like those of a Hiero decoder: spans, rules with shared scores, language model states."""

import json
from collections import deque
from itertools import pairwise

import numpy as np

from hopefear.forest import Forest, ForestBuilder
from hopefear.types import Vocabulary

RULE_FEATURES = (
    "TranslationModel_0",
    "TranslationModel_1",
    "TranslationModel_2",
    "TranslationModel_3",
    "PhrasePenalty",
    "WordPenalty",
)

Rule = tuple[tuple[str | int, ...], tuple[float, ...]]


class HieroForests:
    """Draws forests of one corpus: they share rules, words and feature names.

    Parameters
    ----------
    seed
        Where the random numbers start.
    vocabulary_size
        Words follow Zipf's law with exponent 1.
    """

    def __init__(self, seed: int, *, vocabulary_size: int = 20_000) -> None:
        self.words, self.feature_names = Vocabulary(), Vocabulary()
        self._random = np.random.default_rng(seed)
        frequency = 1 / np.arange(1, vocabulary_size + 1)
        self._cumulative = np.cumsum(frequency / frequency.sum())

    def weights(self) -> np.ndarray:
        """Return plausible weights, indexed by feature id."""
        self._add_features()
        return np.array([0.2, 0.2, 0.2, 0.2, 0.2, -1.0, 0.5])

    def forest(self, length: int = 12) -> Forest:
        """Draw a forest for a sentence of so many words.

        A node is a span and one of several language model states; the longer the span, the more
        there are. An edge is a rule with zero, one or two gaps; each rule is used by many edges,
        which differ in the language model's score.
        """
        self._add_features()
        builder = ForestBuilder(self.words, self.feature_names)
        states: dict[tuple[int, int], deque[int]] = {}
        for width in range(1, length + 1):
            for begin in range(length - width + 1):
                span = (begin, begin + width)
                count = 1 if width == length else int(self._random.integers(4, 6 + width))
                nodes = deque(builder.add_node(begin=begin, covered=width) for _ in range(count))
                self._add_edges(builder, span, nodes, states, 60 if width == length else 7)
                states[span] = nodes
        builder.set_root(builder.node_count - 1)
        return builder.build()

    def _add_features(self) -> None:
        for name in (*RULE_FEATURES, "LM"):
            self.feature_names.add(name)

    def _add_edges(
        self,
        builder: ForestBuilder,
        span: tuple[int, int],
        nodes: deque[int],
        states: dict[tuple[int, int], deque[int]],
        mean: int,
    ) -> None:
        begin, end = span
        shapes = (0, 0, 1, 1, 2, 2) if end - begin <= 4 else (1, 2, 2, 2, 2, 2)
        rules = [self._rule(gaps) for gaps in shapes]
        for node in nodes:
            for _ in range(int(self._random.integers(mean // 2, 1 + 3 * mean // 2))):
                target, values = rules[int(self._random.integers(len(rules)))]
                gaps = sum(isinstance(symbol, int) for symbol in target)
                tails = self._tails(gaps, begin, end, states)
                if tails is None:
                    target, values = rules[0]  # has no gaps: the span is short
                features = dict(zip(RULE_FEATURES, values, strict=True))
                features["LM"] = float(f"{-self._random.gamma(3.0, 3.0):.6g}")
                builder.add_edge(node, tails=tails or (), target=target, features=features)

    def _tails(
        self, gaps: int, begin: int, end: int, states: dict[tuple[int, int], deque[int]]
    ) -> list[int] | None:
        """Draw nodes for the gaps of a rule, or None where the span is too short for it."""
        if gaps == 0 or end - begin <= gaps:
            return [] if gaps == 0 else None
        # One word or more is the rule's own, before or after the gaps.
        cuts = sorted(self._random.choice(np.arange(begin + 1, end), size=gaps, replace=False))
        places = [begin, *map(int, cuts)] if self._random.random() < 0.5 else [*map(int, cuts), end]
        tails = []
        for span in pairwise(places):
            states[span].rotate(1)  # each of them in turn, so that all are reached
            tails.append(states[span][0])
        return tails

    def _rule(self, gaps: int) -> Rule:
        count = int(self._random.integers(1, 5))
        ranks = np.searchsorted(self._cumulative, self._random.random(count))
        symbols: list[str | int] = [f"word{rank}" for rank in ranks]
        for gap in range(gaps):
            symbols.insert(int(self._random.integers(len(symbols) + 1)), gap)
        log_probs = [float(f"{-value:.6g}") for value in self._random.exponential(3.0, 4)]
        return tuple(symbols), (*log_probs, 1.0, float(-count))


def forest_json(forest: Forest) -> str:
    """Return a forest as plain JSON, without blanks: what the size of a store is compared with."""
    core = forest.core
    nodes = [
        {"begin": begin, "covered": covered}
        for begin, covered in zip(core.source_begin.tolist(), core.covered.tolist(), strict=True)
    ]
    edges = [
        {
            "head": forest.head(edge),
            "tails": forest.tails(edge).tolist(),
            "target": forest.target(edge),
            "features": forest.features(edge),
        }
        for edge in range(forest.edge_count)
    ]
    return json.dumps({"nodes": nodes, "edges": edges}, separators=(",", ":"))
