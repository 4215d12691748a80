"""Tuning sets of made-up candidates, for the tests of learners."""

from typing import Any, cast

import numpy as np

from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.forest import Forest, ForestBuilder
from hopefear.learners import AnyLearner
from hopefear.metrics import Bleu, Column, Metric, References, TextMetric
from hopefear.nbest import NBestBuilder
from hopefear.parallel import Serial, Strategy
from hopefear.rhythm import ProgressCallback, Rhythm
from hopefear.runs.course import Course, plan
from hopefear.types import FloatArray, Vocabulary, Weights


def synthetic_set(
    *,
    sentences: int = 25,
    size: int = 12,
    seed: int = 1,
    threads: int = 1,
    metric: Metric | None = None,
) -> ListSet:
    builder, references = NBestBuilder(), []
    for name in START:
        builder.feature_names.add(name)
    candidates = SyntheticCandidates(sentences=sentences, size=size, seed=seed)
    for sentence, (text, segment) in enumerate(candidates):
        references.append([text])
        for hypothesis in segment.hypotheses:
            builder.add(sentence, hypothesis.text, hypothesis.features)
    nbest, judge = builder.finish(sentences), metric or Bleu(tokenize="none")
    if isinstance(judge, Column):
        # Some column of numbers: the sentence BLEU of each hypothesis.
        bleu = Bleu(tokenize="none")
        bleu.prepare(References(references)).set_statistics(nbest)
        nbest.set_statistics(judge.statistics(ListSet(nbest=nbest, metric=bleu).gains.tolist()))
    else:
        cast(TextMetric, judge).prepare(References(references)).set_statistics(nbest)
    metric = judge
    return ListSet(nbest=nbest, metric=metric, threads=threads)


def start_vector(data: ListSet) -> FloatArray:
    return START.vector(data.nbest.feature_names)


def course_of(
    learner: AnyLearner,
    data: Candidates,
    start: FloatArray,
    *,
    seed: int = 1,
    rhythm: Rhythm | None = None,
    strategy: Strategy | None = None,
    scaled: bool = False,
) -> Course:
    """The course of a run of a learner, in its own rhythm if no other is given."""
    return plan(
        data,
        learner,
        rhythm or learner.rhythm,
        strategy or Serial(),
        origin=start,
        seed=seed,
        scaled=scaled,
    )


def next_state(
    learner: AnyLearner,
    data: Candidates,
    state: Any,
    seed: tuple[int, int],
    progress: ProgressCallback = lambda done, total: None,
    *,
    rhythm: Rhythm | None = None,
) -> Any:
    """The state after one more epoch; `state` itself if there is nothing left to learn."""
    course = course_of(
        learner, data, np.zeros(len(data.feature_names)), seed=seed[0], rhythm=rhythm
    )
    found = course.epoch(state, seed[1], progress)
    return state if found is None else found[0]


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
