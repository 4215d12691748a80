"""Decoding with the rules, language model and weights of Moses: the same features and scores."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.decoder import NAMES, read_weights, sentences

from hopefear.forest import Derivation
from hopefear.formats.rules import read_rules
from hopefear.translation import Decoder
from hopefear.translation.language_model import load_language_model
from hopefear.types import Hypothesis


@pytest.fixture(scope="module")
def translated(shared_data: Path) -> list[tuple[Derivation, Hypothesis]]:
    """Return our translations beside those of Moses."""
    peers = shared_data / "multi30k-cs-en/peers"
    glue = read_rules(peers / "glue-grammar.moses", "moses:label=TranslationModel1").build()
    rules = read_rules(peers / "val200.rule-table.moses.gz", "moses:label=TranslationModel0")
    decoder = Decoder(
        rules.build(),
        {"LM0": load_language_model(peers / "train.en.5gram.lmplz.arpa.gz")},
        read_weights(peers / "val200.weights.txt"),
        glue=glue,
        names=NAMES,
    )
    ours = decoder.translate_all(sentences(shared_data))
    theirs = moses_translations(peers / "val200.moses-pop200.1best.gz")
    return list(zip(ours, theirs, strict=True))


def moses_translations(path: Path) -> Iterator[Hypothesis]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            _, text, features, score = line.split(" ||| ")
            named: dict[str, float] = {}
            name = ""
            for token in features.split():
                if token.endswith("="):
                    name, number = token.removesuffix("="), 0
                    continue
                key = f"{name}_{number}" if name == "TranslationModel0" else name
                named[key] = float(token)
                number += 1
            yield Hypothesis(text=text.strip(), features=named, score=float(score))


def test_scores_are_as_high_as_those_of_moses(
    translated: list[tuple[Derivation, Hypothesis]],
) -> None:
    assert len(translated) == 200
    assert sum(ours.score for ours, _ in translated) / 200 >= -40.87


def test_where_the_score_is_the_same_the_features_are(
    translated: list[tuple[Derivation, Hypothesis]],
) -> None:
    same = 0
    for ours, theirs in translated:
        assert theirs.score is not None
        if ours.text != theirs.text or abs(ours.score - theirs.score) > 1e-3:
            continue
        same += 1
        for name, value in theirs.features.items():
            # Moses writes six digits, and reads probabilities in single precision.
            assert ours.features[name] == pytest.approx(value, rel=1e-4, abs=2e-3), name
    assert same >= 180
