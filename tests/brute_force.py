"""Every derivation of a small forest, by enumeration: the judge of all dynamic programs."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from hopefear.forest import Forest
from hopefear.types import FloatArray

Derivation = tuple[int, ...]


def node_derivations(forest: Forest) -> list[list[Derivation]]:
    """All derivations of every node, each as its edges in pre-order."""
    found: list[list[Derivation]] = []
    for node in range(forest.node_count):
        found.append([])
        for edge in forest.edges(node):
            for parts in itertools.product(*(found[tail] for tail in forest.tails(edge))):
                found[node].append((edge, *itertools.chain(*parts)))
    return found


def derivations(forest: Forest) -> list[Derivation]:
    """All derivations of the root."""
    return node_derivations(forest)[-1]


def possible_derivations(forest: Forest, scores: Sequence[float]) -> list[Derivation]:
    """Those without an edge of score minus infinity."""
    return [d for d in derivations(forest) if all(scores[e] != -math.inf for e in d)]


def contexts(forest: Forest) -> list[list[Derivation]]:
    """For each node, the edges around it: those of every derivation of the root with a hole."""
    inner = node_derivations(forest)
    outer: list[list[Derivation]] = [[] for _ in range(forest.node_count)]
    outer[forest.root] = [()]
    for node in reversed(range(forest.node_count)):
        for edge in forest.edges(node):
            tails = forest.tails(edge).tolist()
            for hole, tail in enumerate(tails):
                others = [inner[t] for i, t in enumerate(tails) if i != hole]
                for parts in itertools.product(outer[node], [(edge,)], *others):
                    outer[tail].append(tuple(itertools.chain(*parts)))
    return outer


def words(forest: Forest, derivation: Derivation) -> tuple[str, ...]:
    edges = iter(derivation)

    def string() -> list[str]:
        edge = next(edges)
        parts = [string() for _ in forest.tails(edge)]
        symbols = ([s] if isinstance(s, str) else parts[s] for s in forest.target(edge))
        return list(itertools.chain(*symbols))

    return tuple(string())


def score(derivation: Derivation, scores: Sequence[float]) -> float:
    """The sum of the edges' scores, rounded once."""
    return math.fsum(scores[edge] for edge in derivation)


def features(forest: Forest, derivation: Derivation) -> dict[str, float]:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for edge in derivation:
        for name, value in forest.features(edge).items():
            values[name].append(value)
    return {name: math.fsum(parts) for name, parts in values.items()}


def bleu_statistics(string: tuple[str, ...], references: Sequence[str]) -> FloatArray:
    """The statistics of BLEU without clipping: every n-gram of a reference matches each time."""
    matches, totals = [], []
    for k in range(1, 5):
        ngrams = [string[i : i + k] for i in range(len(string) - k + 1)]
        known = {
            tuple(words[i : i + k])
            for words in (text.split() for text in references)
            for i in range(len(words) - k + 1)
        }
        matches.append(sum(ngram in known for ngram in ngrams))
        totals.append(len(ngrams))
    length = np.mean([len(text.split()) for text in references])
    return np.array([*matches, *totals, length], dtype=np.float64)


def log_sum_exp(values: Sequence[float]) -> float:
    high = max(values)
    return high + math.log(math.fsum(math.exp(value - high) for value in values))


def probabilities(
    forest: Forest, scores: Sequence[float], temperature: float = 1.0
) -> dict[Derivation, float]:
    """P(d) ∝ exp(score(d) / T)."""
    found = possible_derivations(forest, scores)
    exponents = [score(d, scores) / temperature for d in found]
    high = max(exponents)
    weights = [math.exp(exponent - high) for exponent in exponents]
    total = math.fsum(weights)
    return {d: weight / total for d, weight in zip(found, weights, strict=True)}


def expectation(
    distribution: dict[Derivation, float], value: Callable[[Derivation], float]
) -> float:
    return math.fsum(p * value(d) for d, p in distribution.items())


def uses(derivation: Derivation) -> Counter[int]:
    """How often each edge occurs."""
    return Counter(derivation)


def upper_envelope(lines: Iterator[tuple[int, int]]) -> list[tuple[int, int, Fraction | None]]:
    """Slope, intercept and first point of the lines (slope, intercept) that are highest somewhere.

    In exact arithmetic, from the definition: the line that is highest far to the left, then again
    and again the one that the present line meets first, the steepest of those.
    """
    best: dict[int, int] = {}
    for slope, intercept in lines:
        best[slope] = max(intercept, best.get(slope, intercept))
    slope = min(best)
    envelope: list[tuple[int, int, Fraction | None]] = [(slope, best[slope], None)]
    while True:
        meetings = [
            (Fraction(best[slope] - best[steeper], steeper - slope), -steeper)
            for steeper in best
            if steeper > slope
        ]
        if not meetings:
            return envelope
        point, steepest = min(meetings)
        slope = -steepest
        envelope.append((slope, best[slope], point))
