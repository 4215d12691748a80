"""What is done to texts before they are used: Unicode forms, tokenization, lowercase.

Tokenization is that of Moses' scripts, as the package sacremoses has it.
"""

import unicodedata
from collections.abc import Callable
from types import ModuleType
from typing import Literal

from hopefear.errors import import_extra
from hopefear.settings import setting, settings

__all__ = ["Normalization"]


@settings
class Normalization:
    """How sentences become the words that a model knows."""

    unicode: Literal["none", "nfc", "nfkc"] = setting(
        "none", "Unicode normal form of all texts.", group="Data"
    )
    punctuation: bool = setting(
        False,
        "Normalize quotes, dashes and other punctuation as Moses does (needs sacremoses).",
        group="Data",
    )
    tokenize: Literal["none", "sacremoses"] = setting(
        "none",
        "Tokenizer: none, if blanks separate the words already, or sacremoses, Moses' tokenizer "
        "without escapes.",
        group="Data",
        option="tokenize",
    )
    lowercase: bool = setting(False, "Lowercase all texts.", group="Data", option="lowercase")
    source_language: str = setting(
        "en",
        "Source language for the tokenizer, as in 'de'.",
        group="Data",
        metavar="CODE",
        option="source-language",
    )
    target_language: str = setting(
        "en",
        "Target language for the tokenizer, as in 'en'.",
        group="Data",
        metavar="CODE",
        option="target-language",
    )

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
    alternatives = "tokenize the texts with another tool and use tokenize 'none'"
    return import_extra("sacremoses", "tokenize", "this", instead=alternatives)
