"""Rule features in another form, which do not change what rules are considered."""

import math
from pathlib import Path

import pytest

import hopefear
from hopefear import Model, Weights
from hopefear.errors import ConfigError
from hopefear.events import EpochFinished, RunStarted
from hopefear.forest import Forest
from hopefear.translation.features import UnknownToLanguageModels
from hopefear.translation.model import RunFeatures, run_features
from hopefear.translation.uses import FeatureViewName
from small_models import sentence_pairs

SENTENCES = [f.split() for f, _ in sentence_pairs()[3::40]]
PROBABILITIES = ("p_f_given_e", "p_e_given_f", "lex_f_given_e", "lex_e_given_f")


def edges(forest: Forest) -> list[tuple[object, ...]]:
    return [
        (forest.head(e), *forest.tails(e).tolist(), *forest.target(e))
        for e in range(forest.edge_count)
    ]


def test_probabilities_and_counts_are_those_of_the_same_rules(made: Path) -> None:
    model = Model(made)
    views: dict[str, FeatureViewName] = {
        "p_*": "value",
        "lex_*": "none",
        "count_f": "value",
        "count_f_e": "rarity",
    }
    other = model.with_features(RunFeatures(views=views))
    counts = {
        (rule.source, rule.target): rule.features for use in model.grammars for rule in use.grammar
    }
    seen = 0
    for words in SENTENCES:
        # With few rules a side, other features would choose other ones.
        plain, viewed = (m.decoder(rule_limit=2).parse(words) for m in (model, other))
        assert edges(plain) == edges(viewed)
        for edge in range(plain.edge_count):
            logs, values = plain.features(edge), viewed.features(edge)
            for name in ("p_f_given_e", "p_e_given_f"):
                assert math.exp(logs.get(name, 0.0)) == pytest.approx(values.get(name, 1.0))
            assert not {"lex_f_given_e", "lex_e_given_f"} & values.keys()
            if "count_f" in values:
                seen += 1
                target = tuple(plain.target(edge))
                found = [f for (_, t), f in counts.items() if t == target]
                assert any(
                    values["count_f"] == f["count_f"]
                    and values["count_f_e"] == pytest.approx(math.exp(1 - f["count_f_e"]))
                    for f in found
                )
    assert seen > 50


def test_features_that_are_left_out_have_no_weights(made: Path) -> None:
    model = Model(made).with_features(
        RunFeatures(views={"p_f_given_e": "none", "PhrasePenalty": "none", "no_such": "none"})
    )
    decoder = model.decoder()
    assert decoder.dropped_features == {"p_f_given_e", "PhrasePenalty"}
    assert not decoder.dropped_features & set(model.weights)
    assert model.weights["WordPenalty"] == Model(made).weights["WordPenalty"]
    for words in SENTENCES[:5]:
        assert not decoder.dropped_features & set(decoder.translate(words).features)


def test_the_last_view_of_a_feature_counts(made: Path) -> None:
    model = Model(made).with_features(
        RunFeatures(views={"*": "none", "p_e_given_f": "value", "WordPenalty": "none"})
    )
    found = set(model.decoder().feature_names)
    assert "p_e_given_f" in found
    assert not {"WordPenalty", "p_f_given_e", "count_f"} & found


def test_a_saved_copy_translates_the_same(made: Path, tmp_path: Path) -> None:
    model = Model(made).with_features(
        RunFeatures(views={"p_*": "value"}, templates=(UnknownToLanguageModels(),))
    )
    weights = Weights({**model.weights, "p_e_given_f": 3.0, "LM0": 0.3, "LM0_OOV": -1.0})
    saved = model.save(tmp_path / "saved", weights=weights)
    loaded = Model(saved.path)
    assert loaded.weights == weights
    assert loaded.rule_weights == Model(made).weights
    for words in SENTENCES:
        ours = loaded.decoder(rule_limit=2).translate(words)
        theirs = model.decoder(weights, rule_limit=2).translate(words)
        assert (ours.text, ours.features) == (theirs.text, theirs.features)
    again = loaded.save(tmp_path / "again")
    assert Model(again.path).rule_weights == Model(made).weights


@pytest.mark.parametrize(
    ("views", "problem"),
    [
        ({"q_*": "value"}, "no feature of the grammars matches 'q_"),
        ({"WordPenalty": "logarithm"}, "its only view is none, not logarithm"),
    ],
)
def test_views_that_cannot_be_are_refused(
    made: Path, views: dict[str, FeatureViewName], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        Model(made).with_features(RunFeatures(views=views))


@pytest.mark.parametrize("preset", ["clark2014-p", "clark2014-logp"])
def test_a_run_tunes_other_views_and_its_weights_translate_with_them(
    made: Path, tmp_path: Path, preset: str
) -> None:
    pairs = sentence_pairs()[3::40]
    (tmp_path / "f").write_text("".join(f"{f}\n" for f, _ in pairs))
    (tmp_path / "e").write_text("".join(f"{e}\n" for _, e in pairs))
    events = list(
        hopefear.tune_events(
            preset,
            model=made,
            source=tmp_path / "f",
            refs=tmp_path / "e",
            decodings=2,
            list_size=20,
            out=tmp_path / "run",
        )
    )
    started = next(event for event in events if isinstance(event, RunStarted))
    assert not {"p_f_given_e", "PhrasePenalty"} & set(started.weights)
    assert set(started.weights) >= {"p_e_given_f", "lex_e_given_f", "LM0_OOV", "LM0"}
    own = run_features(tmp_path / "run")
    assert own.templates == (UnknownToLanguageModels(),)
    model = Model(made).with_features(own)
    last = [event for event in events if isinstance(event, EpochFinished)][-1]
    lines = [f for f, _ in pairs]
    found = [t.text for t in hopefear.translate(made, lines, weights=tmp_path / "run")]
    assert found == [t.text for t in hopefear.translate(model, lines, weights=last.weights)]
    values = [
        derivation.features["p_e_given_f"]
        for t in hopefear.translate(made, lines, weights=tmp_path / "run", nbest=5)
        for derivation in t.derivations
        if "p_e_given_f" in derivation.features
    ]
    assert values
    assert all(value > 0 if preset == "clark2014-p" else value <= 0 for value in values)


def test_views_are_for_a_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="views and templates are for the features of a model"):
        list(
            hopefear.tune_events(
                "pro", nbest="n", refs="r", set=['views={"p_*" = "value"}'], out=tmp_path / "run"
            )
        )
