"""Clouds of n-best lists: hope and fear by their definitions."""

from pathlib import Path

import numpy as np
import pytest

from hopefear.demo.synthetic import START
from hopefear.errors import DataError, FormatError
from hopefear.inspection import CloudOptions, list_cloud, read_cloud, write_cloud
from hopefear.inspection.worth import Worth
from hopefear.learners import TuningSet
from hopefear.metrics import Bleu, Column, OracleDocument, References, Ter
from hopefear.nbest import NBestBuilder
from hopefear.types import Weights
from tuning_sets import synthetic_set


@pytest.fixture
def data() -> TuningSet:
    return synthetic_set(sentences=8, size=15)


def test_hope_and_fear_have_the_largest_score_plus_and_minus_gain(data: TuningSet) -> None:
    for sentence in range(8):
        cloud = list_cloud(data, START, sentence)
        lists, rows = data.nbest, data.nbest.rows(sentence)
        statistics = lists.statistics
        assert statistics is not None
        firsts = [
            max(lists.rows(s), key=lambda row: START.dot(lists.features_of(row))) for s in range(8)
        ]
        start = Bleu().corpus_score().first_document()
        document = OracleDocument(statistics=start + 9 * statistics[firsts].mean(axis=0))
        gains = dict(zip(rows, document.gains(statistics[rows.start : rows.stop]), strict=True))
        scores = {row: START.dot(lists.features_of(row)) for row in rows}
        hope = max(rows, key=lambda row: scores[row] + gains[row])
        fear = max(rows, key=lambda row: scores[row] - gains[row])
        assert cloud.hope.point.text == lists.text(hope)
        assert cloud.fear.point.text == lists.text(fear)
        assert cloud.best.point.text == lists.text(firsts[sentence])
        assert cloud.hope.gain == pytest.approx(gains[hope], rel=1e-9)
        assert cloud.hope.point.score == pytest.approx(scores[hope], rel=1e-9)
        assert cloud.fear.features == lists.features_of(fear)


def test_every_hypothesis_is_in_the_cloud_once_with_its_worth(data: TuningSet) -> None:
    cloud = list_cloud(data, START, 3, CloudOptions(listed=4, others=100))
    lists, rows = data.nbest, data.nbest.rows(3)
    scores = [point.score for point in cloud.listed]
    assert len(cloud.listed) == 4
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= max(point.score for point in cloud.others)
    points = [*cloud.listed, *cloud.others]
    assert sorted(point.text for point in points) == sorted(lists.text(row) for row in rows)
    assert lists.statistics is not None
    worth = 100 * Bleu().gains(lists.statistics[rows.start : rows.stop])
    assert sorted(point.worth for point in points) == sorted(worth.tolist())


def test_the_same_seed_draws_the_same_others(data: TuningSet) -> None:
    first, again, other = (
        list_cloud(data, START, 0, CloudOptions(listed=2, others=5, seed=seed))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert len(first.others) == 5
    assert first.others != other.others


def test_features_that_differ_are_sorted_by_their_share_of_the_margin(data: TuningSet) -> None:
    cloud = list_cloud(data, START, 0)
    differences = cloud.differences()
    shares = [item.share for item in differences]
    assert shares == sorted(shares, key=abs, reverse=True)
    margin = cloud.hope.point.score - cloud.fear.point.score
    assert sum(shares) == pytest.approx(margin, abs=1e-9)
    assert cloud.differences(1) == differences[:1]


def test_a_cloud_that_is_written_is_read_again(data: TuningSet, tmp_path: Path) -> None:
    cloud = list_cloud(data, START, 1, references=["<b> é"], name="key/1")
    write_cloud(tmp_path / "cloud.json", cloud)
    assert read_cloud(tmp_path / "cloud.json") == cloud


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"sentence": 1}', "\udcff"])
def test_a_broken_file_is_no_cloud(content: str, tmp_path: Path) -> None:
    path = tmp_path / "cloud.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(FormatError, match=r"cloud\.json: "):
        read_cloud(path)


def test_a_sentence_without_hypotheses_has_no_cloud() -> None:
    builder = NBestBuilder()
    builder.add(1, "a", {"lm": 1.0})
    lists = builder.finish()
    metric = Bleu(tokenize="none")
    metric.prepare(References([["a"], ["b"]])).set_statistics(lists)
    data = TuningSet(nbest=lists, metric=metric)
    with pytest.raises(DataError, match="sentence 0 has no hypotheses"):
        list_cloud(data, Weights({"lm": 1.0}), 0)
    only = list_cloud(data, Weights({"lm": 1.0}), 1)
    assert only.hope.point == only.fear.point == only.best.point


def test_other_metrics_are_worth_their_gains() -> None:
    statistics = np.array([[2.0, 10.0], [0.0, 10.0]])
    ter = Worth.typical(Ter(), statistics)
    assert ter.shown(statistics).tolist() == [-20.0, 0.0]
    assert ter.gains(statistics).tolist() == [-0.2, 0.0]
    assert ter.name == "minus TER of the sentence"
    column = Column(label="comet", higher_is_better=True)
    values = column.statistics(np.array([0.5, 0.75]))
    assert Worth.typical(column, values).shown(values).tolist() == [0.5, 0.75]
