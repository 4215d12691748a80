"""Scores of systems, the paired bootstrap, and the choice of metrics."""

import os
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

from garbled_systems import REFERENCES, garbled
from hopefear.errors import ConfigError, DataError
from hopefear.evaluation import (
    bootstrap,
    choose_metrics,
    compare,
    evaluate_systems,
    interval,
    resampled_sums,
)
from hopefear.metrics import Bleu, Chrf, References, Ter, TextMetric, Wer

RANDOM = np.random.default_rng(7)


TEXTS: list[tuple[str, Sequence[str]]] = [
    ("first", garbled(REFERENCES[0], 0.30, 1)),
    ("better", garbled(REFERENCES[0], 0.20, 2)),
    ("alike", garbled(REFERENCES[0], 0.30, 3)),
]
SYSTEMS = [(name, [texts]) for name, texts in TEXTS]


PAIRS: list[tuple[TextMetric, sacrebleu.metrics.base.Metric]] = [
    (Bleu(), sacrebleu.BLEU()),
    (Chrf(), sacrebleu.CHRF()),
    (Ter(), sacrebleu.TER()),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=["bleu", "chrf", "ter"])
def test_scores_intervals_and_p_values_equal_sacrebleus(
    ours: TextMetric, theirs: sacrebleu.metrics.base.Metric
) -> None:
    references = References.from_streams(REFERENCES)
    found = evaluate_systems(SYSTEMS, references, {"metric": ours}, resamples=200, seed=17)
    with mock.patch.dict(os.environ, {"SACREBLEU_SEED": "17"}):
        _, table = PairedTest(TEXTS, {"metric": theirs}, REFERENCES, "bs", n_samples=200)()
    judged: list[Any] = next(value for key, value in table.items() if key != "System")
    for system, expected in zip(found.systems, judged, strict=True):
        result = system.metrics["metric"]
        assert result.interval is not None
        assert result.score == pytest.approx(expected.score, rel=1e-9)
        # sacreBLEU sums in single precision
        assert result.interval.mean == pytest.approx(expected.mean, rel=1e-6)
        half = (result.interval.high - result.interval.low) / 2
        assert half == pytest.approx(expected.ci, rel=1e-6)
        if expected.p_value is None:
            assert result.against_first is None
        else:
            assert result.against_first is not None
            assert result.against_first.p_bootstrap == expected.p_value


def test_sums_of_drawn_rows_do_not_depend_on_the_block_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statistics = RANDOM.integers(0, 9, (11, 3)).astype(float)
    drawn = np.random.default_rng(5).choice(11, size=(30, 11))
    expected = statistics[drawn].sum(axis=1)
    for block in (1, 50, 1 << 22):
        monkeypatch.setattr(bootstrap, "BLOCK", block)
        (found,) = resampled_sums([statistics], resamples=30, seed=5)
        np.testing.assert_array_equal(found, expected)


def test_all_systems_see_the_same_test_sets() -> None:
    statistics = RANDOM.integers(0, 9, (11, 3)).astype(float)
    first, second = resampled_sums([statistics, 2 * statistics], resamples=9, seed=5)
    np.testing.assert_array_equal(second, 2 * first)


def test_a_system_is_not_better_than_itself() -> None:
    found = evaluate_systems(
        [SYSTEMS[0], SYSTEMS[0]], References.from_streams(REFERENCES), {"b": Bleu()}
    )
    against = found.systems[1].metrics["b"].against_first
    assert against is not None
    assert (against.p_bootstrap, against.p_randomization, against.wins) == (1.0, 1.0, 0.0)


def test_wins_are_counted_in_the_direction_of_better_scores() -> None:
    low, high = np.array([1.0, 1.0, 5.0, 1.0]), np.array([2.0, 3.0, 4.0, 1.0])
    assert compare(high, low, difference=1.0).wins == 0.5
    assert compare(high, low, difference=1.0, higher_is_better=False).wins == 0.25


def test_the_interval_excludes_a_fortieth_on_each_side() -> None:
    found = interval(RANDOM.permutation(np.arange(400.0)))
    assert (found.low, found.high, found.mean) == (10.0, 389.0, 199.5)


def test_without_resamples_there_are_only_scores() -> None:
    references = References.from_streams(REFERENCES)
    found = evaluate_systems(SYSTEMS, references, {"b": Bleu()}, resamples=0, shuffles=0)
    result = found.systems[1].metrics["b"]
    assert result.table().keys() == {"score", "signature", "difference"}


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    references = References.from_streams(REFERENCES)
    one, three = (
        evaluate_systems(
            SYSTEMS, references, {"b": Bleu(), "t": Ter()}, resamples=20, threads=threads
        )
        for threads in (1, 3)
    )
    assert one == three


def test_texts_and_references_of_different_length_are_named() -> None:
    references = References([["a"]], source="refs.txt")
    message = r"short has 0 sentences, but the references \(refs.txt\) have 1"
    with pytest.raises(DataError, match=message):
        evaluate_systems([("short", [[]])], references, {"b": Bleu()})


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(DataError, match="no sentences"):
        evaluate_systems([("none", [[]])], References([]), {"b": Bleu()})
    with pytest.raises(ConfigError, match="nothing to evaluate"):
        evaluate_systems([], References([["a"]]), {"b": Bleu()})
    with pytest.raises(ConfigError, match="resamples must be >= 0"):
        evaluate_systems([("a", [["a"]])], References([["a"]]), {"b": Bleu()}, resamples=-1)


def test_an_option_applies_to_the_metrics_that_have_it() -> None:
    found = choose_metrics(["bleu", "chrf", "ter", "wer"], tokenize="none", lowercase=True)
    assert list(found.values()) == [
        Bleu(tokenize="none", lowercase=True),
        Chrf(lowercase=True),
        Ter(),
        Wer(tokenize="none", lowercase=True),
    ]


def test_an_option_that_no_metric_has_is_an_error() -> None:
    with pytest.raises(ConfigError, match="\\(chrf, ter\\) has the option 'tokenize'"):
        choose_metrics(["chrf", "ter"], tokenize="none")


def test_ter_accepts_lowercase_because_it_ignores_case() -> None:
    assert choose_metrics(["ter"], lowercase=True) == {"ter": Ter()}


def test_an_unknown_metric_or_tokenizer_is_named_with_the_nearest_known() -> None:
    with pytest.raises(ConfigError, match="unknown metric 'belu'; did you mean 'bleu'"):
        choose_metrics(["belu"])
    with pytest.raises(
        ConfigError, match=r"metric 'bleu': tokenize: unknown value '13b'; did you mean '13a'"
    ):
        choose_metrics(["bleu"], tokenize="13b")


def test_a_column_of_scores_cannot_evaluate_texts() -> None:
    with pytest.raises(ConfigError, match="'column' does not compare texts"):
        choose_metrics(["column"])
