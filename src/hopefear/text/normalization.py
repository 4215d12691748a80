"""What is done to texts before they are used: Unicode forms, tokenization, lowercase.

Tokenization is that of Moses' scripts, as the package sacremoses has it.
"""

import importlib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from hopefear.errors import ConfigError
from hopefear.settings import require

__all__ = ["Normalization"]


@dataclass(frozen=True, kw_only=True)
class Normalization:
    """How sentences become the words that a model knows.

    Parameters
    ----------
    unicode
        The Unicode normal form to bring texts to, or ``none``.
    punctuation
        Whether quotes, dashes and the like are written in one way (Moses' script, by sacremoses).
    tokenize
        ``none``: words are what blanks separate; ``sacremoses``: Moses' tokenizer, without escapes.
    lowercase
        Whether everything is lowercased.
    source_language, target_language
        Codes such as ``de``, whose abbreviations the tokenizer knows.
    """

    unicode: Literal["none", "nfc", "nfkc"] = "none"
    punctuation: bool = False
    tokenize: Literal["none", "sacremoses"] = "none"
    lowercase: bool = False
    source_language: str = "en"
    target_language: str = "en"

    def __post_init__(self) -> None:
        require.one_of(self, "unicode", ["none", "nfc", "nfkc"])
        require.one_of(self, "tokenize", ["none", "sacremoses"])

    @property
    def keeps_words(self) -> bool:
        """Whether the words stay in their places, so that alignments of the texts stay right."""
        return self.tokenize == "none" and not self.punctuation and self.unicode != "nfkc"

    @property
    def does_nothing(self) -> bool:
        """Whether texts stay as they are."""
        return self.keeps_words and self.unicode == "none" and not self.lowercase

    def source(self) -> Callable[[str], str]:
        """Return the function that normalizes a sentence of the source language."""
        return self._steps(self.source_language)

    def target(self) -> Callable[[str], str]:
        """Return the function that normalizes a sentence of the target language."""
        return self._steps(self.target_language)

    def detokenize(self) -> Callable[[str], str]:
        """Return the function that puts a translation together again."""
        if self.tokenize == "none":
            return str
        detokenizer = _sacremoses().MosesDetokenizer(lang=self.target_language)

        def together(line: str) -> str:
            return str(detokenizer.detokenize(line.split(), unescape=False))

        return together

    def _steps(self, language: str) -> Callable[[str], str]:
        steps: list[Callable[[str], str]] = []
        if self.unicode != "none":
            form: Literal["NFC", "NFKC"] = "NFC" if self.unicode == "nfc" else "NFKC"
            steps.append(lambda line: unicodedata.normalize(form, line))
        if self.punctuation:
            steps.append(_sacremoses().MosesPunctNormalizer(lang=language).normalize)
        if self.tokenize == "sacremoses":
            tokenizer = _sacremoses().MosesTokenizer(lang=language)
            steps.append(lambda line: tokenizer.tokenize(line, return_str=True, escape=False))
        if self.lowercase:
            steps.append(str.lower)

        def normalize(line: str) -> str:
            for step in steps:
                line = step(line)
            return line

        return normalize


def _sacremoses() -> ModuleType:
    try:
        return importlib.import_module("sacremoses")
    except ImportError as error:
        raise ConfigError(
            "this needs the package sacremoses (pip install 'hopefear[tokenize]'); or tokenize the "
            "texts with another tool, and use tokenize 'none'"
        ) from error
