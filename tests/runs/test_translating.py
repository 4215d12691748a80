"""Runs around a decoder: a model's own, and one that a command runs."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hopefear import Model
from hopefear import resume_events as resume_tuning
from hopefear import tune_events as tune
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import ConfigError, DataError, DecoderError
from hopefear.events import (
    CheckpointWritten,
    EpochFinished,
    Event,
    Noted,
    RunFinished,
    RunStarted,
    Warned,
)
from hopefear.formats import read_weights
from hopefear.presets import load_presets
from hopefear.runs.kinds import learns_from
from hopefear.runs.options import learner_of
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from small_models import sentence_pairs, write_bitext
from stand_in_decoder import STAND_IN

BAD = "LM0=-0.3 p_e_given_f=-0.5 p_f_given_e=-0.5 WordPenalty=0.3"


@dataclass(frozen=True)
class Files:
    """A model, and sentences for it."""

    model: Path
    source: Path
    refs: Path
    dev_source: Path
    dev_refs: Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("translating")
    source, target = write_bitext(folder, every=7)
    build(TrainSettings(source=source, target=target), folder / "model")
    for name, pairs in (("tune", sentence_pairs()[3::40]), ("dev", sentence_pairs()[5::60])):
        (folder / f"{name}.f").write_text("".join(f"{f}\n" for f, _ in pairs))
        (folder / f"{name}.e").write_text("".join(f"{e}\n" for _, e in pairs))
    return Files(
        folder / "model", folder / "tune.f", folder / "tune.e", folder / "dev.f", folder / "dev.e"
    )


def test_a_start_that_a_preset_brings_is_told_and_another_one_goes_before_it(files: Files) -> None:
    own = files.model / "weights.tsv"

    def start(**options: Any) -> tuple[RunStarted, list[str]]:
        events = tune(
            "annealed-mira",
            model=files.model,
            source=files.source,
            refs=files.refs,
            set=["rhythm.epochs=1"],
            **options,
        )
        told: list[str] = []
        for event in events:
            if isinstance(event, RunStarted):
                return event, told
            if isinstance(event, Noted):
                told.append(event.message)
        raise AssertionError("the run did not start")

    preset, (about, _) = start()
    weights = "p_f_given_e = 1, p_e_given_f = 1, LM0 = 1; all others = 0"
    assert about == f"the run starts from start_patterns ({weights}), not from {own}"
    assert preset.weights["LM0"] == 1.0
    assert preset.weights["WordPenalty"] == 0.0
    model, told = start(start=own)
    assert model.weights == Model(files.model).weights
    assert not any("start_patterns" in message for message in told)


ONLINE = [name for name in load_presets() if "lists" not in learns_from(learner_of(name))]
AROUND = [
    "chiang2012-mert-small",
    "watanabe2012-mert",
    "moses-kbmira",
    "gimpel2012-rampion",
    "watanabe2012-o-oro-hinge",
]


@pytest.mark.parametrize("name", [*ONLINE, *AROUND])
def test_presets_learn_to_translate_with_a_model(files: Files, name: str) -> None:
    # From a start as bad as this, hopes of which the gain counts little are the 1-best.
    bold = ["learner.reference.mu=-1"] if name == "annealed-perceptron" else []
    if name.endswith("-mixing"):  # the mean of 20 learners of a sentence each hardly moves
        bold = ["strategy.workers=2"]
    few: dict[str, Any] = {"list_size": 20} if name in AROUND else {}
    few |= {"epochs": 3} if "oro" in name else {"decodings": 3} if few else {}
    events = list(
        tune(
            name,
            model=files.model,
            source=files.source,
            refs=files.refs,
            dev_source=files.dev_source,
            dev_refs=files.dev_refs,
            start=BAD,
            set=bold,
            **few,
        )
    )
    started = next(event for event in events if isinstance(event, RunStarted))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert started.dev_score is not None
    assert finished.dev_score is not None
    assert finished.dev_score > started.dev_score + 1.0
    lowercase = load_presets()[name].settings.get("metric", {}).get("lowercase", False)
    assert started.signature.startswith(f"nrefs:1|case:{'lc' if lowercase else 'mixed'}")


def test_without_start_weights_those_of_the_preset_or_the_model_are_taken(files: Files) -> None:
    options: dict[str, Any] = {"model": files.model, "source": files.source, "refs": files.refs}
    paper, own = (
        next(event for event in tune(learner, **options) if isinstance(event, RunStarted))
        for learner in ("chiang2012-mira-small", "mira")
    )
    ones = {name for name, value in paper.weights.items() if value == 1.0}
    assert ones == {"LM0", "p_e_given_f", "p_f_given_e"}
    assert set(paper.weights.array) == {0.0, 1.0}
    expected = Model(files.model).weights
    assert {name: own.weights[name] for name in expected} == dict(expected)


def test_parses_are_made_once_and_shared(files: Files, tmp_path: Path) -> None:
    told: list[str] = []
    options: dict[str, Any] = {
        "model": files.model,
        "source": files.source,
        "refs": files.refs,
        "start": BAD,
    }
    for out in ("one", "two"):
        told.append("run")
        for _ in tune(
            "mira",
            out=tmp_path / out,
            parses=tmp_path / "parses",
            set=["rhythm.epochs=2"],
            progress=lambda what, done, total: told.append(what),
            **options,
        ):
            pass
    first, second = told[1:].index("run"), told.count("parsing")
    assert "parsing" in told[:first]
    assert second == told[:first].count("parsing")
    assert len(list((tmp_path / "parses").glob("*.forests"))) == 1
    assert (tmp_path / "one" / "weights.tsv").read_bytes() == (
        tmp_path / "two" / "weights.tsv"
    ).read_bytes()


def test_a_run_of_its_own_keeps_its_parses_in_its_directory(files: Files, tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "model": files.model,
        "source": files.source,
        "refs": files.refs,
        "start": BAD,
    }
    for force in (False, True):
        for _ in tune(
            "mira", out=tmp_path / "run", force=force, set=["rhythm.epochs=1"], **options
        ):
            pass
        assert len(list((tmp_path / "run" / "parses").glob("*.forests"))) == 1


def test_the_numbers_of_sentences_and_references_have_to_agree(files: Files) -> None:
    with pytest.raises(DataError, match=r"sentences, but .*there are references for"):
        list(tune("mira", model=files.model, source=files.source, refs=files.dev_refs))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dev_source": "dev.f", "dev_refs": "tune.e"}, "there are references for"),
        ({"dev_source": "gone", "dev_refs": "tune.e"}, "gone: cannot be read"),
        ({"source": "empty", "refs": "empty"}, "has no sentence to translate"),
        ({"start": "zork=1"}, "no feature in common: the weights are for zork, the data has Glue"),
    ],
)
def test_mistakes_are_found_before_anything_is_parsed(
    files: Files, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    (files.source.parent / "empty").touch()
    chosen: dict[str, Any] = {"source": files.source, "refs": files.refs}
    for key, value in options.items():
        chosen[key] = value if key == "start" else files.source.parent / value
    with pytest.raises(DataError, match=message):
        list(tune("mira", out=tmp_path / "run", model=files.model, **chosen))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": "f"}, "translating needs a model or a decoder"),
        ({"source": "f", "model": "m", "nbest": "n"}, "translating needs a source, not nbest"),
        ({"nbest": "n", "model": "m"}, "translating needs a source"),
        ({"source": "f", "model": "m", "decoder": "x {weights}"}, "give one of them"),
        ({"source": "f", "decoder": "x {weights}", "parses": "p"}, "for the decoder of a model"),
        ({"source": "f", "model": "m", "features": ["lm"]}, "a decoder has its own"),
        (
            {"source": "f", "decoder": "x {weights}", "decoder_format": "xml"},
            "unknown format 'xml'",
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        tune("mira", refs="r", **options)


@pytest.fixture
def command(tmp_path: Path) -> str:
    """A decoder of made-up candidates, and its references."""
    script, candidates = tmp_path / "decode.py", tmp_path / "candidates.jsonl"
    script.write_text(STAND_IN)
    made = list(SyntheticCandidates(sentences=20, size=15, seed=1))
    lines = [json.dumps([(h.text, dict(h.features)) for h in s.hypotheses]) for _, s in made]
    candidates.write_text("\n".join(lines))
    (tmp_path / "refs").write_text("".join(f"{text}\n" for text, _ in made))
    (tmp_path / "source").write_text("x\n" * 20)
    (tmp_path / "start.tsv").write_text("".join(f"{n}\t{v!r}\n" for n, v in START.items()))
    return f"{sys.executable} {script} {{weights}} {{size}} {{threads}} {candidates}"


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("learner", ["mert", "pro", "kbest-mira", "gimpel2012-rampion"])
def test_learners_of_lists_learn_around_a_command(
    command: str, tmp_path: Path, learner: str, scaled: bool
) -> None:
    events = list(
        tune(
            learner,
            decoder=command,
            source=tmp_path / "source",
            refs=tmp_path / "refs",
            start=tmp_path / "start.tsv",
            tokenize="none",
            list_size=4,
            decodings=6,
            scale_features=scaled,
            out=tmp_path / "run",
        )
    )
    started, finished = events[1], events[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    assert started.tuning_score is not None
    assert finished.tuning_score is not None
    assert finished.tuning_score > started.tuning_score + 0.5
    assert sum(isinstance(event, EpochFinished) for event in events) >= 2
    assert read_weights(tmp_path / "run" / "weights.tsv") == finished.weights
    assert (tmp_path / "run" / "decoder" / "tuning" / "decoder.log").exists()


@pytest.mark.parametrize("role", ["refs", "dev_refs"])
def test_references_around_a_command_are_looked_at_for_their_tokens(
    command: str, tmp_path: Path, role: str
) -> None:
    lines = (tmp_path / "refs").read_text().splitlines()
    (tmp_path / "loose").write_text("".join(f"{line} , they said .\n" for line in lines))
    options: dict[str, Any] = {f"{prefix}source": tmp_path / "source" for prefix in ("", "dev_")}
    options |= {name: tmp_path / "refs" for name in ("refs", "dev_refs")}
    options[role] = tmp_path / "loose"
    told = []
    for event in tune("mert", decoder=command, start=START, tokenize="13a", **options):
        if isinstance(event, RunStarted):
            break
        if isinstance(event, Warned) and "already tokenized" in event.message:
            told.append(event.message)
    (message,) = told
    assert str(tmp_path / "loose") in message


def test_a_value_too_large_for_scores_is_an_error_of_the_decoder(
    command: str, tmp_path: Path
) -> None:
    candidates = tmp_path / "candidates.jsonl"
    first, *rest = candidates.read_text().split("\n")
    text, features = json.loads(first)[0]
    features["lm"] = 1e300
    candidates.write_text("\n".join([json.dumps([(text, features)]), *rest]))
    options: dict[str, Any] = {"source": tmp_path / "source", "refs": tmp_path / "refs"}
    message = r"the decoder's lists: sentence 0: feature 'lm' of hypothesis 1 is 1e\+300"
    with pytest.raises(DataError, match=message):
        list(tune("mert", decoder=command, start=tmp_path / "start.tsv", **options))


def test_a_command_needs_start_weights_and_its_failures_are_shown(
    command: str, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"source": tmp_path / "source", "refs": tmp_path / "refs"}
    with pytest.raises(DataError, match="start weights have to be given"):
        list(tune("mert", decoder=command, **options))
    with pytest.raises(DecoderError, match="failed with exit code"):
        list(tune("mert", decoder=f"{command}.gone", start=tmp_path / "start.tsv", **options))


@pytest.mark.parametrize("learner", ["mert", "pro", "kbest-mira", "gimpel2012-rampion"])
def test_features_may_come_with_any_list_of_a_command(
    command: str, tmp_path: Path, learner: str
) -> None:
    candidates = tmp_path / "candidates.jsonl"
    lists = [json.loads(line) for line in candidates.read_text().split("\n")]
    own = [[(text, f | {f"is{i}": 1.0}) for i, (text, f) in enumerate(one)] for one in lists]
    candidates.write_text("\n".join(map(json.dumps, own)))
    data = {name: tmp_path / name for name in ("source", "refs")}
    options: dict[str, Any] = {"list_size": 2, "decodings": 4, "tokenize": "none", **data}
    options |= {f"dev_{name}": path for name, path in data.items()}

    def run(out: str) -> Iterator[Event]:
        return tune(learner, decoder=command, start=START, out=tmp_path / out, **options)

    started, *epochs, finished = (
        event
        for event in run("whole")
        if isinstance(event, RunStarted | EpochFinished | RunFinished)
    )
    assert set(epochs[-1].weights) > set(started.weights)
    # The run may as well be stopped in between.
    stopped = iter(run("stopped"))
    while not isinstance(next(stopped), CheckpointWritten):
        pass
    del stopped
    *_, end = resume_tuning(tmp_path / "stopped")
    assert isinstance(end, RunFinished)
    assert end.weights == finished.weights
