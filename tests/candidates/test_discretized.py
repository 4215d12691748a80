"""Discretized lists and forests, by hand, and whole runs on them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from candidate_files import CandidateFiles, write_candidates
from hopefear.candidates.discretized import discretize_forest, discretize_lists, learn_bins
from hopefear.errors import DataError
from hopefear.events import CheckpointWritten, RunStarted
from hopefear.forest import ForestBuilder
from hopefear.formats import write_forests, write_nbest
from hopefear.learners import learners
from hopefear.nbest import NBestBuilder
from hopefear.regularizers import LinearNeighbors
from hopefear.runs.options import build_settings
from hopefear.translation.features.bins import Discretization, read_bins, split_bin_name
from hopefear.types import Hypothesis, Segment, Vocabulary, Weights
from tuning_sets import garbled_forests


def test_a_hypothesis_has_the_bins_of_its_values() -> None:
    builder = NBestBuilder()
    builder.add(0, "a", {"p": 0.1, "w": 1.0, "lm": -1.0, "one": 1.0})
    builder.add(0, "b", {"p": 0.2, "w": 2.0, "lm": -2.0, "one": 1.0})
    builder.add(1, "c", {"p": 0.9, "lm": -3.0})
    lists = builder.finish()
    how = Discretization(bits=4, features=("p", "w", "one"), kept=("w",))
    bins = learn_bins(lists, how)
    assert list(bins) == ["p", "w"]  # the third has one value only
    found = discretize_lists(lists, bins, Vocabulary())
    assert [found.features_of(row) for row in range(3)] == [
        {"p#0": 1.0, "w#0": 1.0, "w": 1.0, "lm": -1.0, "one": 1.0},
        {"p#1": 1.0, "w#1": 1.0, "w": 2.0, "lm": -2.0, "one": 1.0},
        {"p#2": 1.0, "lm": -3.0},
    ]
    overlapping = learn_bins(lists, replace(how, overlap=True))
    assert discretize_lists(lists, overlapping, Vocabulary()).features_of(0) == {
        "p#0": 1.0, "p#1": 1.0, "w#0": 1.0, "w#1": 1.0, "w": 1.0, "lm": -1.0, "one": 1.0,
    }  # fmt: skip


def test_a_derivation_counts_the_bins_of_its_edges_as_in_figure_3() -> None:
    """H = {TM,0.1: 2, TM,0.2: 1, Count,2: 1}, out of local values 0.1, 0.1 and 0.2."""
    builder = ForestBuilder()
    nodes = [builder.add_node() for _ in range(3)]
    tm, count = {"TM": 0.1}, {"TM": 0.1, "Count": 2.0}
    builder.add_edge(nodes[0], target=["el"], features=tm)
    builder.add_edge(nodes[1], tails=[nodes[0]], target=[0, "gato"], features=count)
    builder.add_edge(nodes[2], tails=[nodes[1]], target=[0, "come"], features={"TM": 0.2})
    builder.set_root(nodes[2])
    forest = builder.build()
    bins = learn_bins([forest], Discretization(bits=1, kept=()))
    found = discretize_forest(forest, bins, Vocabulary()).viterbi(Weights())
    assert found.features == {"TM#0": 2.0, "TM#1": 1.0, "Count": 2.0}
    assert found.text == forest.viterbi(Weights()).text


@pytest.fixture
def files(tmp_path: Path) -> tuple[CandidateFiles, CandidateFiles]:
    return (
        write_candidates(tmp_path, sentences=60, size=15),
        write_candidates(tmp_path, "dev", sentences=40, size=15, seed=2),
    )


def options(files: tuple[CandidateFiles, CandidateFiles]) -> dict[str, Any]:
    tuning, dev = files
    return {
        "nbest": tuning.nbest,
        "refs": tuning.refs,
        "dev_nbest": dev.nbest,
        "dev_refs": dev.refs,
        "tokenize": "none",
    }


@pytest.mark.parametrize("shape", ["l2", "lnr", "mnr"])
def test_a_run_learns_the_shape_of_features_and_reranking_uses_it(
    files: tuple[CandidateFiles, CandidateFiles], tmp_path: Path, shape: str
) -> None:
    learned = hopefear.tune(
        "pro",
        **options(files),
        discretize={"bits": 4, "kept": []},
        learner={"regularizer": shape},
        out=tmp_path / "run",
    )
    bins = read_bins(tmp_path / "run" / "bins.tsv")
    assert set(bins) == {"tm", "words", "reordering", "noise", "lm"}
    assert len(bins["lm"]) == 16
    names = {name for name, own in bins.items() for name in own.names(name)}
    assert names == set(learned.weights)
    started = next(event for event in learned.events if isinstance(event, RunStarted))
    # Every bin starts where its values would be.
    assert started.weights["tm#3"] == pytest.approx(bins["tm"].mean[3])
    for role, score in zip(files, (learned.tuning_score, learned.dev_score), strict=True):
        found = hopefear.rerank(nbest=role.nbest, weights=tmp_path / "run")
        given = {"ours": list(found)}
        judged = hopefear.evaluate(
            hyp=given, refs=[list(role.references)], tokenize="none", resamples=0
        )
        assert judged.systems[0].metrics["bleu"].score == pytest.approx(score)
        # The lists keep the features that they have.
        assert set(next(found.segments()).hypotheses[0].features) == set(bins)
    hopefear.inspect(tmp_path / "run", sentence="0", out=tmp_path / "cloud.svg")


def test_bins_follow_a_curve_that_no_weight_can(tmp_path: Path) -> None:
    """A feature that tells how good a translation is, but neither by more nor by less."""
    draw = np.random.default_rng(1)
    segments, references = [], []
    for sentence in range(60):
        right = [f"w{sentence}x{i}" for i in range(10)]
        hypotheses = []
        for kept in draw.permutation(11)[:8]:
            words = right[:kept] + ["no"] * (10 - kept)
            score = float([3, 9, 1, 7, 5, 0, 8, 2, 6, 10, 4][kept])
            features = {"score": score, "noise": draw.normal()}
            hypotheses.append(Hypothesis(text=" ".join(words), features=features))
        segments.append(Segment(sentence=sentence, hypotheses=tuple(hypotheses)))
        references.append(" ".join(right))
    write_nbest(tmp_path / "lists", segments, "moses")
    (tmp_path / "refs").write_text("".join(f"{text}\n" for text in references))
    given: dict[str, Any] = {
        "nbest": tmp_path / "lists",
        "refs": tmp_path / "refs",
        "tokenize": "none",
    }
    linear = hopefear.tune("pro", **given)
    curved = hopefear.tune("pro", **given, discretize={"bits": 4, "features": ["score"]})
    assert curved.tuning_score is not None
    assert linear.tuning_score is not None
    assert curved.tuning_score > linear.tuning_score + 10


def test_a_stopped_run_goes_on_with_the_same_bins(
    files: tuple[CandidateFiles, CandidateFiles], tmp_path: Path
) -> None:
    given = options(files) | {"discretize": {"bits": 3}, "epochs": 4}
    whole = hopefear.tune("kbest-mira", **given, out=tmp_path / "whole")
    events = hopefear.tune_events("kbest-mira", **given, out=tmp_path / "run")
    while not (isinstance(event := next(events), CheckpointWritten) and event.epoch >= 1):
        pass
    del events
    assert hopefear.resume_tuning(tmp_path / "run").weights == whole.weights


def test_forests_are_discretized_edge_by_edge(tmp_path: Path) -> None:
    forests, references = garbled_forests(sentences=20, seed=3)
    write_forests(tmp_path / "f.forests", enumerate(forests))
    (tmp_path / "refs").write_text("".join(f"{text}\n" for (text,) in references))
    given: dict[str, Any] = {"forests": tmp_path / "f.forests", "refs": tmp_path / "refs"}
    learned = hopefear.tune(
        "forest-mira", **given, discretize={"bits": 2}, epochs=3, out=tmp_path / "run"
    )
    assert any(split_bin_name(name) for name in learned.weights)
    texts = list(hopefear.rerank(forests=given["forests"], weights=tmp_path / "run"))
    judged = hopefear.evaluate(
        hyp={"a": texts}, refs=[tmp_path / "refs"], tokenize="none", resamples=0
    )
    assert judged.systems[0].metrics["bleu"].score == pytest.approx(learned.tuning_score)
    hopefear.inspect(tmp_path / "run", sentence="1", out=tmp_path / "cloud.svg")


def test_what_is_discretized_can_be_said_in_several_ways() -> None:
    data = {"tuning.nbest": ["n"], "tuning.references": ["r"]}
    expected = Discretization(bits=3, overlap=True)
    assert build_settings("pro", data).discretize is None
    text = build_settings("pro", {**data, "discretize": "bits=3,overlap=true"})
    keys = build_settings("pro", {**data, "discretize.bits": 3, "discretize.overlap": True})
    later = build_settings("pro", data, assignments=["discretize={bits=3, overlap=true}"])
    assert text.discretize == keys.discretize == later.discretize == expected


def test_features_that_are_not_there_cannot_be_discretized(
    files: tuple[CandidateFiles, CandidateFiles],
) -> None:
    with pytest.raises(DataError, match="no feature that varies matches zork; the tuning data"):
        hopefear.tune("pro", **options(files), discretize="features=zork")


ON_LISTS = ["kbest-mira", "oro", "pro", "rampion", "sgd", "structured-svm"]
ONLINE = ["arow", "min-risk", "mira", "online-sgd", "perceptron"]
ON_FORESTS = ["forest-mira", "forest-rampion", "lbfgs", *ONLINE]


def test_neighbors_are_tried_with_every_learner_that_has_a_regularizer() -> None:
    having = [name for name in learners if hasattr(learners[name](), "regularizer")]
    assert sorted(ON_LISTS + ON_FORESTS) == sorted(having)


@pytest.mark.parametrize("name", ON_LISTS + ON_FORESTS)
def test_with_every_learner_strong_neighbors_make_lines_of_shapes(
    files: tuple[CandidateFiles, CandidateFiles], tmp_path: Path, name: str
) -> None:
    data: dict[str, Any] = {"nbest": files[0].nbest, "refs": files[0].refs}
    if name in ON_FORESTS:
        forests, references = garbled_forests(sentences=16, seed=3)
        write_forests(tmp_path / "f.forests", enumerate(forests))
        (tmp_path / "refs").write_text("".join(f"{text}\n" for (text,) in references))
        data = {"forests": tmp_path / "f.forests", "refs": tmp_path / "refs"}

    # A line search to the start, which is not a line, does not look at the penalty.
    own = ["rhythm.line_search=false"] if name == "oro" else []

    def bent(strength: float) -> float:
        shape = f"learner.regularizer={{name='lnr',strength={strength},l2=0.01}}"
        found = hopefear.tune(
            name, **data, tokenize="none", discretize="bits=3,kept=[]", epochs=1, set=[shape, *own]
        ).weights
        weights = np.array(list(found.values()))
        return LinearNeighbors(l2=0.0).bind(list(found), weights).value(weights)

    assert bent(1e9) < 1e-3 * bent(0.0)
