"""Clouds: of lists by the definitions of hope and fear, of forests against the enumeration."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from hopefear.candidates import ListSet
from hopefear.demo.synthetic import START
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.forest import Forest, ForestBuilder
from hopefear.inspection import read_cloud, write_cloud
from hopefear.inspection.build import (
    CloudOptions,
    Worth,
    derivation_tree,
    draw_guides,
    forest_cloud,
    list_cloud,
)
from hopefear.metrics import Bleu, Column, OracleDocument, References, Ter
from hopefear.nbest import NBestBuilder
from hopefear.search import Example, NBestSearch, searches
from hopefear.types import Weights
from strategies import forests, whole
from tuning_sets import synthetic_set

BLEU = Bleu(tokenize="none")
ALL = 10_000  # more than a random forest has derivations
texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=9).map(" ".join)


def weights_of(forest: Forest, seed: int) -> Weights:
    values = np.random.default_rng(seed).integers(-3, 4, len(forest.feature_names))
    return Weights.from_vector(forest.feature_names, values.astype(float))


@given(forests(whole), texts, st.integers(0, 9))
def test_the_cloud_of_a_forest_equals_its_enumeration(
    forest: Forest, reference: str, seed: int
) -> None:
    weights = weights_of(forest, seed)
    prepared = BLEU.prepare(References([[reference]]))
    context = [Example(forest, 0, prepared, weights.vector(forest.feature_names)).best]
    cloud = forest_cloud(
        forest,
        prepared,
        BLEU,
        weights,
        0,
        CloudOptions(search=NBestSearch(size=ALL), listed=ALL),
        context=context,
    )
    scores = forest.score_edges(weights).tolist()
    start = OracleDocument().statistics
    document = OracleDocument(statistics=start + 9 * context[0].statistics)
    points, hopes, fears = [], [], []
    for derivation in brute_force.derivations(forest):
        text = " ".join(brute_force.words(forest, derivation))
        statistics = prepared.statistics([text])
        score = brute_force.score(derivation, scores)
        gain = float(document.gains(statistics)[0])
        points.append((text, score, 100 * float(BLEU.gains(statistics)[0])))
        hopes.append(score + gain)
        fears.append(score - gain)
    found = sorted((point.text, point.score, point.worth) for point in cloud.listed)
    expected = sorted(points)
    assert [point[:2] for point in found] == [point[:2] for point in expected]
    assert [p[2] for p in found] == pytest.approx([p[2] for p in expected], rel=1e-9)
    assert cloud.hope.point.score + cloud.hope.gain == pytest.approx(max(hopes), rel=1e-9)
    assert cloud.fear.point.score - cloud.fear.gain == pytest.approx(max(fears), rel=1e-9)
    assert cloud.best.point.score == max(point.score for point in cloud.listed)
    assert {(p.text, p.score) for p in cloud.others} <= {(p.text, p.score) for p in cloud.listed}
    assert cloud.listed_hope is None
    assert cloud.size == f"{len(points):,} derivations"


@given(forests(whole), texts, st.sampled_from(sorted(searches)))
def test_hope_and_fear_within_the_list_are_marked_if_the_search_looks_elsewhere(
    forest: Forest, reference: str, name: str
) -> None:
    weights = weights_of(forest, 1)
    prepared = BLEU.prepare(References([[reference]]))
    cloud = forest_cloud(
        forest,
        prepared,
        BLEU,
        weights,
        0,
        CloudOptions(search=searches[name](), listed=3, others=5),
    )
    assert cloud.search == f"{name} search"
    assert len(cloud.listed) <= 3
    if name == "nbest":
        assert cloud.listed_hope is None
    else:
        assert cloud.listed_hope in cloud.listed
        assert cloud.listed_fear in cloud.listed


def glue(parts: list[str]) -> Forest:
    """Return a forest whose top edges only concatenate words."""
    builder = ForestBuilder()
    left = builder.add_node(begin=0, covered=0)
    builder.add_edge(left)
    for i, word in enumerate(parts):
        part = builder.add_node(begin=i, covered=1)
        inner = builder.add_node(begin=i, covered=1)
        builder.add_edge(inner, target=[word], features={"lm": 1.0})
        builder.add_edge(part, tails=[inner], target=["(", 0, ")"])
        following = builder.add_node(begin=0, covered=i + 1)
        builder.add_edge(following, tails=[left, part], target=[0, 1])
        left = following
    builder.set_root(left)
    return builder.build()


def test_edges_that_only_concatenate_are_left_out_of_the_tree() -> None:
    best = glue(["a", "b"]).viterbi(Weights({"lm": 1.0}))
    assert derivation_tree(best) == ("( [0] ) <0:1>", "└─a <0:1>", "( [0] ) <1:2>", "└─b <1:2>")


def test_edges_that_change_the_order_stay() -> None:
    builder = ForestBuilder()
    nodes = [builder.add_node() for _ in range(3)]
    builder.add_edge(nodes[0], target=["x"])
    builder.add_edge(nodes[1], target=["y"])
    builder.add_edge(nodes[2], tails=nodes[:2], target=[1, 0])
    builder.set_root(nodes[2])
    tree = derivation_tree(builder.build().viterbi(Weights({})))
    assert tree == ("[1] [0]", "├─x", "└─y")


def test_guides_join_siblings_and_end_at_the_last() -> None:
    assert draw_guides([0, 1, 2, 2, 1, 2, 0]) == ["", "├─", "│ ├─", "│ └─", "└─", "  └─", ""]


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_the_temperature_is_positive(value: float) -> None:
    with pytest.raises(ConfigError, match=r"temperature must be .*> 0"):
        CloudOptions(temperature=value)


def test_at_least_one_candidate_is_listed() -> None:
    with pytest.raises(ConfigError, match="listed must be"):
        CloudOptions(listed=0)


@pytest.fixture
def data() -> ListSet:
    return synthetic_set(sentences=8, size=15)


def test_hope_and_fear_have_the_largest_score_plus_and_minus_gain(data: ListSet) -> None:
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


def test_every_hypothesis_is_in_the_cloud_once_with_its_score(data: ListSet) -> None:
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


def test_the_same_seed_draws_the_same_others(data: ListSet) -> None:
    first, again, other = (
        list_cloud(data, START, 0, CloudOptions(listed=2, others=5, seed=seed))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert len(first.others) == 5
    assert first.others != other.others


def test_differing_features_are_sorted_by_their_share_of_the_margin(data: ListSet) -> None:
    cloud = list_cloud(data, START, 0)
    differences = cloud.differences()
    shares = [item.share for item in differences]
    assert shares == sorted(shares, key=abs, reverse=True)
    margin = cloud.hope.point.score - cloud.fear.point.score
    assert sum(shares) == pytest.approx(margin, abs=1e-9)
    assert cloud.differences(1) == differences[:1]


def test_reading_returns_the_cloud_that_was_written(data: ListSet, tmp_path: Path) -> None:
    cloud = list_cloud(data, START, 1, references=["<b> é"], name="key/1")
    write_cloud(tmp_path / "cloud.json", cloud)
    assert read_cloud(tmp_path / "cloud.json") == cloud


def test_candidates_that_do_not_fit_together_are_refused(data: ListSet, tmp_path: Path) -> None:
    cloud, path = list_cloud(data, START, 1), tmp_path / "cloud.json"
    longer = replace(cloud.hope, statistics=(*cloud.hope.statistics, 1.0))
    for damaged in (replace(cloud, hope=longer), replace(cloud, listed=())):
        write_cloud(path, damaged)
        with pytest.raises(FormatError, match=r"cloud\.json: its candidates do not fit together"):
            read_cloud(path)


@pytest.mark.parametrize("content", ["", "[]", "[" * 9000, "{}", '{"sentence": 1}', "\udcff"])
def test_a_broken_file_is_refused(content: str, tmp_path: Path) -> None:
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
    data = ListSet(nbest=lists, metric=metric)
    with pytest.raises(DataError, match="sentence 0 has no hypotheses"):
        list_cloud(data, Weights({"lm": 1.0}), 0)
    only = list_cloud(data, Weights({"lm": 1.0}), 1)
    assert only.hope.point == only.fear.point == only.best.point


def test_other_metrics_use_their_own_gains() -> None:
    statistics = np.array([[2.0, 10.0], [0.0, 10.0]])
    ter = Worth.typical(Ter(), statistics)
    assert ter.shown(statistics).tolist() == [-20.0, 0.0]
    assert ter.gains(statistics).tolist() == [-0.2, 0.0]
    assert ter.name == "minus sentence TER"
    column = Column(label="comet", higher_is_better=True)
    values = column.statistics(np.array([0.5, 0.75]))
    assert Worth.typical(column, values).shown(values).tolist() == [0.5, 0.75]
