"""sacreBLEU's tokenizers, by name, and whether texts are tokenized already."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Protocol

from hopefear.errors import ConfigError

__all__ = ["TOKENIZERS", "Tokenizer", "is_tokenized", "tokenizer"]

# Listed here, because asking sacreBLEU takes 10 MB of memory and a tenth of a second.
TOKENIZERS = frozenset(
    [
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
)


class Tokenizer(Protocol):
    """From text to words separated by blanks."""

    def __call__(self, line: str) -> str:
        """Return the words of `line`, separated by blanks."""

    def signature(self) -> str:
        """Return what stands for the tokenizer in a signature."""


class _Blanks:
    """Leaves the words as they are."""

    def __call__(self, line: str) -> str:
        return line

    def signature(self) -> str:
        return "none"


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called `name`.

    Some of them need a package or a model that is not there: a ConfigError says so.
    """
    if name == "none":
        return _Blanks()
    from sacrebleu import BLEU

    try:
        tokenize: Tokenizer = BLEU(tokenize=name).tokenizer
    except Exception as error:  # what sacreBLEU raises differs from tokenizer to tokenizer
        raise ConfigError(f"tokenizer '{name}' cannot be used here: {error}") from error
    return tokenize


_SEPARATE = re.compile(r"(?<!\S)[.,!?;:](?!\S)")


_ATTACHED = re.compile(r"\w[.,!?;:](?!\S)")


# Punctuation marks to be seen before anything is said, in all and a text (transcripts of speech
# have a stray one here and there), and the share that must be of one kind: abbreviations keep their
# full stop.
FEWEST, FEWEST_A_TEXT, MOST = 10, 0.05, 0.9


def is_tokenized(texts: Iterable[str]) -> bool | None:
    """Say whether punctuation stands for itself nearly everywhere; None if that is not clear.

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
