from pathlib import Path

import pytest

from hopefear.errors import FormatError
from hopefear.language_model import LanguageModel

# Probabilities and back-off weights are powers of two, exact in single precision.
ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.5\t<unk>
0\t<s>\t-0.25
-0.5\t</s>
-0.75\thope\t-0.125
-1\tfear\t-0.5

\\2-grams:
-0.25\t<s> hope
-0.375\thope fear
-0.0625\tfear </s>

\\end\\
"""


@pytest.fixture
def model(tmp_path: Path) -> LanguageModel:
    path = tmp_path / "toy.arpa"
    path.write_text(ARPA)
    return LanguageModel(str(path))


def test_a_model_knows_its_order_and_words(model: LanguageModel) -> None:
    assert model.order == 2
    assert "hope" in model
    assert "joy" not in model


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hope", "fear"], -0.25 - 0.375 - 0.0625),  # all bigrams are listed
        (["fear"], (-0.25 - 1.0) - 0.0625),  # <s> fear backs off
        (["hope"], -0.25 + (-0.125 - 0.5)),  # hope </s> backs off
        (["joy"], (-0.25 - 1.5) - 0.5),  # an unknown word has no back-off of its own
        ([], -0.25 - 0.5),
    ],
)
def test_sentences_score_as_the_back_off_formula_says(
    model: LanguageModel, words: list[str], expected: float
) -> None:
    assert model.score(words) == expected


def test_a_fragment_can_be_scored_without_its_ends(model: LanguageModel) -> None:
    assert model.score(["hope", "fear"], begin=False, end=False) == -0.75 - 0.375


def test_a_file_that_is_no_language_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a model\n")
    with pytest.raises(FormatError, match=r"notes\.txt: not a language model that KenLM can read"):
        LanguageModel(str(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere\.arpa"):
        LanguageModel(str(tmp_path / "nowhere.arpa"))
