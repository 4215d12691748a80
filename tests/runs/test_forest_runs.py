"""Whole runs on forests in files, from the command's options to weights that translate."""

from pathlib import Path

import numpy as np
import pytest

import hopefear
from hopefear.errors import ConfigError, DataError
from hopefear.events import Event, ReplicasFinished, RunFinished, RunStarted, Warned
from hopefear.forest import ForestBuilder
from hopefear.formats import read_weights, write_forests
from hopefear.learners import ForestMira, Mert
from hopefear.runs import TuneSettings, build_settings
from hopefear.settings import config
from hopefear.types import Vocabulary, Weights
from tuning_sets import FOREST_START, garbled_forests

START = dict(FOREST_START)
QUICK = {
    "moses-mert": ["learner.restarts=2"],
    "moses-pro": ["rhythm.list_size=30", "rhythm.decodings=4"],
    "moses-kbmira": ["rhythm.epochs=10"],
    "kbest-mira": ["rhythm.epochs=10", "rhythm.list_size=30", "rhythm.decodings=4"],
    "rampion": ["learner.rate=0.01", "rhythm.list_size=30", "rhythm.decodings=4"],
    "sgd": ["learner.rate=0.01", "rhythm.list_size=30", "rhythm.decodings=4"],
    "oro": ["rhythm.list_size=30", "rhythm.epochs=4"],
    "lbfgs": ["rhythm.list_size=30", "rhythm.decodings=4"],
    "structured-svm": ["rhythm.list_size=30", "rhythm.decodings=4"],
}


def write(folder: Path, name: str, *, sentences: int = 30, seed: int = 1) -> tuple[Path, Path]:
    forests, references = garbled_forests(sentences=sentences, seed=seed)
    write_forests(folder / f"{name}.forests", enumerate(forests))
    (folder / f"{name}.ref").write_text("".join(f"{text}\n" for (text,) in references))
    return folder / f"{name}.forests", folder / f"{name}.ref"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    folder = tmp_path_factory.mktemp("forests")
    return {"tune": write(folder, "tune"), "dev": write(folder, "dev", seed=2)}


def bleu(forests: Path, refs: Path, weights: Weights | dict[str, float]) -> float:
    """The score of the printed translations, as `hopefear evaluate` gives it."""
    texts = list(hopefear.rerank(forests=forests, weights=dict(weights)))
    found = hopefear.evaluate(hyp={"it": texts}, refs=[refs], tokenize="none", resamples=0)
    return found.systems[0].metrics["bleu"].score


def only(events: list[Event], kind: type[Event]) -> Event:
    (found,) = [event for event in events if isinstance(event, kind)]
    return found


@pytest.mark.parametrize("learner", QUICK)
def test_a_run_tells_the_scores_that_its_weights_have(
    learner: str, files: dict[str, tuple[Path, Path]]
) -> None:
    (forests, refs), (dev_forests, dev_refs) = files["tune"], files["dev"]
    events = list(
        hopefear.tune_events(
            learner,
            forests=forests,
            refs=refs,
            dev_forests=dev_forests,
            dev_refs=dev_refs,
            start=START,
            set=QUICK[learner],
        )
    )
    started, finished = only(events, RunStarted), only(events, RunFinished)
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    assert started.tuning_score == pytest.approx(bleu(forests, refs, START), abs=1e-9)
    assert started.dev_score == pytest.approx(bleu(dev_forests, dev_refs, START), abs=1e-9)
    assert finished.tuning_score == pytest.approx(bleu(forests, refs, finished.weights), abs=1e-9)
    found = bleu(dev_forests, dev_refs, finished.weights)
    assert finished.dev_score == pytest.approx(found, abs=1e-9)
    assert found > bleu(dev_forests, dev_refs, START) + 10


@pytest.mark.parametrize("learner", ["moses-mert", "moses-kbmira", "kbest-mira"])
def test_the_weights_of_the_right_words_are_found(learner: str, tmp_path: Path) -> None:
    """Where one feature tells right from wrong, the references themselves are the answer."""
    folder = tmp_path / "store"
    folder.mkdir()
    lines, words_and_names = [], (Vocabulary(), Vocabulary())
    for sentence in range(12):
        words = [f"w{sentence}x{i}" for i in range(9 + sentence)]
        lines.append(" ".join(words) + "\n")
        builder = ForestBuilder(*words_and_names)
        tails = []
        for i, word in enumerate(words):
            node = builder.add_node(begin=i, covered=1)
            builder.add_edge(node, target=[word], features={"right": 1.0, "lm": -2.0})
            builder.add_edge(node, target=["wrong"], features={"lm": -1.0})
            tails.append(node)
        root = builder.add_node(begin=0, covered=len(words))
        builder.add_edge(root, tails=tails, target=[*range(len(tails))], features={})
        builder.set_root(root)
        write_forests(folder / f"{sentence:02}.forests", [(sentence, builder.build())])
    (tmp_path / "refs").write_text("".join(lines))
    *_, finished = hopefear.tune_events(
        learner,
        forests=folder,
        refs=tmp_path / "refs",
        start={"right": 0.1, "lm": 1.0},
        set=["rhythm.epochs=20"] if learner != "moses-mert" else ["learner.restarts=2"],
    )
    assert isinstance(finished, RunFinished)
    assert finished.tuning_score == pytest.approx(100.0)
    found = list(hopefear.rerank(forests=folder, weights=finished.weights))
    assert [text + "\n" for text in found] == lines


def test_sentence_boundaries_are_no_words(tmp_path: Path) -> None:
    weights = []
    for boundaries in (False, True):
        forests, references = garbled_forests(sentences=10, longest=8, boundaries=boundaries)
        folder = tmp_path / f"boundaries-{boundaries}"
        write_forests(folder, enumerate(forests), "moses-hypergraph")
        refs = tmp_path / "refs"
        refs.write_text("".join(f"{text}\n" for (text,) in references))
        events = list(
            hopefear.tune_events(
                "moses-kbmira", forests=folder, refs=refs, start=START, set=["seed=3"]
            )
        )
        finished = events[-1]
        assert isinstance(finished, RunFinished)
        weights.append(finished.weights)
        texts = list(hopefear.rerank(forests=folder, weights=START))
        assert not any("s>" in text for text in texts)
    assert weights[0] == weights[1]


def test_a_run_is_repeated_by_its_own_settings(
    files: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    forests, refs = files["tune"]
    first = list(
        hopefear.tune_events(
            "moses-kbmira",
            forests=forests,
            refs=refs,
            start=START,
            out=tmp_path / "first",
            set=["rhythm.epochs=3"],
        )
    )
    settings = config.load(TuneSettings, tmp_path / "first" / "config.toml")
    assert isinstance(settings.learner, ForestMira)
    again = list(hopefear.tune_events(str(tmp_path / "first" / "config.toml")))
    assert isinstance(first[-1], RunFinished)
    assert isinstance(again[-1], RunFinished)
    assert first[-1].weights == again[-1].weights


def test_replicas_and_scaled_features_work_on_forests(
    files: dict[str, tuple[Path, Path]],
) -> None:
    forests, refs = files["tune"]
    *_, finished = hopefear.tune_events(
        "moses-mert",
        forests=forests,
        refs=refs,
        start=START,
        replicas=2,
        average=True,
        scale_features=True,
        set=["learner.restarts=1"],
    )
    assert isinstance(finished, ReplicasFinished)
    assert bleu(forests, refs, finished.weights) > bleu(forests, refs, START) + 10


def test_presets_have_their_settings_on_forests() -> None:
    data = {"tuning.forests": "some", "tuning.references": ["refs"]}
    assert isinstance(build_settings("moses-kbmira", data).learner, ForestMira)
    assert isinstance(build_settings("moses-mert", data).learner, Mert)


def test_other_data_than_forests_with_references_is_refused(
    files: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    forests, refs = files["tune"]
    with pytest.raises(ConfigError, match="found nbest and forests"):
        hopefear.tune_events("mert", forests=forests, nbest="some", refs=refs)
    with pytest.raises(ConfigError, match="found none of them"):
        hopefear.tune_events("mert", refs=refs)
    with pytest.raises(ConfigError, match="score_feature is for n-best lists"):
        hopefear.tune_events("mert", forests=forests, score_feature="lm", metric="column")
    fewer = tmp_path / "fewer"
    fewer.write_text("".join(refs.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match=r"has forests of 30 sentences, but .* references for 29"):
        list(hopefear.tune_events("mert", forests=forests, refs=fewer))


def test_forests_that_teach_nothing_are_noticed(tmp_path: Path) -> None:
    forests, references = garbled_forests(sentences=6)
    builder = ForestBuilder(forests[0].words, forests[0].feature_names)
    node = builder.add_node()
    builder.add_edge(node, target=["only"], features={"tm": 1.0, "same": 1.0})
    builder.set_root(node)
    single = builder.build()
    refs = tmp_path / "refs"
    refs.write_text("".join(f"{text}\n" for (text,) in references))
    some = tmp_path / "some.forests"
    write_forests(some, [(0, single), *[(i, forests[i]) for i in range(2, 6)]])
    told = [
        event.message
        for event in hopefear.tune_events("mert", forests=some, refs=refs, start=START)
        if isinstance(event, Warned)
    ]
    assert any("1 sentence of the tuning data has no forest" in text for text in told)
    assert any("1 sentence of the tuning data has one derivation only" in text for text in told)
    assert any("cannot be learned" in text and "same" in text for text in told)
    none = tmp_path / "none.forests"
    write_forests(none, [(i, single) for i in range(6)])
    with pytest.raises(DataError, match="more than one derivation"):
        list(hopefear.tune_events("mert", forests=none, refs=refs))


def test_every_learner_starts_at_ones_for_features_that_most_forests_have(
    files: dict[str, tuple[Path, Path]],
) -> None:
    forests, refs = files["tune"]
    events = hopefear.tune_events("mert", forests=forests, refs=refs, set=["learner.restarts=0"])
    started = next(event for event in events if isinstance(event, RunStarted))
    assert dict(started.weights) == dict.fromkeys(START, 1.0)
    assert np.isfinite(started.tuning_score or np.nan)


@pytest.mark.parametrize(
    ("forests_format", "weights_format"),
    [
        ("moses-hypergraph", "moses"),
        ("cdec-forest", "cdec"),
        ("cicada-forest", "cdec"),
        ("travatar-forest", "travatar"),
    ],
)
def test_weights_are_also_written_for_the_tool_that_made_the_forests(
    forests_format: str, weights_format: str, files: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    forests, refs = files["tune"]
    hopefear.convert(forests, tmp_path / "theirs", to=forests_format)
    *_, finished = hopefear.tune_events(
        "moses-kbmira",
        forests=tmp_path / "theirs",
        refs=refs,
        start=START,
        out=tmp_path / "run",
        set=["rhythm.epochs=2"],
    )
    assert isinstance(finished, RunFinished)
    written = tmp_path / "run" / f"weights.{weights_format}"
    assert read_weights(written, weights_format) == finished.weights


def test_the_weight_of_bleu_in_hopes_is_chosen_on_dev_data(
    files: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    """Chiang's μ."""
    (forests, refs), (dev_forests, dev_refs) = files["tune"], files["dev"]
    found = hopefear.tune_grid(
        "mira",
        grid={"learner.reference.mu": [-0.01, -10.0]},
        out=tmp_path / "grid",
        forests=forests,
        refs=[refs],
        dev_forests=dev_forests,
        dev_refs=[dev_refs],
        tokenize="none",
        epochs=2,
    )
    scores = [cell.dev_score for cell in found.cells]
    assert scores[0] != scores[1]
    assert found.best.dev_score == max(score or 0.0 for score in scores)
