"""Models on disk: loading, copying, and errors."""

import os
from pathlib import Path

import pytest

from hopefear import Model, Weights
from hopefear.errors import ConfigError, FormatError, HopefearError
from hopefear.grammar import Rule
from hopefear.translation import GrammarUse
from small_models import built


def rewrite(model: Path, old: str, new: str) -> None:
    settings = model / "model.toml"
    text = settings.read_text()
    assert old in text
    settings.write_text(text.replace(old, new))


def test_a_model_translates(made: Path) -> None:
    derivation = Model(made).decoder().translate(["velký", "pes", "vidí", "dům"])
    assert derivation.text == "dog big sees house"


def test_a_copy_translates_the_same_with_the_weights_it_was_given(
    made: Path, tmp_path: Path
) -> None:
    model = Model(made)
    weights = Weights({**model.weights, "LM0": 0.25})
    copied = model.save(tmp_path / "new", weights=weights)
    assert copied.weights == weights
    assert copied.settings == model.settings
    words = ["starý", "muž", "hledá", "vlak"]
    best = [
        decoder.translate(words) for decoder in (copied.decoder(), model.decoder(weights=weights))
    ]
    assert best[0].text == best[1].text
    assert best[0].score == best[1].score


def test_decoder_settings_of_a_model_can_be_overridden(made: Path) -> None:
    decoder = Model(made).decoder(pop_limit=7, number_rules=True)
    assert (decoder.options.pop_limit, decoder.options.number_rules) == (7, True)
    with pytest.raises(ConfigError, match="unknown key; did you mean 'pop_limit'"):
        Model(made).decoder(pop_limits=7)


def test_the_weights_of_the_model_select_rules_for_other_weights(
    made: Path, tmp_path: Path
) -> None:
    model = Model(made).save(tmp_path / "new", weights=Weights({"p": 1.0}))
    rules = [Rule(source=("a",), target=(str(i),), features={"p": i}) for i in range(9)]
    further = [GrammarUse(grammar=built(rules))]
    forest = model.decoder(Weights({"p": -1.0}), further=further, rule_limit=2).parse(["a"])
    assert {d.words[1] for d in forest.kbest(Weights({}), 100)} == {"7", "8"}


def test_a_model_is_not_copied_over_other_files(made: Path, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine")
    with pytest.raises(ConfigError, match="must be new or empty"):
        Model(made).save(tmp_path)


@pytest.mark.parametrize("name", ["../grammar.bin", "/etc/passwd", "a/../../b", ""])
def test_files_outside_the_directory_are_refused(copy: Path, name: str) -> None:
    rewrite(copy, '"grammar.bin"', f'"{name}"')
    with pytest.raises(FormatError, match="is not a path inside the model's directory"):
        Model(copy)


def test_links_out_of_the_directory_are_refused(copy: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.bin"
    (copy / "grammar.bin").rename(outside)
    (copy / "grammar.bin").symlink_to(outside)
    with pytest.raises(FormatError, match=r"grammar\.bin: links to a file outside"):
        Model(copy)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version = 1", "version = 2", r"model\.toml: version: .* got 2"),
        ('"grammar.bin"', '"other.bin"', r"other\.bin: file not found; .*model\.toml refers to it"),
        ("max_span", "max_spam", r"model\.toml: decoder\.max_spam: unknown key"),
        ("[decoder]", "[decoder", r"model\.toml: "),
        ('weights = "weights.tsv"', 'weights = "grammar.bin"', r"grammar\.bin"),
        ('"lm0.kenlm"', '"weights.tsv"', r"weights\.tsv"),
    ],
)
def test_errors_name_invalid_settings_and_files(
    copy: Path, old: str, new: str, message: str
) -> None:
    rewrite(copy, old, new)
    with pytest.raises(FormatError, match=message):
        Model(copy)


def test_a_directory_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="none: no such model directory"):
        Model(tmp_path / "none")
    with pytest.raises(FormatError, match=r"has no model\.toml"):
        Model(tmp_path)


@pytest.mark.parametrize("name", ["grammar.bin", "lm0.kenlm", "weights.tsv"])
def test_truncated_files_are_errors_with_their_names(copy: Path, name: str) -> None:
    size = (copy / name).stat().st_size
    os.truncate(copy / name, size - size // 3)
    with pytest.raises(HopefearError, match=name):
        Model(copy)


def test_checksums_are_verified_on_request(copy: Path) -> None:
    grammar = copy / "grammar.bin"
    content = bytearray(grammar.read_bytes())
    content[-20] ^= 1
    grammar.write_bytes(content)
    with pytest.raises(FormatError, match=r"grammar\.bin"):
        Model(copy, verify=True)
