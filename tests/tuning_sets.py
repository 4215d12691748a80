"""Tuning sets of made-up candidates, for the tests of learners."""

import numpy as np

from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.forest import Forest, ForestBuilder
from hopefear.learners import ForestSet, TuningSet
from hopefear.metrics import Bleu, References, TextMetric
from hopefear.nbest import NBestBuilder
from hopefear.types import FloatArray, Vocabulary, Weights


def synthetic_set(
    *, sentences: int = 25, size: int = 12, seed: int = 1, threads: int = 1
) -> TuningSet:
    builder, references = NBestBuilder(), []
    for name in START:
        builder.core.feature_names.add(name)
    candidates = SyntheticCandidates(sentences=sentences, size=size, seed=seed)
    for sentence, (text, segment) in enumerate(candidates):
        references.append([text])
        for hypothesis in segment.hypotheses:
            builder.add(sentence, hypothesis.text, hypothesis.features)
    nbest, metric = builder.finish(sentences), Bleu(tokenize="none")
    metric.prepare(References(references)).set_statistics(nbest)
    return TuningSet(nbest=nbest, metric=metric, threads=threads)


def start_vector(data: TuningSet) -> FloatArray:
    return START.vector(data.nbest.feature_names)


FOREST_START = Weights({"tm": 0.2, "inverted": 0.3, "words": 0.2, "noise": 0.4})


def garbled_forests(
    *, sentences: int = 20, seed: int = 1, longest: int | None = None, boundaries: bool = False
) -> tuple[list[Forest], list[list[str]]]:
    """Forests of garbled references: other words in each place, parts in another order.

    With `boundaries` their strings begin with <s> and end with </s>.
    """
    words, names = Vocabulary(), Vocabulary()
    for name in FOREST_START:
        names.add(name)
    random = np.random.default_rng(seed)
    forests, references = [], []
    for whole, _ in SyntheticCandidates(sentences=sentences, size=1, seed=seed):
        text = " ".join(whole.split()[:longest])
        references.append([text])
        builder = ForestBuilder(words, names)
        root = _add_span(builder, random, text.split(), 0)
        if boundaries:
            inner, root = root, builder.add_node(covered=len(text.split()))
            builder.add_edge(root, tails=[inner], target=["<s>", 0, "</s>"], features={})
        builder.set_root(root)
        forests.append(builder.build())
    return forests, references


def synthetic_forests(
    *,
    sentences: int = 20,
    seed: int = 1,
    threads: int = 1,
    metric: TextMetric | None = None,
    longest: int | None = None,
) -> ForestSet:
    forests, references = garbled_forests(sentences=sentences, seed=seed, longest=longest)
    return ForestSet(
        forests, References(references), metric or Bleu(tokenize="none"), threads=threads
    )


def _add_span(
    builder: ForestBuilder, random: np.random.Generator, words: list[str], begin: int
) -> int:
    """Add the node of some words, which are a part of the reference; return its number."""
    node = builder.add_node(begin=begin, covered=len(words))

    def add(tails: list[int], target: list[str | int], wrong: float, inverted: float) -> None:
        features = {
            "tm": -2.0 * wrong + random.normal(0, 1),
            "inverted": inverted,
            "words": float(sum(isinstance(symbol, str) for symbol in target)),
            "noise": random.normal(0, 2),
        }
        builder.add_edge(node, tails=tails, target=target, features=features)

    if len(words) == 1:
        add([], [words[0]], 0.0, 0.0)
        add([], [f"wrong{random.integers(50)}"], 1.0, 0.0)
        add([], [words[0], "and"], 0.7, 0.0)
        return node
    cut = int(random.integers(1, len(words)))
    parts = [words[:cut], words[cut:]]
    tails = [_add_span(builder, random, part, begin + i * cut) for i, part in enumerate(parts)]
    add(tails, [0, 1], 0.0, 0.0)
    add(tails, [1, 0], 0.3, 1.0)
    return node
