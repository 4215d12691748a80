"""Stratified approximate randomization, against sacreBLEU and against all shuffles."""

import os
import random
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest import mock

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

import hopefear
from garbled_systems import REFERENCES, garbled
from hopefear.errors import ConfigError, DataError
from hopefear.evaluation import compare_replicas, deviation, randomization, shuffled_sums
from hopefear.metrics import Bleu, Chrf, Column, Metric, References, Statistics, Ter, TextMetric
from metric_corpora import read_wmt22

RANDOM = np.random.default_rng(3)


def of(metric: TextMetric, texts: list[str]) -> Statistics:
    return metric.prepare(References.from_streams(REFERENCES)).statistics(texts)


@pytest.mark.parametrize("rates", [(0.30, 0.29), (0.30, 0.25), (0.30, 0.15)])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(Bleu(), sacrebleu.BLEU()), (Chrf(), sacrebleu.CHRF()), (Ter(), sacrebleu.TER())],
    ids=["bleu", "chrf", "ter"],
)
def test_one_replica_each_has_the_p_value_of_sacrebleu(
    ours: TextMetric, theirs: sacrebleu.metrics.base.Metric, rates: tuple[float, float]
) -> None:
    texts = [garbled(REFERENCES[0], rate, seed) for seed, rate in enumerate(rates)]
    baseline, system = (of(ours, each) for each in texts)
    found = compare_replicas([system], [baseline], ours, shuffles=2000, seed=17)
    with mock.patch.dict(os.environ, {"SACREBLEU_SEED": "17"}):
        named: list[tuple[str, Sequence[str]]] = [("baseline", texts[0]), ("system", texts[1])]
        _, table = PairedTest(named, {"m": theirs}, REFERENCES, "ar", n_samples=2000)()
    judged: list[Any] = next(value for key, value in table.items() if key != "System")
    # sacreBLEU does not count shuffles with exactly the same difference, which TER has
    first, second = shuffled_sums([baseline], [system], shuffles=2000, seed=17)
    differences = np.abs(ours.score(first) - ours.score(second))
    ties = np.count_nonzero(np.abs(differences - abs(found.difference)) < 1e-9)
    assert found.difference == pytest.approx(judged[1].score - judged[0].score, abs=1e-9)
    assert found.p_value == pytest.approx(judged[1].p_value + ties / 2001, abs=1e-12)
    assert ties == 0 or isinstance(ours, Ter)


@pytest.mark.parametrize(("kind", "field"), [("ar", "p_randomization"), ("bs", "p_bootstrap")])
@pytest.mark.parametrize(
    ("pair", "names", "name", "theirs"),
    [
        ("de-en", ("Online-A", "Online-G", "Lan-Bridge"), "bleu", sacrebleu.BLEU()),
        ("zh-en", ("Lan-Bridge", "Online-B", "Online-Y"), "chrf", sacrebleu.CHRF()),
    ],
)
def test_real_systems_have_the_p_values_of_sacrebleu(
    shared_data: Path,
    pair: str,
    names: Sequence[str],
    name: str,
    theirs: sacrebleu.metrics.base.Metric,
    kind: str,
    field: str,
) -> None:
    read = [read_wmt22(shared_data, pair, system) for system in names]
    texts: list[tuple[str, Sequence[str]]] = [
        (system, found) for system, (found, _) in zip(names, read, strict=True)
    ]
    _, table = PairedTest(texts, {"m": theirs}, read[0][1], kind, n_samples=1000)()
    judged: list[Any] = next(value for key, value in table.items() if key != "System")
    found = hopefear.evaluate(
        hyp=dict(texts), refs=read[0][1], metric=name, resamples=1000, shuffles=1000
    )
    for system, expected in zip(found.systems[1:], judged[1:], strict=True):
        against = system.metrics[name].against_first
        assert getattr(against, field) == pytest.approx(expected.p_value, abs=1e-12)
        assert 0.01 < expected.p_value < 0.99


@pytest.mark.parametrize(("wanted", "others"), [(1, 1), (2, 1), (2, 2)])
@pytest.mark.parametrize("listed", [0, 20], ids=["one by one", "listed"])
def test_the_p_value_approaches_that_of_all_shuffles(
    wanted: int, others: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(randomization, "LISTED", listed)
    # rounded, so that many differences are equal
    outputs = RANDOM.integers(0, 4, (wanted + others, 4)).astype(float)
    outputs[:wanted] += 1.0
    observed = abs(outputs[:wanted].mean() - outputs[wanted:].mean())
    ways = list(combinations(range(wanted + others), wanted))
    as_large = total = 0
    for dealt in product(ways, repeat=4):
        first = np.array([outputs[list(way), i] for i, way in enumerate(dealt)])
        rest = outputs.sum() - first.sum()
        as_large += abs(first.mean() - rest / (4 * others)) >= observed - 1e-12
        total += 1
    rows = np.stack([outputs, np.ones_like(outputs)], axis=2)
    found = compare_replicas(
        list(rows[:wanted]),
        list(rows[wanted:]),
        Column(),
        shuffles=20_000,
        seed=1,
        exchange="outputs",
    )
    assert found.p_value == pytest.approx(as_large / total, abs=0.015)


def test_each_side_gets_as_many_outputs_of_a_sentence_as_it_has_replicas() -> None:
    # A one in a column of its own for each sentence
    rows = np.eye(5)
    for wanted, others in ((1, 1), (3, 2), (12, 9)):
        first, second = shuffled_sums([rows] * wanted, [rows] * others, shuffles=50, seed=1)
        np.testing.assert_array_equal(first, wanted)
        np.testing.assert_array_equal(second, others)


@pytest.mark.parametrize("replicas", [1, 2, 11])
def test_shuffles_do_not_depend_on_the_block_size(
    replicas: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistics = RANDOM.integers(0, 9, (2 * replicas, 13, 3)).astype(float)
    found = []
    for block in (1, 1 << 22):
        monkeypatch.setattr(randomization, "BLOCK", block)
        sides = list(statistics[:replicas]), list(statistics[replicas:])
        found.append(shuffled_sums(*sides, shuffles=70, seed=5))
    np.testing.assert_array_equal(found[0], found[1])


def test_systems_that_differ_in_three_sentences_are_not_significantly_different() -> None:
    baseline = RANDOM.integers(1, 9, (200, 1)).astype(float)
    system = baseline + (np.arange(200) < 3)[:, None]
    sides = [np.hstack([side, np.ones((200, 1))]) for side in (system, baseline)]
    found = compare_replicas([sides[0]], [sides[1]], Column())
    assert found.p_value == pytest.approx(0.25, abs=0.02)
    assert compare_replicas([sides[0]], [sides[0]], Column()).p_value == 1.0


def test_copies_of_replicas_change_nothing_if_they_change_sides_together() -> None:
    metric = Bleu()
    first, second = (of(metric, garbled(REFERENCES[0], 0.3, seed)) for seed in (1, 2))
    once = compare_replicas([first], [second], metric)
    for copies in ([first] * 3, [second] * 3), ([first] * 2, [second] * 3):
        assert compare_replicas(*copies, metric).p_value == once.p_value
        # MultEval's test takes the copies for evidence.
        apart = compare_replicas(*copies, metric, exchange="outputs")
        assert apart.p_value < once.p_value - 0.05


@pytest.mark.parametrize(("count", "others"), [(1, 1), (2, 2), (2, 3)])
def test_the_difference_of_mean_scores_is_judged_by_all_exchanges(count: int, others: int) -> None:
    metric = Bleu()
    texts = [garbled(REFERENCES[0], 0.15 if i < count else 0.3, i) for i in range(count + others)]
    # The first two make up for each other's lengths, if both are scored as one long output.
    texts[0] = [" ".join(text.split()[:-4]) for text in texts[0]]
    texts[1] = [f"{text} and so on and on" for text in texts[1]]
    outputs = [of(metric, text)[:9] for text in texts]
    system, baseline = outputs[:count], outputs[count:]

    def mean(chosen: Sequence[bool], one: list[Statistics], other: list[Statistics]) -> float:
        sides = [
            np.where(np.array(chosen)[:, None], one[k % len(one)], other[k % len(other)])
            for k in range(6)
        ]
        return float(np.mean([metric.score(side.sum(axis=0)) for side in sides]))

    def difference(chosen: Sequence[bool]) -> float:
        return abs(mean(chosen, system, baseline) - mean(chosen, baseline, system))

    differences = [difference(chosen) for chosen in product([True, False], repeat=9)]
    found = compare_replicas(system, baseline, metric, shuffles=20_000, seed=3)
    assert differences[0] == pytest.approx(abs(found.difference))
    expected = np.mean(np.array(differences) >= differences[0] - 1e-9)
    assert found.p_value == pytest.approx(expected, abs=0.015)


def multeval(
    baseline: list[Statistics], system: list[Statistics], metric: Metric, *, seed: int, within: str
) -> float:
    """Return what MultEval computes: the outputs of all runs are one long list on each side.

    Its first version exchanges each output with that of the run of the same number, later ones deal
    out all outputs of a sentence. It counts larger differences only.
    """
    coins, shuffles, larger = random.Random(seed), 1500, 0

    def difference(first: Statistics, second: Statistics) -> float:
        return abs(float(metric.score(first)) - float(metric.score(second)))

    observed = difference(sum(m.sum(axis=0) for m in baseline), sum(m.sum(axis=0) for m in system))
    for _ in range(shuffles):
        sides = [np.zeros_like(baseline[0][0]), np.zeros_like(baseline[0][0])]
        for sentence in range(len(baseline[0])):
            a, b = ([run[sentence] for run in runs] for runs in (baseline, system))
            if within == "sentence":
                outputs = a + b
                coins.shuffle(outputs)
                a, b = outputs[: len(a)], outputs[len(a) :]
            else:
                for i in range(len(a)):
                    if coins.random() < 0.5:
                        a[i], b[i] = b[i], a[i]
            sides[0] += sum(a)
            sides[1] += sum(b)
        larger += difference(*sides) > observed
    return (larger + 1) / (shuffles + 1)


@pytest.mark.parametrize("rates", [(0.30, 0.295), (0.30, 0.285), (0.30, 0.27)])
def test_exchanged_outputs_have_the_p_value_of_multeval(rates: tuple[float, float]) -> None:
    metric = Bleu()
    baseline, system = (
        [of(metric, garbled(REFERENCES[0], rate, seed + 10 * i)) for seed in range(3)]
        for i, rate in enumerate(rates)
    )
    p = compare_replicas(system, baseline, metric, shuffles=20_000, exchange="outputs").p_value
    error = 4 * np.sqrt(p * (1 - p) / 1500)
    assert multeval(baseline, system, metric, seed=1, within="sentence") == pytest.approx(
        p, abs=error
    )
    # Outputs of a sentence by different runs are no more alike here than those of both systems.
    assert multeval(baseline, system, metric, seed=1, within="run") == pytest.approx(p, abs=error)


def test_a_system_does_not_differ_from_itself_as_it_does_for_multeval() -> None:
    """MultEval's own example compares a system with itself, and reports p = 0.00."""
    metric = Bleu()
    runs = [of(metric, garbled(REFERENCES[0], 0.3, seed)) for seed in range(3)]
    assert multeval(runs, runs, metric, seed=1, within="run") == 1 / 1501
    assert compare_replicas(runs, runs, metric, exchange="outputs").p_value == 1.0


def test_scores_and_deviations_are_those_of_the_replicas() -> None:
    metric = Bleu()
    system = [of(metric, garbled(REFERENCES[0], 0.2, seed)) for seed in range(3)]
    baseline = [of(metric, garbled(REFERENCES[0], 0.3, seed)) for seed in (5, 6)]
    found = compare_replicas(system, baseline, metric, shuffles=100)
    scores = [float(metric.score(each.sum(axis=0))) for each in system]
    assert found.scores == scores
    assert found.deviation == pytest.approx(np.std(scores, ddof=1))
    assert found.difference == pytest.approx(np.mean(scores) - np.mean(found.baseline_scores))
    assert found.p_value == 1 / 101
    assert deviation([30.0]) is None


def test_ten_thousand_shuffles_of_three_replicas_take_seconds() -> None:
    statistics = RANDOM.integers(0, 9, (6, 2000, 9)).astype(float)
    start = perf_counter()
    shuffled_sums(list(statistics[:3]), list(statistics[3:]), shuffles=10_000, seed=1)
    assert perf_counter() - start < 20


def test_nothing_to_shuffle_is_an_error() -> None:
    rows = np.ones((2, 2))
    with pytest.raises(ConfigError, match="shuffles must be >= 1, got 0"):
        shuffled_sums([rows], [rows], shuffles=0, seed=1)
    with pytest.raises(DataError, match="at least one replica"):
        shuffled_sums([rows], [], shuffles=1, seed=1)
    with pytest.raises(DataError, match="same number of sentences"):
        shuffled_sums([rows], [rows[:1]], shuffles=1, seed=1)
