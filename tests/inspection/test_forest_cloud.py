"""Clouds of forests, against the enumeration of all derivations."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest, ForestBuilder
from hopefear.formats.forests.store import ForestStore
from hopefear.inspection import CloudOptions, forest_cloud, inspect_forests
from hopefear.inspection.derivation_tree import derivation_tree, draw_guides
from hopefear.metrics import Bleu, OracleDocument, References, Ter
from hopefear.search import Example, Linear, NBest, searches
from hopefear.types import Weights
from strategies import forests, whole

BLEU = Bleu(tokenize="none")
ALL = 10_000  # more than a random forest has derivations
texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=9).map(" ".join)


def weights_of(forest: Forest, seed: int) -> Weights:
    values = np.random.default_rng(seed).integers(-3, 4, len(forest.feature_names))
    return Weights.from_vector(forest.feature_names, values.astype(float))


@given(forests(whole), texts, st.integers(0, 9))
def test_the_cloud_of_a_whole_forest_is_its_enumeration(
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
        CloudOptions(search=NBest(size=ALL), listed=ALL),
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
def test_hope_and_fear_among_the_listed_are_marked_if_the_search_looks_further(
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
    """Return a forest whose edges at the top only put words one after the other."""
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


def test_edges_that_only_join_parts_are_left_out_of_the_tree() -> None:
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


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "x.forests"
    ForestStore.write(path, [(i, glue(["a", "b", "c"][: i + 1])) for i in (0, 2)])
    (tmp_path / "refs").write_text("a\na b\na c\n")
    return path


def look(store: Path, sentence: str, metric: Bleu | Ter = BLEU, lm: str = "lm") -> str:
    refs = (store.parent / "refs",)
    weights = Weights({lm: 1.0})
    cloud = inspect_forests(store, refs, metric, weights, sentence, CloudOptions(search=Linear()))
    return cloud.best.point.text


def test_a_sentence_of_a_store_is_found(store: Path) -> None:
    assert look(store, "2") == "( a ) ( b ) ( c )"


def test_what_is_not_there_is_named(store: Path) -> None:
    with pytest.raises(DataError, match=r"x\.forests: has no forest of sentence 1"):
        look(store, "1")
    with pytest.raises(DataError, match="there is no sentence '3': they are 0 to 2"):
        look(store, "3")
    with pytest.raises(DataError, match="the forests and the weights have no feature in common"):
        look(store, "2", lm="ml")
    with pytest.raises(ConfigError, match="the metric must be BLEU with tokenize 'none'"):
        look(store, "2", metric=Bleu())
    with pytest.raises(ConfigError, match="the metric must be BLEU"):
        look(store, "2", metric=Ter())
    (store.parent / "refs").write_text("a\na\n")
    with pytest.raises(DataError, match="has a forest of sentence 2, which has no reference"):
        look(store, "0")


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_temperature_is_positive(value: float) -> None:
    with pytest.raises(ConfigError, match="temperature must be > 0"):
        CloudOptions(temperature=value)


def test_a_list_has_at_least_one() -> None:
    with pytest.raises(ConfigError, match="listed must be"):
        CloudOptions(listed=0)
