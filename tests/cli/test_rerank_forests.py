"""`hopefear rerank --forests`: the best translation of each forest, or lists of the best."""

from pathlib import Path

import pytest

from command_line import Hopefear
from hopefear import rerank
from hopefear.errors import ConfigError, DataError
from hopefear.forest import ForestBuilder
from hopefear.formats import read_nbest, write_forests
from hopefear.types import Weights
from tuning_sets import FOREST_START, garbled_forests


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    forests, _ = garbled_forests(sentences=4, longest=5, boundaries=True)
    write_forests("some.forests", [(0, forests[0]), (2, forests[2]), (3, forests[3])])
    write_forests("moses", [(0, forests[0]), (1, forests[1])], "moses-hypergraph")
    Path("weights.tsv").write_text("".join(f"{name}\t{w}\n" for name, w in FOREST_START.items()))
    return tmp_path


def best(sentence: int) -> str:
    forests, _ = garbled_forests(sentences=4, longest=5)
    return forests[sentence].viterbi(FOREST_START).text


def test_the_best_of_each_forest_is_printed_in_order(folder: Path, hopefear: Hopefear) -> None:
    found = hopefear("rerank", "--forests", "some.forests", "--weights", "weights.tsv")
    assert found.out == f"{best(0)}\n\n{best(2)}\n{best(3)}\n"
    found = hopefear("rerank", "--forests", "moses", "--weights", "weights.tsv", "--sentences", "3")
    assert found.out == f"{best(0)}\n{best(1)}\n\n"


def test_lists_of_the_best_have_different_words_and_their_scores(
    folder: Path, hopefear: Hopefear
) -> None:
    options = ["--nbest-out", "lists", "--size", "7"]
    hopefear("rerank", "--forests", "moses", "--weights", "weights.tsv", *options)
    forests, _ = garbled_forests(sentences=2, longest=5)
    segments = list(read_nbest("lists"))
    assert [segment.sentence for segment in segments] == [0, 1]
    for segment, forest in zip(segments, forests, strict=True):
        expected = forest.kbest(FOREST_START, 7, distinct=True)
        assert [h.text for h in segment.hypotheses] == [d.text for d in expected]
        for hypothesis in segment.hypotheses:
            score = sum(w * hypothesis.features.get(n, 0.0) for n, w in FOREST_START.items())
            assert hypothesis.score == pytest.approx(score, abs=1e-4)


@pytest.mark.filterwarnings("ignore:features of the forests without a weight")
@pytest.mark.parametrize("features", [{}, {"unknown": 1.0}])
def test_a_first_forest_without_the_features_of_the_others_is_a_forest(
    folder: Path, features: dict[str, float]
) -> None:
    """It may be one unknown word."""
    builder = ForestBuilder()
    builder.add_edge(builder.add_node(), target=["zork"], features=features)
    builder.set_root(0)
    forests, _ = garbled_forests(sentences=2, longest=5)
    write_forests("graphs", [(0, builder.build()), (1, forests[1])], "travatar-forest")
    assert list(rerank(forests="graphs", weights=FOREST_START)) == ["zork", best(1)]


def test_a_number_far_beyond_the_forests_is_an_error_unless_there_are_so_many(folder: Path) -> None:
    forests, _ = garbled_forests(sentences=1, longest=5)
    write_forests("far.forests", [(0, forests[0]), (1_000_002, forests[0])], "hopefear")
    message = r"far.forests: there is a sentence 1000002, but forests of 2 sentences only"
    with pytest.raises(DataError, match=message):
        list(rerank(forests="far.forests", weights=FOREST_START))
    texts = list(rerank(forests="far.forests", weights=FOREST_START, sentences=1_000_003))
    assert (texts[0], texts[1], texts[-1], len(texts)) == (best(0), "", best(0), 1_000_003)


def test_weights_of_other_features_are_an_error(folder: Path) -> None:
    with pytest.raises(DataError, match="the forests and the weights have no feature in common"):
        list(rerank(forests="some.forests", weights=Weights({"other": 1.0})))


@pytest.mark.parametrize("lists", [False, True])
def test_a_value_too_large_for_scores_is_told_with_its_place(folder: Path, lists: bool) -> None:
    builder = ForestBuilder()
    node = builder.add_node()
    for word, value in [("a", 1.0), ("b", -2e12)]:
        builder.add_edge(node, target=[word], features={"lm": 0.5, "tm": value})
    builder.set_root(node)
    write_forests("large", [(7, builder.build())])
    found = rerank(forests="large", weights=Weights({"lm": 1.0}))
    with pytest.raises(DataError, match=r"large: sentence 7: feature 'tm' of edge 2 is -2e\+12"):
        list(found.segments() if lists else found)


def test_doubtful_weights_are_a_warning(folder: Path, hopefear: Hopefear) -> None:
    names = list(FOREST_START)
    Path("typo.tsv").write_text("".join(f"{name}\t1\n" for name in [*names[1:], "typo"]))
    found = hopefear("rerank", "--forests", "some.forests", "--weights", "typo.tsv")
    assert found.code == 0
    assert found.err == (
        "hopefear: warning: weights of features that are in no forest: typo\n"
        f"hopefear: warning: features of the forests without a weight count nothing: {names[0]}\n"
    )
    Path("zero.tsv").write_text("".join(f"{name}\t0\n" for name in names))
    found = hopefear("rerank", "--forests", "some.forests", "--weights", "zero.tsv")
    assert "all weights of features of the forests are zero" in found.err


def test_either_lists_or_forests_are_reranked(folder: Path) -> None:
    with pytest.raises(ConfigError, match="either n-best lists or forests"):
        rerank(weights={"tm": 1.0})
    with pytest.raises(ConfigError, match="either n-best lists or forests"):
        rerank(nbest="lists", forests="moses", weights={"tm": 1.0})
    with pytest.raises(ConfigError, match="memory_limit is for lists"):
        rerank(forests="moses", weights={"tm": 1.0}, memory_limit=1000)
