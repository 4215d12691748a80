"""Models with templates: training selects features, decoders use them."""

import itertools
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hopefear import Model, train
from hopefear.errors import ConfigError, FormatError
from hopefear.formats import read_lines
from hopefear.grammar import Rule
from hopefear.registry import Registry
from hopefear.translation.features import LexicalTemplate, Special, feature_name, templates
from hopefear.translation.training.stages import Stage
from hopefear.types import Weights
from small_models import write_bitext

SENTENCE = ["velký", "pes", "vidí", "nový", "dům"]


@templates.register("test-odd-words")
@dataclass(frozen=True, kw_only=True)
class OddWords:
    """Counts words of odd length."""

    name_of_feature: str = "odd"

    def __call__(self, rule: Rule) -> Mapping[str, float]:
        odd = sum(len(word) % 2 for word in rule.target if isinstance(word, str))
        return {self.name_of_feature: odd}


def make(tmp_path: Path, *features: str, settings: str = "") -> Model:
    source, target = write_bitext(tmp_path, every=3)
    file = tmp_path / "settings.toml"
    file.write_text(settings)
    chosen: dict[str, Any] = {"features": features} if features else {}
    return train(
        file,
        out=tmp_path / "model",
        source=source,
        target=target,
        aligner="diagonal",
        lm_order=2,
        **chosen,
    )


def test_a_model_with_all_features_gives_them_to_translations(tmp_path: Path) -> None:
    model = make(tmp_path, "large", "patterns", "test-odd-words")
    best = Model(model.path).decoder().translate(SENTENCE)
    kinds = {name.partition(":")[0] for name in best.features if ":" in name}
    assert kinds == {"lex", "pair", "unigram", "bigram", "trigram", "trigger"}
    words = best.words
    assert best.features["lex:dog"] == best.features["unigram:dog"] == words.count("dog")
    assert best.features["lex:pes/dog"] == best.features["pair:pes/dog"] == words.count("dog")
    assert best.features["trigger:pes/dog"] == words.count("dog")
    assert best.features["bigram:dog/big"] == best.text.count("dog big")
    odd = sum(len(word) % 2 for word in words)
    assert best.features["odd"] == odd + sum(len(word) % 2 for word in ("<s>", "</s>"))


def test_weights_of_these_features_change_the_translation(tmp_path: Path) -> None:
    model = make(tmp_path, "large", "patterns")
    plain = model.decoder().translate(SENTENCE)
    assert plain.features["lex:pes/dog"] == 1
    for name in ("lex:dog", "trigger:pes/dog", "bigram:dog/big"):
        weights = model.weights + Weights({name: -50.0})
        other = model.decoder(weights, identity_rules=True).translate(SENTENCE)
        assert other.features.get(name, 0) == 0
        assert other.words != plain.words


def test_a_stored_forest_is_rescored_with_all_features(tmp_path: Path) -> None:
    decoder = make(tmp_path, "large", "patterns").decoder(pop_limit=0)
    forest = decoder.rescorer().rescore(decoder.parse(SENTENCE), decoder.weights)
    best, expected = forest.viterbi(decoder.weights), decoder.translate(SENTENCE)
    assert best.words == expected.words
    assert best.features == pytest.approx(expected.features)


def test_thresholds_and_limits_are_settings(tmp_path: Path) -> None:
    text = """
        [[templates]]
        name = "large"
        min_count = 1000

        [[templates]]
        name = "patterns"
        triggers = 3
        bigrams = 2
        trigrams = 0
    """
    model = make(tmp_path, settings=text)
    best = model.decoder().translate(SENTENCE)
    assert best.features["lex:<unk>"] == len(best.words)
    assert len(model.features.word_features.triggers) == 3
    assert len(model.features.word_features.ngrams) == 2


def test_features_are_selected_once(tmp_path: Path) -> None:
    make(tmp_path, "large")
    seen: list[Stage] = []
    for features in (["large"], ["large", "patterns"], "small"):
        model = train(
            out=tmp_path / "model",
            source=tmp_path / "train.f",
            target=tmp_path / "train.e",
            aligner="diagonal",
            lm_order=2,
            features=features,
            on_stage=seen.append,
        )
    chosen = [(stage.name, stage.reused) for stage in seen if "features" in stage.name]
    assert chosen == [
        ("features-large", True),
        ("features-large", True),
        ("features-patterns", False),
    ]
    assert model.features.templates == []


def test_a_copy_of_a_model_has_the_features(tmp_path: Path) -> None:
    model = make(tmp_path, "large")
    copy = model.save(tmp_path / "copy")
    assert copy.features == model.features


def test_a_broken_table_is_an_error_with_file_and_row(tmp_path: Path) -> None:
    model = make(tmp_path, "large")
    (model.path / "features-large.tsv").write_text("target\ta\nlink\ta\n")
    with pytest.raises(FormatError, match=r"features-large\.tsv: row 2: .*\['link', 'a'\]"):
        Model(model.path)


def test_invalid_templates_are_refused(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.write_text("pes [X] ||| dog [X] ||| 1 1 1 1 ||| 0-0\n")
    with pytest.raises(ConfigError, match="features are selected from a bitext") as error:
        train(out=tmp_path / "model", rules=rules, features=["large"])
    assert error.value.settings == ("templates", "source", "target")
    templates.register("test-function")(lambda rule: {})
    with pytest.raises(ConfigError, match="template 'test-function' has no settings: make it a"):
        train(out=tmp_path / "model", rules=rules, features=["test-function"])
    with pytest.raises(ConfigError, match=r"templates.*'large'"):
        train(out=tmp_path / "model", rules=rules, features=["large", "large"])
    with pytest.raises(ConfigError, match=r"unknown feature template 'larg'; did you mean"):
        train(out=tmp_path / "model", rules=rules, features=["larg"])


def test_a_template_of_an_installed_package_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "further-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: further\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[hopefear.things]\nnice = further_things\n")
    (tmp_path / "further_things.py").write_text(
        "from tests_registry import things\n\n@things.register('nice')\ndef nice(): return 7\n"
    )
    things: Registry[int] = Registry("thing", group="hopefear.things")
    module = ModuleType("tests_registry")
    vars(module)["things"] = things
    monkeypatch.setitem(sys.modules, "tests_registry", module)
    monkeypatch.syspath_prepend(tmp_path)
    assert things["nice"]() == 7
    with pytest.raises(ConfigError, match="unknown thing 'ugly'"):
        things["ugly"]


def test_the_small_model_has_all_its_features(tmp_path: Path) -> None:
    source, target = write_bitext(tmp_path, every=3)
    first = train(
        out=tmp_path / "first", source=source, target=target, aligner="diagonal", lm_order=2
    )
    both = train(
        out=tmp_path / "both",
        source=source,
        target=target,
        aligner="diagonal",
        lm=first.path / "lm0.kenlm",
        lm_order=3,
    )
    decoder = both.decoder(name_rules=True, number_rules=True, identity_rules=True)
    probabilities = {"p_f_given_e", "p_e_given_f", "lex_f_given_e", "lex_e_given_f"}
    passing = {"UnknownWord", "IdentityRule", "NumberRule", "NameRule"}
    penalties = {"PhrasePenalty", "WordPenalty", "Glue"}
    assert set(list(decoder.feature_names)) == probabilities | passing | penalties | {
        "LM0",
        "LM1",
    }
    derivations = decoder.kbest(["Velký", "7", "pes", "neznámý"], 1000, distinct=False)
    used = {name for d in derivations for name, value in d.features.items() if value}
    assert used >= passing | penalties


def test_features_of_real_translations_agree_with_their_words(
    tmp_path: Path, shared_data: Path
) -> None:
    folder = shared_data / "multi30k-cs-en"
    alignments = folder / "peers" / "train.eflomal-gdfa.align.gz"
    files = {"f": folder / "train.cs.gz", "e": folder / "train.en.gz", "a": alignments}
    for name, path in files.items():
        (tmp_path / name).write_text("\n".join([*read_lines(path)[:3000], ""]))
    model = train(
        out=tmp_path / "model",
        source=tmp_path / "f",
        target=tmp_path / "e",
        alignments=tmp_path / "a",
        lm_order=3,
        features=["large", "patterns"],
    )
    listed = model.features.word_features
    template = model.features.templates[0]
    assert isinstance(template, LexicalTemplate)
    known = set(template.target_words)
    decoder = model.decoder(pop_limit=20)
    sentences = [line.split() for line in read_lines(folder / "val.cs.gz")[:15]]
    for sentence, best in zip(sentences, decoder.translate_all(sentences), strict=True):
        words = best.words
        counts = Counter(
            feature_name("lex", word if word in known else Special.UNKNOWN) for word in words
        )
        for order in (2, 3):
            for ngram in zip(*(words[i:] for i in range(order)), strict=False):
                counts.update([listed.ngrams[ngram]] if ngram in listed.ngrams else [])
        for f, e in itertools.product(set(sentence), words):
            counts.update([listed.triggers[f, e]] if (f, e) in listed.triggers else [])
        kinds = ("lex", "bigram", "trigram", "trigger")
        found = {
            name: value
            for name, value in best.features.items()
            if name.split(":")[0] in kinds and not (name.startswith("lex:") and "/" in name)
        }
        assert found == counts
        links = sum(
            v for name, v in best.features.items() if name.startswith("lex:") and "/" in name
        )
        assert links >= len(words)
