"""Counts of words that language models do not know, against whole derivations."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopefear
from decoder_reference import aligned_rules
from hopefear.demo import generated_corpus
from hopefear.grammar import Rule
from hopefear.translation import Decoder, DecoderOptions, glue_grammar
from hopefear.translation.features import UnknownToLanguageModels
from hopefear.translation.language_model import LanguageModel
from hopefear.types import Weights
from small_models import built, sentences, write_language_model

NARROW = """\\data\\
ngram 1=4
ngram 2=1

\\1-grams:
-1\t<unk>
0\t<s>\t-0.5
-1\t</s>
-1\ta\t-0.5

\\2-grams:
-0.5\t<s> a

\\end\\
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LanguageModel]:
    folder: Path = tmp_path_factory.mktemp("models")
    (folder / "narrow.arpa").write_text(NARROW)
    return {
        "LM0": write_language_model(folder / "lm.arpa", seed=5),
        "narrow": LanguageModel(str(folder / "narrow.arpa")),
    }


@settings(max_examples=60)
@given(st.lists(aligned_rules(), max_size=6), sentences)
def test_derivations_count_the_words_that_each_language_model_does_not_know(
    models: dict[str, LanguageModel], rules: list[Rule], words: list[str]
) -> None:
    decoder = Decoder(
        built(rules),
        models,
        Weights({"LM0": 1.0, "narrow_OOV": -0.5}),
        glue=glue_grammar(["X", "Y"]),
        options=DecoderOptions(identity_rules=True, max_span=3),
        templates=[UnknownToLanguageModels()],
    )
    for forest in (decoder.parse(words), decoder.forest(words)):
        for derivation in forest.kbest(Weights(), 200):
            found = [w for w in derivation.words if w not in ("<s>", "</s>")]
            for name, model in models.items():
                unknown = sum(word not in model for word in found)
                assert derivation.features.get(f"{name}_OOV", 0.0) == unknown


def test_a_model_counts_unknown_words_if_it_is_asked_to(tmp_path: Path) -> None:
    corpus = generated_corpus(train=200, dev=5, test=5)
    corpus.write(tmp_path)
    model = hopefear.train(
        out=tmp_path / "model",
        source=tmp_path / "train.source",
        target=tmp_path / "train.target",
        aligner="diagonal",
        lm_order=2,
        features=["oov"],
    )
    (found,) = hopefear.translate(model, ["toma zzz qqq"])
    assert found.best.features["LM0_OOV"] == 2.0
    assert "LM0_OOV" in hopefear.Model(model.path).decoder().feature_names
