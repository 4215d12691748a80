"""Numbers and names as they stand in files."""

import math
import re
from typing import cast

from hopefear.errors import FormatError
from hopefear.formats.files import BYTE_ORDER_MARK, Source
from hopefear.types import Weights

__all__ = [
    "BLANK",
    "LAST_SENTENCE",
    "WeightTable",
    "check_name",
    "check_sentence",
    "format_number",
    "format_sentence",
    "is_number",
    "parse_number",
    "parse_sentence",
    "split_blanks",
]

# Python's float() would also take 1_000, other scripts' digits, and surrounding blanks.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_COUNT = re.compile(r"0|[1-9][0-9]*")
# Lists are held by sentence: a number beyond this is a mistake, and would be a huge table.
LAST_SENTENCE = 10**8 - 1
_DIGITS = 10  # a longer row of digits is a key
BLANK = " \t\n\v\f\r"
_BLANKS = re.compile(f"[{BLANK}]+")


def format_number(value: float) -> str:
    """Write a number with as few digits as read back to the same bits."""
    return float.__repr__(float(value))


def parse_number(text: str) -> float:
    """Read a finite number; FormatError (without a place) for anything else."""
    if not _NUMBER.fullmatch(text):
        problem = "is not finite" if _NOT_FINITE.fullmatch(text) else "is not a number"
        raise FormatError(f"'{text}' {problem}")
    value = float(text)
    if not math.isfinite(value):
        raise FormatError(f"'{text}' is too large for a double")
    return value


def is_number(text: str) -> bool:
    """Say whether a text is a number, finite or not."""
    return bool(_NUMBER.fullmatch(text) or _NOT_FINITE.fullmatch(text))


def split_blanks(text: str, most: int = 0) -> list[str]:
    """Split at ASCII blanks only, at `most` so many times: a name may contain other blanks."""
    stripped = text.strip(BLANK)
    return _BLANKS.split(stripped, maxsplit=most) if stripped else []


def check_sentence(sentence: object) -> int | str:
    """Return a sentence's number or key if it is one, else raise FormatError."""
    number = isinstance(sentence, int) and not isinstance(sentence, bool)
    if number and 0 <= cast(int, sentence) <= LAST_SENTENCE:
        return cast(int, sentence)
    if isinstance(sentence, str) and sentence:
        return sentence
    if number and cast(int, sentence) > LAST_SENTENCE:
        raise FormatError(f"there can be no sentence {sentence!r:.40}: they end at {LAST_SENTENCE}")
    raise FormatError(f"a sentence is a number from 0 or a string, got {sentence!r:.40}")


def parse_sentence(text: str) -> int | str:
    """Read a sentence's number, or else its key."""
    is_number = _COUNT.fullmatch(text) is not None and len(text) <= _DIGITS
    return check_sentence(int(text) if is_number else text)


def format_sentence(sentence: int | str, format: str) -> str:
    """Write a sentence's number or key; a key that would be read as a number is an error."""
    text = str(sentence)
    if parse_sentence(text) != sentence:
        raise FormatError(f"the {format} format would read the key {sentence!r} as a number")
    return text


def check_name(name: str, format: str, *, forbidden: str = BLANK) -> str:
    """Return a feature's name if the format can carry it, else raise FormatError.

    Blanks are forbidden unless other characters are given.
    """
    if not name:
        raise FormatError(f"the {format} format cannot carry a feature without a name")
    for character in forbidden:
        if character in name:
            raise FormatError(
                f"the {format} format cannot carry the feature {name!r}: it contains {character!r}"
            )
    if name.startswith(BYTE_ORDER_MARK):
        raise FormatError(f"the {format} format cannot carry {name!r}: a byte order mark")
    return name


class WeightTable:
    """Collects weights while a file is read; every problem is an error with file and line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._weights: dict[str, float] = {}
        self._lines: list[int] = []

    def add(self, line: int, name: str, value: str) -> None:
        """Add one weight; a name must not come twice."""
        if name in self._weights:
            first = self._lines[list(self._weights).index(name)]
            raise self._source.error(line, f"feature '{name}' already has a weight (line {first})")
        try:
            self._weights[name] = parse_number(value)
        except FormatError as error:
            raise self._source.error(line, f"the weight of feature '{name}': {error}") from None
        self._lines.append(line)

    def weights(self) -> Weights:
        """Return what was collected."""
        return Weights(self._weights)
