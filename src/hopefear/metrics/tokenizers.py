"""sacreBLEU's tokenizers, by name."""

from functools import cache
from typing import Protocol

from sacrebleu import BLEU

from hopefear.errors import ConfigError

__all__ = ["TOKENIZERS", "Tokenizer", "tokenizer"]

TOKENIZERS = frozenset(BLEU.TOKENIZERS)


class Tokenizer(Protocol):
    """From text to words separated by blanks."""

    def __call__(self, line: str) -> str:
        """Return the words of `line`, separated by blanks."""

    def signature(self) -> str:
        """Return what stands for the tokenizer in a signature."""


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called `name`.

    Some of them need a package or a model that is not there: a ConfigError says so.
    """
    try:
        tokenize: Tokenizer = BLEU(tokenize=name).tokenizer
    except Exception as error:  # what sacreBLEU raises differs from tokenizer to tokenizer
        raise ConfigError(f"tokenizer '{name}' cannot be used here: {error}") from error
    return tokenize
