"""sacreBLEU's tokenizers, by name."""

from functools import cache
from typing import Protocol

from hopefear.errors import ConfigError

__all__ = ["TOKENIZERS", "Tokenizer", "tokenizer"]

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
