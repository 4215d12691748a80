"""What a run changed: the sentences that its directory keeps agree with what the run told."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from candidate_files import CandidateFiles, write_candidates
from hopefear import Model, resume_events
from hopefear import tune_events as tune
from hopefear.errors import FormatError
from hopefear.events import EpochFinished, Event, ReplicasFinished, RunFinished, RunStarted
from hopefear.formats import write_forests
from hopefear.learners import KBestMira
from hopefear.metrics import Bleu, References
from hopefear.runs.sentences import SENTENCES_FILE, Sentences, read_sentences
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from small_models import sentence_pairs, small_set, write_bitext
from tuning_sets import FOREST_START, garbled_forests


@pytest.fixture
def files(tmp_path: Path) -> CandidateFiles:
    return write_candidates(tmp_path)


def lists(files: CandidateFiles, out: Path, **options: Any) -> list[Event]:
    learner = options.pop("learner", KBestMira())
    common: dict[str, Any] = {
        "nbest": files.nbest,
        "refs": files.refs,
        "tokenize": "none",
        "epochs": 3,
    }
    return list(tune(learner, out=out, report=False, **{**common, **options}))


def kept(out: Path) -> Sentences:
    found = read_sentences(out / SENTENCES_FILE)
    assert found is not None
    return found


def score(sentences: Sentences, rows: Any) -> float:
    return float(sentences.metric.score(rows.sum(axis=0)))


def check_scores(events: list[Event], out: Path) -> Sentences:
    """Require that the sentences have the scores that the run told."""
    started = next(event for event in events if isinstance(event, RunStarted))
    end, sentences = events[-1], kept(out)
    assert isinstance(end, RunFinished | ReplicasFinished)
    told = [getattr(event, f"{sentences.role}_score") for event in (started, end)]
    found = [score(sentences, rows) for rows in (sentences.start, sentences.result)]
    assert found == pytest.approx(told, abs=1e-9)
    return sentences


def test_the_sentences_of_lists_have_the_scores_of_the_run(
    files: CandidateFiles, tmp_path: Path
) -> None:
    sentences = check_scores(lists(files, tmp_path / "run"), tmp_path / "run")
    assert (sentences.role, sentences.replicas) == ("tuning", [])
    references = files.refs.read_text(encoding="utf-8").splitlines()
    texts = sentences.texts([3, 0])
    assert [text.references for text in texts] == [(references[3],), (references[0],)]
    assert sentences.lengths.tolist() == [len(line.split()) for line in references]
    prepared = Bleu(tokenize="none").prepare(References([[line] for line in references]))
    all_texts = sentences.texts(range(len(references)))
    for side, statistics in (("start", sentences.start), ("result", sentences.result)):
        found = prepared.statistics([getattr(text, side) for text in all_texts])
        np.testing.assert_array_equal(found, statistics)


def test_sentences_without_names_are_numbered_and_fewer_than_before_are_an_error(
    files: CandidateFiles, tmp_path: Path
) -> None:
    lists(files, tmp_path / "run")
    sentences, file = kept(tmp_path / "run"), tmp_path / "run" / SENTENCES_FILE
    header, first, *_ = gzip.decompress(file.read_bytes()).splitlines()
    nameless = {key: value for key, value in json.loads(first).items() if key != "name"}
    file.write_bytes(gzip.compress(header + b"\n" + json.dumps(nameless).encode()))
    assert [text.name for text in kept(tmp_path / "run").texts([0])] == ["0"]
    with pytest.raises(FormatError, match="has changed and has fewer sentences now"):
        sentences.texts([0, 3])


def test_held_out_data_judge_a_run_that_has_some(files: CandidateFiles, tmp_path: Path) -> None:
    data = {"dev_nbest": files.nbest, "dev_refs": files.refs}
    sentences = check_scores(lists(files, tmp_path / "run", **data), tmp_path / "run")
    assert sentences.role == "dev"


def test_every_replica_has_its_statistics(files: CandidateFiles, tmp_path: Path) -> None:
    events = lists(files, tmp_path / "run", replicas=3)
    sentences = check_scores(events, tmp_path / "run")
    told = [event.tuning_score for event in events if isinstance(event, RunFinished)]
    assert [score(sentences, rows) for rows in sentences.replicas] == pytest.approx(told)


def test_a_run_that_was_stopped_keeps_the_same_sentences(
    files: CandidateFiles, tmp_path: Path
) -> None:
    lists(files, tmp_path / "whole", replicas=2)
    common: dict[str, Any] = {
        "nbest": files.nbest,
        "refs": files.refs,
        "tokenize": "none",
        "epochs": 3,
    }
    events = tune(KBestMira(), out=tmp_path / "run", report=False, replicas=2, **common)
    epochs = 0
    while epochs < 5:  # in the second replica
        epochs += isinstance(next(events), EpochFinished)
    del events
    list(resume_events(tmp_path / "run", report=False))
    first, second = (tmp_path / name / SENTENCES_FILE for name in ("whole", "run"))
    assert first.read_bytes() == second.read_bytes()


def test_the_sentences_of_forests_have_the_scores_of_the_run(tmp_path: Path) -> None:
    forests, references = garbled_forests(sentences=12, seed=1)
    write_forests(tmp_path / "forests", enumerate(forests))
    (tmp_path / "refs").write_text("".join(f"{text}\n" for (text,) in references))
    events = list(
        tune(
            "mert",
            forests=tmp_path / "forests",
            refs=tmp_path / "refs",
            tokenize="none",
            start=dict(FOREST_START),
            set=["learner.restarts=1"],
            out=tmp_path / "run",
            report=False,
        )
    )
    check_scores(events, tmp_path / "run")


def test_the_sentences_of_a_model_have_their_sources(tmp_path: Path) -> None:
    source, target = write_bitext(tmp_path, every=7)
    build(TrainSettings(source=source, target=target), tmp_path / "model")
    assert Model(tmp_path / "model").weights
    pairs = sentence_pairs()[3::60]
    (tmp_path / "f").write_text("".join(f"{f}\n" for f, _ in pairs))
    (tmp_path / "e").write_text("".join(f"{e}\n" for _, e in pairs))
    events = list(
        tune(
            "mira",
            model=tmp_path / "model",
            source=tmp_path / "f",
            refs=tmp_path / "e",
            dev_source=tmp_path / "f",
            dev_refs=tmp_path / "e",
            epochs=2,
            out=tmp_path / "run",
            report=False,
        )
    )
    sentences = check_scores(events, tmp_path / "run")
    assert [text.source for text in sentences.texts([0, 1])] == [f for f, _ in pairs[:2]]


def test_a_decoder_translates_the_first_and_the_best_weights_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, calls = small_set(tmp_path), 0
    translate = data.texts

    def counted(weights: Any) -> list[str]:
        nonlocal calls
        calls += 1
        return translate(weights)

    monkeypatch.setattr(data, "texts", counted)
    tried = [np.ones(len(data.feature_names)) * scale for scale in (-1.0, 1.0, 0.0)]
    scores = [data.score(weights) for weights in tried]
    assert scores[1] > scores[0]
    for weights in (tried[0], tried[int(np.argmax(scores))]):
        assert data.translations(weights).statistics.sum(axis=0) == pytest.approx(
            data.chosen(weights)
        )
    assert calls == 3
