"""Translation of texts with a model."""

import gzip
import itertools
import os
import threading
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any, cast

import pytest

import hopefear
from hopefear import Model, Weights
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.translation.features import FeatureSet
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.translate import show_derivation
from small_models import sentence_pairs, write_bitext


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("translation")
    source, target = write_bitext(folder, every=7)
    return build(TrainSettings(source=source, target=target), folder / "model")


def test_unseen_sentences_are_translated(model: Model) -> None:
    pairs = sentence_pairs()[1::7]
    found = [t.text for t in hopefear.translate(model, [f for f, _ in pairs])]
    right = sum(text == target for text, (_, target) in zip(found, pairs, strict=True))
    assert right > 0.9 * len(pairs)


def test_unknown_words_are_copied_and_empty_lines_stay_empty(model: Model) -> None:
    found = hopefear.translate(model.path, ["pes vidí Xanthippu", "", "  \t ", "zzz"])
    assert [t.text for t in found] == ["dog sees Xanthippu", "", "", "zzz"]


def test_words_that_look_like_markup_are_copied(model: Model) -> None:
    found = hopefear.translate(model, ["<s> pes </s>", "<unk> [X] ||| [X,1]"])
    texts = [t.text for t in found]
    assert "dog" in texts[0]
    assert texts[1] == "<unk> [X] ||| [X,1]"


def test_a_line_of_500_words_is_translated(model: Model) -> None:
    words = ["velký", "pes", "vidí", "nový", "dům"] * 100
    (found,) = hopefear.translate(model, [" ".join(words)])
    assert found.text.split().count("dog") == 100


def test_translations_and_their_order_do_not_depend_on_threads(model: Model) -> None:
    lines = [f for f, _ in sentence_pairs()[::5]]
    first, *others = (
        [(t.number, t.text, t.best.score) for t in hopefear.translate(model, lines, threads=n)]
        for n in (1, 2, 5)
    )
    assert [number for number, _, _ in first] == list(range(len(lines)))
    assert others == [first, first]


def test_a_translation_does_not_wait_for_the_next_line(model: Model) -> None:
    taken: list[str] = []
    first_is_out = threading.Event()

    def waiting() -> Iterator[str]:
        yield "pes"
        assert first_is_out.wait(60)
        yield "dům"

    translations = hopefear.translate(model, waiting(), threads=2)
    taken.append(next(translations).text)
    first_is_out.set()
    assert [*taken, *(t.text for t in translations)] == ["dog", "house"]


def test_endless_input_is_read_lazily(model: Model) -> None:
    translations = hopefear.translate(model, itertools.repeat("pes"), threads=2)
    assert [t.text for t in itertools.islice(translations, 5)] == ["dog"] * 5


def test_nbest_lists_are_different_texts_with_the_scores_of_their_features(model: Model) -> None:
    (found,) = hopefear.translate(model, ["velký pes vidí dům"], nbest=10)
    texts = [h.text for h in found.segment.hypotheses]
    assert texts[0] == found.text
    assert 1 < len(set(texts)) == len(texts) <= 10
    for hypothesis in found.segment.hypotheses:
        score = model.weights.dot(hypothesis.features)
        assert hypothesis.score == pytest.approx(score, rel=1e-9)


def test_other_weights_must_fit_the_model(model: Model, tmp_path: Path) -> None:
    weights = {**model.weights, "LM0": -5.0}
    (found,) = hopefear.translate(model, ["velký pes vidí dům"], weights=weights)
    assert found.text != "dog big sees house"
    assert found.best.score == pytest.approx(Weights(weights).dot(found.best.features), rel=1e-9)
    with pytest.raises(DataError, match="no weight belongs to a feature of the model"):
        hopefear.translate(model, ["pes"], weights={"tm": 1.0})
    with pytest.raises(DataError, match=r"no weights\.tsv"):
        hopefear.translate(model, ["pes"], weights=tmp_path)
    with pytest.raises(ConfigError, match="nbest"):
        hopefear.translate(model, ["pes"], nbest=-1)


def test_forests_are_returned_on_request(model: Model) -> None:
    (found,) = hopefear.translate(model, ["velký pes"], forests=True)
    assert found.forest is not None
    assert found.forest.count() > 1
    assert found.best.text == found.forest.viterbi(model.weights).text


def test_a_derivation_is_shown_as_a_tree_of_rules(model: Model) -> None:
    weights = {**model.weights, "Glue": -20.0}
    (found,) = hopefear.translate(model, ["velký pes vidí Xanthippu"], weights=weights)
    shown = show_derivation(found)
    assert "Xanthippu → Xanthippu" in shown
    words = [word for line in shown.split("\n") for word in line.partition("→")[0].split()]
    source = [word for word in words if not word.startswith("[")]
    assert sorted(source) == sorted(["velký", "pes", "vidí", "Xanthippu"])


@pytest.mark.parametrize("name", ["0", "0.gz", "grammar.0", "grammar.0.gz", "own.gz"])
def test_a_sentence_can_have_its_own_grammar(model: Model, tmp_path: Path, name: str) -> None:
    rule = b"[X] ||| gnu ||| wildebeest ||| p_e_given_f=0\n"
    (tmp_path / name).write_bytes(gzip.compress(rule) if name.endswith(".gz") else rule)
    line = (
        f'<seg id="0" grammar="{name}">pes vidí gnu</seg>' if name == "own.gz" else "pes vidí gnu"
    )
    (found,) = hopefear.translate(model, [line], grammars=tmp_path)
    assert found.text == "dog sees wildebeest"


@pytest.mark.parametrize("name", ["../outside", "none"])
def test_a_grammar_outside_the_directory_is_not_read(
    model: Model, tmp_path: Path, name: str
) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").write_text("[X] ||| gnu ||| wildebeest ||| p=1\n")
    line = f'<seg grammar="{name}">gnu</seg>'
    with pytest.raises(DataError, match=r"sentence 1: .*no grammar for the sentence"):
        list(hopefear.translate(model, [line], grammars=tmp_path / "inside"))


@pytest.mark.parametrize("name", ["none", "../outside", "a\0b", "x" * 5000, '"><seg'])
def test_a_line_that_names_no_grammar_is_a_bad_line_and_a_missing_one_is_not(
    model: Model, tmp_path: Path, name: str
) -> None:
    for number in range(3):
        (tmp_path / f"{number}").write_text("[X] ||| gnu ||| wildebeest ||| p_e_given_f=0\n")
    lines = ["pes", f'<seg grammar="{name}">gnu</seg>', "muž"]
    found = hopefear.translate(model, lines, grammars=tmp_path, on_error="skip", threads=1)
    assert [one.text for one in found] == ["dog", "", "man"]
    found = hopefear.translate(model, ["pes"] * 4, grammars=tmp_path, on_error="skip", threads=1)
    with pytest.raises(FormatError, match=r"sentence 4: .*no grammar for the sentence"):
        list(found)


@pytest.mark.parametrize("threads", [1, 2])
def test_lines_that_cannot_be_translated_are_errors_or_skipped(model: Model, threads: int) -> None:
    lines = ["pes", b"mu\xff".decode(errors="surrogateescape"), "muž"]
    with pytest.raises(DataError, match="sentence 2: is not UTF-8"):
        list(hopefear.translate(model, lines, threads=threads))
    found = list(hopefear.translate(model, lines, threads=threads, on_error="skip"))
    assert [(t.text, t.derivations == []) for t in found] == [
        ("dog", False),
        ("", True),
        ("man", False),
    ]
    assert found[1].error == "sentence 2: is not UTF-8 (byte 3 of the line)"
    found = list(hopefear.translate(model, lines, threads=threads, on_error="copy"))
    assert [t.text for t in found] == ["dog", lines[1], "man"]


def test_bad_lines_do_not_disturb_features_of_functions(model: Model) -> None:
    own = copy(model)
    own.features = FeatureSet(templates=[lambda rule: {"length": len(rule.target)}])
    found = hopefear.translate(own, ["pes", "\udcff", "muž"], threads=2, on_error="skip")
    assert [t.text for t in found] == ["dog", "", "man"]


def test_a_model_that_changes_is_never_skipped(model: Model, tmp_path: Path) -> None:
    copied = model.save(tmp_path / "copy")
    decoded = hopefear.translate(copied, iter(["pes", "muž"]), threads=1, on_error="skip")
    assert next(decoded).text == "dog"
    os.truncate(copied.path / "grammar.bin", 1000)
    with pytest.raises(FormatError, match=r"grammar\.bin"):
        next(decoded)


def test_what_translate_is_asked_for_is_checked(model: Model) -> None:
    with pytest.raises(ConfigError, match="on_error must be one of stop, skip, copy"):
        hopefear.translate(model, [], on_error=cast("Any", "ignore"))
    with pytest.raises(ConfigError, match="window must be >= 0"):
        hopefear.translate(model, [], window=-1)
