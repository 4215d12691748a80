"""Recognition of tokenized texts, and warnings about the wrong tokenizer."""

from pathlib import Path

import pytest

import hopefear
from hopefear.errors import HopefearWarning
from hopefear.events import Warned
from hopefear.metrics import Bleu, References, check_tokenization
from hopefear.text.tokenizers import TokenizerName, is_tokenized

TOKENIZED = ["hope , not fear , moves us .", "who is it ? nobody !"] * 5 + ["mr. smith ."]


WRITTEN = ["Hope, not fear, moves us.", "Who is it? Nobody!"] * 5 + ["Mr. Smith."]


def test_separated_and_attached_punctuation_are_recognized() -> None:
    assert is_tokenized(TOKENIZED) is True
    assert is_tokenized(WRITTEN) is False
    assert is_tokenized([*TOKENIZED, *WRITTEN]) is None
    # a transcript of speech with few marks
    assert is_tokenized(["mh. oh", *["and so on"] * 30] * 10) is None
    assert is_tokenized(["mh. oh", *["and so on"] * 10] * 10) is False
    assert is_tokenized(["no punctuation at all"] * 100) is None
    assert is_tokenized([]) is None


@pytest.mark.parametrize(
    ("texts", "tokenize", "advice"),
    [
        (TOKENIZED, "13a", "--tokenize none"),
        (TOKENIZED, "none", None),
        (TOKENIZED, "char", None),
        (WRITTEN, "none", "--tokenize 13a"),
        (WRITTEN, "13a", None),
    ],
)
def test_the_warning_names_the_option_that_helps(
    texts: list[str], tokenize: str, advice: str | None
) -> None:
    message = check_tokenization(tokenize, References([[text] for text in texts]))
    assert (message is None) == (advice is None)
    assert advice is None or (message is not None and advice in message)


def test_evaluation_warns_and_still_uses_the_given_tokenizer() -> None:
    with pytest.warns(HopefearWarning, match="bleu: .*already tokenized.*--tokenize none"):
        found = hopefear.evaluate(hyp={"a": TOKENIZED}, refs=[TOKENIZED], resamples=0)
    assert "tok:13a" in found.systems[0].metrics["bleu"].signature
    hopefear.evaluate(hyp={"a": WRITTEN}, refs=[WRITTEN], resamples=0)
    hopefear.evaluate(hyp={"a": TOKENIZED}, refs=[TOKENIZED], tokenize="none", resamples=0)


def test_tuning_warns(tmp_path: Path) -> None:
    lines = []
    for i, text in enumerate(TOKENIZED):
        lines += [f"{i} ||| {text} ||| a= 1 b= {i % 3} ||| 0", f"{i} ||| no ||| a= 0 b= 1 ||| 0"]
    (tmp_path / "nbest").write_text("\n".join(lines) + "\n")
    (tmp_path / "refs").write_text("\n".join(TOKENIZED) + "\n")

    def messages(tokenize: TokenizerName) -> list[str]:
        events = hopefear.tune_events(
            "kbest-mira",
            nbest=tmp_path / "nbest",
            refs=tmp_path / "refs",
            start="ones",
            metric=Bleu(tokenize=tokenize),
        )
        return [event.message for event in events if isinstance(event, Warned)]

    assert any("refs: the references are already tokenized" in text for text in messages("13a"))
    assert not any("tokenized" in text for text in messages("none"))
