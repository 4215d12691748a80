"""Statistics of n-best lists: how many times as fast as sacreBLEU's own extraction.

The lists are made here: references of random words, frequent ones more often, and hypotheses that
are the references with some words changed. sacreBLEU sees a part of them, since it takes long.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from itertools import accumulate

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from hopefear.metrics import Bleu, Chrf, References, Ter, TextMetric, Wer

SENTENCES, HYPOTHESES, SEED = 1000, 100, 20120404


def run() -> list[tuple[str, str]]:
    """Return rows of (what, figure)."""
    references, texts, sentences = _make_lists()
    rows = []
    judged: list[tuple[TextMetric, sacrebleu.metrics.base.Metric | None, int]] = [
        (Bleu(tokenize="none"), sacrebleu.BLEU(tokenize="none", force=True), 20_000),
        (Chrf(), sacrebleu.CHRF(), 2_000),
        (Ter(), sacrebleu.TER(), 100),
        (Wer(), None, 0),
    ]
    for metric, judge, part in judged:
        prepared = metric.prepare(References([[text] for text in references]))
        ours = len(texts) / _seconds(partial(prepared.statistics, texts, sentences))
        rows.append((f"{metric.name}: hypotheses a second", f"{ours:,.0f}"))
        if judge is None:
            continue
        chosen = [[references[number] for number in sentences[:part]]]
        extract = partial(judge._extract_corpus_statistics, texts[:part], chosen)
        theirs = part / _seconds(extract)
        rows.append((f"{metric.name}: times as fast as sacreBLEU", f"{ours / theirs:,.0f}"))
    return rows


def _make_lists() -> tuple[list[str], list[str], NDArray[np.int64]]:
    rng = random.Random(SEED)
    words = [f"word{rank}" for rank in range(5000)]
    frequencies = list(accumulate(1 / (rank + 10) for rank in range(5000)))

    def draw(count: int) -> list[str]:
        return rng.choices(words, cum_weights=frequencies, k=count)

    references, texts = [], []
    for _ in range(SENTENCES):
        reference = draw(rng.randrange(8, 40))
        references.append(" ".join(reference))
        for _ in range(HYPOTHESES):
            changed = [word if rng.random() < 0.7 else draw(1)[0] for word in reference]
            cut = rng.randrange(len(changed))
            texts.append(" ".join(changed[cut:] + changed[:cut]))
    return references, texts, np.repeat(np.arange(SENTENCES), HYPOTHESES)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
