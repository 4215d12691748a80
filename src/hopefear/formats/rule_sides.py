"""Target sides as text: words, and a bracketed label where the string of a tail goes.

``[X,2]`` and ``[2]`` are the second tail; ``[X]`` is the next one after those before it.
"""

import re
from collections.abc import Sequence

from hopefear.errors import FormatError
from hopefear.formats.fields import BLANK, split_blanks

__all__ = ["format_side", "parse_side"]

_LABEL = re.compile(r"\[(?:[^\[\]]*,)?([1-9][0-9]{0,8})\]|\[[^\[\]]+\]")


def parse_side(text: str) -> list[str | int]:
    """Return words, and the positions of tails from 0."""
    side: list[str | int] = []
    slots = 0
    for word in split_blanks(text):
        label = _LABEL.fullmatch(word)
        if label is None:
            side.append(word)
            continue
        side.append(int(label[1]) - 1 if label[1] else slots)
        slots += 1
    return side


def format_side(target: Sequence[str | int], format: str) -> str:
    """Write words and ``[X,1]``, ...; FormatError for words that would be read otherwise."""
    return " ".join(
        _word(symbol, format) if isinstance(symbol, str) else f"[X,{symbol + 1}]"
        for symbol in target
    )


def _word(word: str, format: str) -> str:
    if not word or any(blank in word for blank in BLANK) or word == "|||" or _LABEL.fullmatch(word):
        raise FormatError(f"the {format} format cannot carry the word {word!r}")
    return word
