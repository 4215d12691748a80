"""sacreBLEU's tokenizers by name, and a test whether texts are already tokenized."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal, Protocol

from hopefear.errors import ConfigError

__all__ = ["Tokenizer", "TokenizerName", "is_tokenized", "tokenizer"]

# Listed here, because importing sacreBLEU takes 10 MB of memory and a tenth of a second.
TokenizerName = Literal[
    "13a",
    "char",
    "flores101",
    "flores200",
    "intl",
    "ja-mecab",
    "ko-mecab",
    "none",
    "spBLEU-1K",
    "spm",
    "zh",
]


class Tokenizer(Protocol):
    """Turns text into words that are separated by spaces."""

    def __call__(self, line: str) -> str:
        """Return the words of `line`, separated by spaces."""

    def signature(self) -> str:
        """Return the tokenizer's name in a signature."""


class _Blanks:
    """Keeps the words as they are."""

    def __call__(self, line: str) -> str:
        return line

    def signature(self) -> str:
        return "none"


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called `name`.

    Some need an optional package or a model; without it this raises ConfigError.
    """
    if name == "none":
        return _Blanks()
    from sacrebleu import BLEU

    try:
        tokenize: Tokenizer = BLEU(tokenize=name).tokenizer
    except Exception as error:  # each tokenizer of sacreBLEU raises something else
        raise ConfigError(f"tokenizer '{name}' cannot be used here: {error}") from error
    return tokenize


_SEPARATE = re.compile(r"(?<!\S)[.,!?;:](?!\S)")


_ATTACHED = re.compile(r"\w[.,!?;:](?!\S)")


# The answer needs this many punctuation marks in total and per text (transcripts of speech have a
# stray one here and there), and this share of one kind (abbreviations keep their full stop).
FEWEST, FEWEST_A_TEXT, MOST = 10, 0.05, 0.9


def is_tokenized(texts: Iterable[str]) -> bool | None:
    """Return whether spaces separate nearly all punctuation from words; None if it is unclear.

    Examples
    --------
    >>> is_tokenized(["hope , not fear ."] * 5), is_tokenized(["Hope, not fear."] * 5)
    (True, False)
    >>> is_tokenized(["no mark at all"]) is None
    True
    """
    separate = attached = count = 0
    for text in texts:
        count += 1
        separate += len(_SEPARATE.findall(text))
        attached += len(_ATTACHED.findall(text))
    seen = separate + attached
    if seen < max(FEWEST, FEWEST_A_TEXT * count) or MOST * seen > max(separate, attached):
        return None
    return separate > attached
