"""Sentences of stored forests, and of runs around a decoder."""

import json
import sys
from pathlib import Path

import pytest

import hopefear
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import ConfigError, DataError
from hopefear.forest import nbest_forest
from hopefear.formats.forests.store import ForestStore
from hopefear.inspection.build import CloudOptions
from hopefear.inspection.sources import inspect_forests
from hopefear.metrics import Bleu, Ter
from hopefear.search import Linear
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from hopefear.types import Hypothesis, Weights
from small_models import sentence_pairs, write_bitext
from stand_in_decoder import STAND_IN

TEXTS = [(0, "a"), (2, "a b c")]
BAD = "LM0=-0.3 p_e_given_f=-0.5 p_f_given_e=-0.5 WordPenalty=0.3"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("translating")
    source, target = write_bitext(folder, every=7)
    build(TrainSettings(source=source, target=target), folder / "model")
    for name, pairs in (("tune", sentence_pairs()[3::40]), ("dev", sentence_pairs()[5::60])):
        (folder / f"{name}.f").write_text("".join(f"{f}\n" for f, _ in pairs))
        (folder / f"{name}.e").write_text("".join(f"{e}\n" for _, e in pairs))
    for _ in hopefear.tune_events(
        "mira",
        model=folder / "model",
        source=folder / "tune.f",
        refs=folder / "tune.e",
        dev_source=folder / "dev.f",
        dev_refs=folder / "dev.e",
        tokenize="none",
        start=BAD,
        set=["rhythm.epochs=2", "learner.search=linear"],
        out=folder / "run",
    ):
        pass
    return folder / "run"


def test_a_sentence_is_translated_into_a_forest_by_the_model_of_the_run(run: Path) -> None:
    before = sorted((run / "parses").iterdir())
    cloud = hopefear.inspect(run, sentence=2)
    assert sorted((run / "parses").iterdir()) == before  # reused
    assert cloud.references == (sentence_pairs()[3::40][2][1],)
    assert cloud.search == "linear search"  # the learner's
    assert cloud.best.tree
    assert cloud.listed[0] == cloud.best.point
    assert cloud.hope.point.score + cloud.hope.gain >= cloud.best.point.score + cloud.best.gain
    assert (run / "clouds" / "2.json").is_file()
    other = hopefear.inspect(run, sentence=2, search="rerank", weights=dict.fromkeys(["LM0"], 1.0))
    assert other.search == "rerank search"


def test_held_out_sentences_can_be_inspected(run: Path) -> None:
    cloud = hopefear.inspect(run, sentence=1, dev=True)
    assert cloud.references == (sentence_pairs()[5::60][1][1],)


def test_a_missing_sentence_is_refused_with_the_range(run: Path) -> None:
    with pytest.raises(DataError, match=r"no sentence '99'.* 0 to 9"):
        hopefear.inspect(run, sentence=99)


def test_a_metric_with_other_tokens_than_the_forest_is_refused(run: Path, tmp_path: Path) -> None:
    home, out = run.parent, tmp_path / "run"
    for _ in hopefear.tune_events(
        "mert",
        model=home / "model",
        source=home / "tune.f",
        refs=home / "tune.e",
        tokenize="13a",
        start=BAD,
        list_size=5,
        decodings=1,
        set=["learner.restarts=0"],
        out=out,
    ):
        pass
    with pytest.raises(ConfigError, match="tokenize = 'none'"):
        hopefear.inspect(out, sentence=0)


def test_an_external_decoder_returns_a_list(tmp_path: Path) -> None:
    script, candidates = tmp_path / "decode.py", tmp_path / "candidates.jsonl"
    script.write_text(STAND_IN)
    made = list(SyntheticCandidates(sentences=12, size=15, seed=1))
    lines = [json.dumps([(h.text, dict(h.features)) for h in s.hypotheses]) for _, s in made]
    candidates.write_text("\n".join(lines))
    (tmp_path / "refs").write_text("".join(f"{text}\n" for text, _ in made))
    (tmp_path / "source").write_text("x\n" * 12)
    for _ in hopefear.tune_events(
        "kbest-mira",
        decoder=f"{sys.executable} {script} {{weights}} {{size}} {{threads}} {candidates}",
        source=tmp_path / "source",
        refs=tmp_path / "refs",
        start=dict(START),
        tokenize="none",
        list_size=4,
        decodings=2,
        out=tmp_path / "run",
    ):
        pass
    logs = (tmp_path / "run" / "decoder" / "tuning" / "decoder.log").read_bytes()
    cloud = hopefear.inspect(tmp_path / "run", sentence=3, listed=5, others=3)
    assert cloud.references == (made[3][0],)
    assert len(cloud.listed) == 5
    assert {point.text for point in cloud.listed} <= {h.text for h in made[3][1].hypotheses}
    assert (tmp_path / "run" / "decoder" / "tuning" / "decoder.log").read_bytes() == logs


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "x.forests"
    forests = [
        (i, nbest_forest([Hypothesis(text=text, features={"lm": 1.0})])) for i, text in TEXTS
    ]
    ForestStore.write(path, forests)
    (tmp_path / "refs").write_text("a\na b\na c\n")
    return path


def look(store: Path, sentence: str, metric: Bleu | Ter | None = None, lm: str = "lm") -> str:
    refs = (store.parent / "refs",)
    weights = Weights({lm: 1.0})
    metric = metric or Bleu(tokenize="none")
    cloud = inspect_forests(store, refs, metric, weights, sentence, CloudOptions(search=Linear()))
    return cloud.best.point.text


def test_a_sentence_of_stored_forests_is_found(store: Path) -> None:
    assert look(store, "2") == "a b c"


def test_errors_name_the_file_and_the_sentence(store: Path) -> None:
    with pytest.raises(DataError, match=r"x\.forests: sentence 1 has no forest"):
        look(store, "1")
    with pytest.raises(DataError, match=r"no sentence '3'.* 0 to 2"):
        look(store, "3")
    with pytest.raises(DataError, match="no feature in common"):
        look(store, "2", lm="ml")
    with pytest.raises(ConfigError, match=r"tokenize = 'none'.* not BLEU"):
        look(store, "2", metric=Bleu())
    with pytest.raises(ConfigError, match=r"'bleu' .* not TER"):
        look(store, "2", metric=Ter())
    (store.parent / "refs").write_text("a\na\n")
    with pytest.raises(DataError, match=r"x\.forests: .*sentence 2 has no reference"):
        look(store, "0")
