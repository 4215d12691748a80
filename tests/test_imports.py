"""Heavy packages are loaded only where they are used."""

import subprocess
import sys
from typing import get_args

import pytest
import sacrebleu

from hopefear.metrics.base import sacrebleu_version
from hopefear.text.tokenizers import TokenizerName, tokenizer

HEAVY = ["sacrebleu", "scipy", "rich", "click", "jinja2"]


def loaded(code: str, *others: str) -> list[str]:
    """Return the heavy packages that are there after running `code` in a new interpreter."""
    names = [*HEAVY, *others]
    command = f"{code}\nimport sys\nprint(*[name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", command], check=True, capture_output=True)
    return done.stdout.decode().split()


@pytest.mark.parametrize("module", ["hopefear", "hopefear.learners", "hopefear.api"])
def test_importing_us_loads_nothing_heavy(module: str) -> None:
    assert loaded(f"import {module}", "importlib.metadata", "email") == []


def test_texts_whose_words_are_separated_are_scored_without_sacrebleu() -> None:
    code = (
        "from hopefear.metrics import Bleu, References\n"
        "metric, references = Bleu(tokenize='none'), References([['a b']])\n"
        "metric.prepare(references).statistics(['a b']), metric.signature(references)"
    )
    assert loaded(code) == []


def test_what_we_say_of_sacrebleu_without_asking_it_is_true() -> None:
    assert sacrebleu_version() == sacrebleu.__version__
    assert set(sacrebleu.BLEU.TOKENIZERS) == set(get_args(TokenizerName))
    judge = sacrebleu.BLEU(tokenize="none").tokenizer
    assert tokenizer("none")(" a  b ") == judge(" a  b ")
    assert tokenizer("none").signature() == judge.signature()
