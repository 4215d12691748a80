"""Settings from names, files and options."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hopefear.errors import ConfigError
from hopefear.learners import KBestMira, Mert, Pro, Sgd
from hopefear.losses import Ramp2
from hopefear.metrics import Bleu, Chrf, Column, Ter
from hopefear.runs import DataSettings, TuneSettings, build_settings
from hopefear.runs.options import learner_of
from hopefear.runs.stopping import Stopping
from hopefear.settings import config
from hopefear.settings.config import parse_assignment
from hopefear.types import Weights

DATA = {"tuning.nbest": ["lists"], "tuning.references": ["refs"]}
TUNING = DataSettings(nbest=(Path("lists"),), references=(Path("refs"),))


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text("""
        seed = 7
        [learner]
        name = "sgd"
        rate = 0.5
        loss = "ramp-2"
        [tuning]
        nbest = ["lists"]
        references = ["refs"]
        [metric]
        name = "bleu"
        tokenize = "none"
        [start]
        lm = 0.5
    """)
    return path


def test_a_learner_by_name_has_its_defaults() -> None:
    found = build_settings("mert", DATA)
    assert found == TuneSettings(learner=Mert(), tuning=TUNING)


def test_a_preset_has_its_settings_and_assignments_go_over_them() -> None:
    found = build_settings("moses-pro", DATA, assignments=["learner.kept=20", "seed=3"])
    preset = learner_of("moses-pro")
    assert isinstance(preset, Pro)
    assert found.learner == Pro(interpolation=1.0, kept=20)
    assert (found.seed, preset.kept) == (3, 50)


def test_a_learner_with_its_options_is_taken_as_it_is() -> None:
    learner = Mert(restarts=3, bounds={"lm": (0.0, 1.0)}, fixed=("words",))
    assert build_settings(learner, DATA).learner == learner


def test_a_file_is_read_and_options_go_over_it(toml: Path) -> None:
    assert build_settings(toml, {}) == TuneSettings(
        learner=Sgd(rate=0.5, loss=Ramp2()),
        tuning=TUNING,
        seed=7,
        metric=Bleu(tokenize="none"),
        start=Weights({"lm": 0.5}),
    )
    options: dict[str, object] = {"seed": 9, "threads": None, "start_file": "weights"}
    options["metric.lowercase"] = True
    found = build_settings(str(toml), options, assignments=["rhythm.epochs=2"])
    assert found == TuneSettings(
        learner=Sgd(rate=0.5, loss=Ramp2()),
        rhythm=replace(Sgd().rhythm, epochs=2),
        tuning=TUNING,
        seed=9,
        metric=Bleu(tokenize="none", lowercase=True),
        start_file=Path("weights"),
    )


def test_a_preset_can_be_named_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    data = '[tuning]\nnbest = ["lists"]\nreferences = ["refs"]\n'
    path.write_text(f'learner = "moses-kbmira"\n{data}')
    assert build_settings(path, {}).learner == learner_of("moses-kbmira")
    path.write_text(f'{data}[learner]\nname = "moses-kbmira"\ndecay = 0.5\n')
    found = build_settings(path, {}).learner
    assert found == KBestMira(line_search=0, decay=0.5)


def test_the_metric_is_bleu_or_what_was_asked_for() -> None:
    assert build_settings("mert", DATA).metric == Bleu()
    assert build_settings("mert", DATA | {"metric": "ter"}).metric == Ter()
    assert build_settings("mert", {**DATA, "metric": Chrf(beta=3)}).metric == Chrf(beta=3)
    found = build_settings("mert", {**DATA, "metric": "chrf", "metric.lowercase": True})
    assert found.metric == Chrf(lowercase=True)


def test_scores_are_their_own_metric() -> None:
    scored = {"tuning.nbest": ["lists"], "tuning.scores": "some/comet.txt"}
    assert build_settings("mert", scored).metric == Column(label="comet.txt")
    chosen = {"tuning.nbest": ["lists"], "tuning.score_feature": "comet"}
    assert build_settings("mert", chosen).metric == Column(label="comet")
    found = build_settings("mert", chosen, assignments=["metric.higher_is_better=false"])
    assert found.metric == Column(label="comet", higher_is_better=False)


def test_what_is_written_is_read_back() -> None:
    settings = build_settings(
        "moses-mert",
        DATA | {"dev.nbest": ["dev"], "dev.references": ["dev.refs"], "start": {"lm": 1.0}},
        assignments=["stopping.window=5", "learner.bounds={lm = [0.0, 1.0]}"],
    )
    text = config.dumps(settings)
    assert config.loads(TuneSettings, text) == settings
    assert settings.stopping == Stopping(window=5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b=1", ("a.b", "1")),
        ("a=0.5", ("a", "0.5")),
        ("a=true", ("a", "true")),
        ("a=[1, 2]", ("a", "[1, 2]")),
        ("a=plain words", ("a", "plain words")),
        ("a=b=c", ("a", "b=c")),
    ],
)
def test_assignments_are_dotted_keys_and_text(text: str, expected: object) -> None:
    assert parse_assignment(text) == expected


@pytest.mark.parametrize(
    ("learner", "options", "assignments", "message"),
    [
        ("mret", {}, [], "unknown preset or learner 'mret'; did you mean 'mert'"),
        (
            "mert",
            DATA,
            ["learner.restart=1"],
            "learner.restart: unknown key of the learner 'mert'; did",
        ),
        (
            "mert",
            DATA,
            ["learner.restarts=x"],
            "learner.restarts: expected a whole number",
        ),
        (
            "mert",
            DATA,
            ["learner"],
            "expected KEY=VALUE, as in ",
        ),
        ("mert", DATA, [".x=1"], "expected KEY=VALUE"),
        ("mert", DATA | {"seed": 1}, ["seed.x=1"], "seed.x: 'seed' is 1, not a table"),
        ("mert", DATA, ["seed=-1"], "tune mert: seed must be a whole number >= 0, got -1"),
        ("mert", {}, [], "tune mert: tuning: give either nbest, or forests, or a source"),
        ("mert", {"tuning.nbest": ["a"]}, [], "give either references, or scores, or score_feat"),
        (
            "mert",
            {"tuning.nbest": [], "tuning.references": ["r"]},
            [],
            "give either nbest, or forests, or a source",
        ),
        ("mert", DATA | {"tuning.scores": "s"}, [], "found references and scores"),
        ("mert", DATA | {"average": True}, [], "average needs several replicas"),
        ("mert", DATA | {"start": {"a": 1.0}, "start_file": "x"}, [], "give one of them"),
        ("mert", DATA | {"moses_ini": "m", "weights_format": "json"}, [], "not 'json'"),
        ("mert", DATA, ["metric=column"], "tuning has references, but the metric column is of sc"),
        (
            "mert",
            DATA | {"tuning.keyed_references": "x"},
            [],
            "keyed_references: expected true",
        ),
        ("nosuch.toml", {}, [], "nosuch.toml: cannot be read"),
    ],
)
def test_mistakes_are_told_by_key(
    learner: str, options: dict[str, Any], assignments: list[str], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        build_settings(learner, options, assignments=assignments)
    assert message in str(caught.value)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("seed = = 1")
    with pytest.raises(ConfigError, match=r"broken.toml: "):
        build_settings(path, {})


@pytest.mark.parametrize(
    "start", [{"infer_start": False}, {"start_file": "w"}, {"start": {"a": 1}}]
)
def test_a_start_that_is_given_goes_before_the_patterns_of_a_preset_or_a_file(
    start: dict[str, object], tmp_path: Path
) -> None:
    assert build_settings("chiang2012-mert-small", DATA).start_patterns
    assert not build_settings("chiang2012-mert-small", {**DATA, **start}).start_patterns
    path = tmp_path / "run.toml"
    path.write_text('learner = "mert"\n[start_patterns]\n"LM*" = 1.0\n')
    assert build_settings(path, DATA).start_patterns == {"LM*": 1.0}
    assert not build_settings(path, {**DATA, **start}).start_patterns


@pytest.mark.parametrize(
    ("learner", "assignment", "message"),
    [
        ("mert", "learner.penalty=l2", "learner.penalty is 'l2' with strength 0.0"),
        ("mert", "learner.bounds={lm = [1.0]}", "learner.bounds: 'lm' needs [least, greatest]"),
        ("lbfgs", "learner.loss=ramp-1", "learner.loss: 'ramp-1' is not smooth"),
        ("watanabe2012-mira", "learner.loss=softmax", "learner.update: 'mira' is defined for the"),
        ("lbfgs", "learner.regularizer.strength=-1", "learner.regularizer.strength must be "),
        ("mert", "stopping.window=2", "stopping.window must be 0 or at least 3, got 2"),
        ("mert", "metric.smoothing_value=1.0", "metric.smoothing_value: smoothing 'exp' takes"),
    ],
)
def test_mistakes_are_told_by_the_names_of_settings_and_not_of_classes(
    learner: str, assignment: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        build_settings(learner, DATA, assignments=[assignment])
    assert str(caught.value).startswith(f"tune {learner}: {message}")


@pytest.mark.parametrize("option", ["list_size", "decodings"])
def test_how_lists_are_made_is_no_setting_where_they_are_given(option: str) -> None:
    with pytest.raises(ConfigError, match="'mert' learns from n-best lists as they are"):
        build_settings("mert", {**DATA, f"rhythm.{option}": 5})
    forests = {"tuning.forests": "some", "tuning.references": ["refs"]}
    with pytest.raises(ConfigError, match="'mert' learns from forests as they are"):
        build_settings("mert", {**forests, f"rhythm.{option}": 5})
    assert (
        getattr(build_settings("kbest-mira", {**forests, f"rhythm.{option}": 5}).rhythm, option)
        == 5
    )


def test_where_every_epoch_decodes_the_number_of_decodings_is_no_setting() -> None:
    data = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    with pytest.raises(ConfigError, match=r"every epoch decodes; set rhythm\.epochs"):
        build_settings("watanabe2012-mira", {**data, "rhythm.decodings": 5})
