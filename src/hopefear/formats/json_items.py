"""The items of a JSON file one at a time: lines of JSON, an array, or objects of several lines."""

import codecs
import json
from collections.abc import Iterator

from hopefear.errors import FormatError
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source

__all__ = ["first_json", "json_items"]

_BLANK = " \t\r\n"


def _constant(text: str) -> float | None:
    """Return None for NaN, which frames write for a missing number; refuse infinity."""
    return None if text == "NaN" else parse_number(text)


_decoder = json.JSONDecoder(parse_constant=_constant)


def json_items(source: Source) -> Iterator[tuple[int, object]]:
    """Yield the items with the lines on which they begin.

    If the file is an array, its elements are the items. No more of the file is in memory than an
    item and the piece that was read last.
    """
    text = _Text(source)
    array = text.begins_with("[")
    text.at += array
    skipped = _BLANK + "," * array
    while text.skip(skipped):
        if array and text.begins_with("]"):
            return
        line = text.line
        yield line, text.take()
    if array:
        raise source.error(text.line, "not JSON: the array has no end")


class _Text:
    """The text of a file from a place on, as much of it as was asked for."""

    def __init__(self, source: Source) -> None:
        self._source, self._pieces = source, source.pieces()
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._text, self._ended = "", False
        self.at, self.line = 0, 1
        self.skip(_BLANK)

    def begins_with(self, character: str) -> bool:
        return self._text.startswith(character, self.at)

    def skip(self, characters: str) -> bool:
        """Go on to the first character that is not one of these; return False at the end."""
        while True:
            while self.at < len(self._text):
                if self._text[self.at] not in characters:
                    return True
                self.line += self._text[self.at] == "\n"
                self.at += 1
            if not self._grow():
                return False

    def take(self) -> object:
        """Return the item that begins here, and go on behind it."""
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self.at)
            except (json.JSONDecodeError, RecursionError) as error:
                if not self._grow():
                    raise self._not_json(error) from None
            except (FormatError, ValueError) as error:  # not finite, or too many digits
                raise self._source.error(self.line, str(error)) from None
            else:
                self.line += self._text.count("\n", self.at, end)
                self.at = end
                return value

    def _grow(self) -> bool:
        """Read as much again as there is, so that a long item is not tried too often."""
        if self._ended:
            return False
        parts, self.at = [self._text[self.at :]], 0
        length = 0
        try:
            while length <= len(parts[0]) and not self._ended:
                piece = next(self._pieces, b"")
                self._ended = not piece
                parts.append(self._utf8.decode(piece, final=self._ended))
                length += len(parts[-1])
        except UnicodeDecodeError as error:
            problem = f"not UTF-8, here or later: {error.reason}"
            raise self._source.error(self.line, problem) from None
        self._text = "".join(parts)
        return length > 0

    def _not_json(self, error: json.JSONDecodeError | RecursionError) -> FormatError:
        if isinstance(error, RecursionError):
            return self._source.error(self.line, "the JSON is nested too deeply")
        line = self.line + self._text.count("\n", self.at, error.pos)
        column = error.pos - max(self._text.rfind("\n", 0, error.pos), self.at - 1)
        return self._source.error(line, f"not JSON: {error.msg} (column {column})")


def first_json(source: Source) -> object | None:
    """Return the first item without consuming it; None if the file is not JSON."""
    head = source.beginning.lstrip(_BLANK)
    if head.startswith("["):
        head = head[1:].lstrip(_BLANK)
    if not head.startswith(("{", "[")):
        return None
    try:
        value: object = _decoder.raw_decode(head)[0]
    except (ValueError, FormatError, RecursionError):
        return None
    return value
