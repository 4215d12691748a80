"""N-gram language models, queried through KenLM (Heafield, 2011, WMT)."""

from hopefear._core import LanguageModel

__all__ = ["LanguageModel"]
