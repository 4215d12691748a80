"""Discretized features of rules: in parses and translations, in saved models and in runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from hopefear import Model, Weights
from hopefear.candidates.discretized import learn_rule_bins
from hopefear.errors import ConfigError, DataError
from hopefear.events import RunStarted
from hopefear.grammar import FeatureKind, GrammarBuilder, Rule
from hopefear.presets import load_presets
from hopefear.translation import Decoder, DecoderOptions, FeatureUse, GrammarUse
from hopefear.translation.features.bins import Bins, Discretization, FeatureBins, read_bins, spread
from hopefear.translation.model import RunFeatures, run_features
from small_models import built, sentence_pairs

PAIRS = sentence_pairs()[3::40]
SENTENCES = [f.split() for f, _ in PAIRS]


def learned(model: Model, **options: Any) -> FeatureBins:
    return learn_rule_bins(model.decoder(), SENTENCES, Discretization(**options), threads=1)


@pytest.mark.parametrize("overlap", [False, True])
def test_every_edge_has_the_bins_of_its_rule(made: Path, overlap: bool) -> None:
    model = Model(made).with_features(RunFeatures(views={"p_*": "value", "count_f": "value"}))
    bins = learned(model, bits=2, overlap=overlap)
    assert {"p_e_given_f", "p_f_given_e", "count_f", "WordPenalty"} <= set(bins)
    assert [name for name, own in bins.items() if own.kept] == ["WordPenalty"]
    binned = model.with_features(RunFeatures(), bins)
    for words in SENTENCES[:6]:
        # With few rules a side, other features would choose other ones.
        plain, found = (m.decoder(rule_limit=2).parse(words) for m in (model, binned))
        assert plain.edge_count == found.edge_count
        for edge in range(plain.edge_count):
            expected: dict[str, float] = {}
            for name, value in plain.features(edge).items():
                own = bins.get(name)
                if own is None or own.kept:
                    expected[name] = value
                if own is not None:
                    _, fired = own.fired(np.array([value]))
                    expected |= {own.names(name)[j]: 1.0 for j in fired}
            assert found.features(edge) == expected


def test_bins_are_found_whatever_the_view_and_the_value() -> None:
    """The core finds bins of plain values; they must be those of the views."""
    draw = np.random.default_rng(1)
    plain = np.concatenate([draw.random(300), draw.integers(0, 9, 300), -draw.random(50), [1e30]])
    for view in ("value", "logarithm", "rarity"):
        rules = [
            Rule(source=("a",), target=(f"w{i}",), features={"p": float(np.float32(p))})
            for i, p in enumerate(plain)
        ]
        kinds = {"p": FeatureKind.score}
        builder = GrammarBuilder()
        for rule in rules:
            builder.add(rule, kinds)
        use = GrammarUse(
            grammar=builder.build(), features=(FeatureUse(of="p", view=view, name="p"),)
        )
        options = DecoderOptions(rule_limit=0)
        viewed = Decoder([use], {}, Weights(), options=options).rule_values(["a"])["p"]
        bins = Bins.learned(viewed[::2], 64)
        binned = Decoder([use], {}, Weights(), options=options, bins={"p": bins})
        counts = np.bincount(bins.find(viewed), minlength=len(bins))
        found = {name: len(values) for name, values in binned.rule_values(["a"]).items()}
        assert [found.get(name, 0) for name in bins.names("p")] == counts.tolist()


def test_with_a_bin_for_each_value_translations_are_those_without_bins(made: Path) -> None:
    model = Model(made)
    bins = learned(model, bits=16, kept=())
    binned = model.with_features(RunFeatures(), bins)
    weights = Weights({**model.weights, "p_e_given_f": 0.7, "WordPenalty": -0.3})
    for words in SENTENCES:
        ours = binned.decoder(spread(weights, bins)).translate(words)
        theirs = model.decoder(weights).translate(words)
        assert ours.text == theirs.text
        assert ours.score == pytest.approx(theirs.score)
        assert spread(weights, bins).dot(ours.features) == pytest.approx(ours.score)


def test_a_rule_counts_once_for_each_sentence_that_it_matches() -> None:
    rules = [
        Rule(source=("a",), target=("x",), features={"p": 0.25}),
        Rule(source=("a",), target=("y",), features={"p": 0.5}),
        Rule(source=("b",), target=("z",), features={"p": 0.75}),
        Rule(source=("c",), target=("z",), features={"p": 2.0}),
    ]
    decoder = Decoder(built(rules), {}, Weights())
    bins = learn_rule_bins(decoder, [["a", "a", "b"], ["a"]], Discretization(features=("p",)))
    assert bins["p"].lowest.tolist() == [0.25, 0.5, 0.75]
    assert bins["p"].count.tolist() == [2, 2, 1]


def test_a_saved_model_keeps_its_bins(made: Path, tmp_path: Path) -> None:
    plain = Model(made).with_features(RunFeatures(views={"p_*": "value"}))
    model = plain.with_features(RunFeatures(), learned(plain, bits=2))
    weights = model.weights * 1.5
    saved = model.save(tmp_path / "saved", weights=weights)
    loaded = Model(saved.path)
    assert loaded.rule_weights == Model(made).weights
    assert list(loaded.bins) == list(model.bins)
    for words in SENTENCES:
        ours = loaded.decoder(rule_limit=2).translate(words)
        theirs = model.decoder(weights, rule_limit=2).translate(words)
        assert (ours.text, ours.features) == (theirs.text, theirs.features)
    assert list(Model(loaded.save(tmp_path / "again").path).bins) == list(model.bins)


@pytest.mark.parametrize(
    ("name", "borders", "problem"),
    [
        ("LM0", [1.0], "'LM0', which is not a feature of rules"),
        ("p", [1.0, 1.0], "must be finite and increase"),
        ("p", [1.0, np.inf], "must be finite and increase"),
    ],
)
def test_bins_that_cannot_be_are_refused(name: str, borders: list[float], problem: str) -> None:
    rules = [Rule(source=("a",), target=("x",), features={"p": 0.25})]
    bins = Bins.learned(np.arange(len(borders) + 1.0), 8)
    object.__setattr__(bins, "borders", np.array(borders))
    with pytest.raises(ConfigError, match=problem):
        Decoder(built(rules), {}, Weights(), bins={name: bins})


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Any]:
    for name, pairs in (("tune", PAIRS), ("dev", sentence_pairs()[5::60])):
        (tmp_path / f"{name}.f").write_text("".join(f"{f}\n" for f, _ in pairs))
        (tmp_path / f"{name}.e").write_text("".join(f"{e}\n" for _, e in pairs))
    return {
        "source": tmp_path / "tune.f",
        "refs": tmp_path / "tune.e",
        "dev_source": tmp_path / "dev.f",
        "dev_refs": tmp_path / "dev.e",
        "decodings": 2,
        "list_size": 20,
    }


CLARK = [name for name in load_presets() if name.startswith("clark2014-")]


@pytest.mark.parametrize("preset", CLARK)
def test_a_run_learns_shapes_and_its_weights_translate_with_them(
    made: Path, tmp_path: Path, data: dict[str, Any], preset: str
) -> None:
    run = tmp_path / "run"
    found = hopefear.tune(preset, model=made, **data, out=run, set=["learner.kept=5"])
    bins = read_bins(run / "bins.tsv") if (run / "bins.tsv").exists() else {}
    assert bool(bins) == (preset not in ("clark2014-p", "clark2014-logp"))
    assert all(len(own) <= 2**8 for own in bins.values())
    lines = [f for f, _ in PAIRS]
    texts = [t.text for t in hopefear.translate(made, lines, weights=run)]
    judged = hopefear.evaluate(
        hyp={"ours": texts},
        refs=[data["refs"]],
        tokenize="none",
        lowercase=True,
        resamples=0,
    )
    assert judged.systems[0].metrics["bleu"].score == pytest.approx(found.tuning_score)
    model = Model(made).with_features(run_features(run), bins)
    assert {name for own in bins for name in bins[own].names(own)} <= set(found.weights)
    (again,) = hopefear.translate(model, lines[:1], weights=found.weights)
    assert again.text == texts[0]


@pytest.mark.parametrize("start", ["values", "ranks"])
def test_a_run_starts_its_bins_at_values_or_ranks(
    made: Path, tmp_path: Path, data: dict[str, Any], start: str
) -> None:
    how: dict[str, Any] = {"bits": 1, "features": ["p_e_given_f"], "start": start}
    options = data | {"decodings": 1, "discretize": how, "start": Weights({"p_e_given_f": 0.5})}
    events = hopefear.tune_events("pro", model=made, out=tmp_path / "run", **options)
    first = next(event.weights for event in events if isinstance(event, RunStarted))
    own = read_bins(tmp_path / "run" / "bins.tsv")["p_e_given_f"]
    expected = 0.5 * own.mean if start == "values" else [-3.75, -1.25]
    assert [first[name] for name in own.names("p_e_given_f")] == pytest.approx(list(expected))


def test_inspecting_held_out_data_uses_the_bins_of_the_run(
    made: Path, tmp_path: Path, data: dict[str, Any]
) -> None:
    given = data | {"decodings": 1, "tokenize": "none"}
    options: dict[str, Any] = {"model": made, "out": tmp_path / "run", "discretize": "bits=2"}
    hopefear.tune("pro", **given, **options)
    cloud = hopefear.inspect(tmp_path / "run", sentence="0", dev=True, out=tmp_path / "cloud.svg")
    assert cloud is not None


def test_a_feature_that_is_not_there_cannot_be_discretized(
    made: Path, data: dict[str, Any]
) -> None:
    with pytest.raises(DataError, match="no feature of rules that varies matches zork"):
        hopefear.tune("pro", model=made, **data, discretize="features=zork")
