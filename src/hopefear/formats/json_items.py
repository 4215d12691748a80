"""The items of a JSON file one at a time: lines of JSON, an array, or objects of several lines.

The array may be in an object, as in ``{"model": "...", "results": [...]}``.
"""

import codecs
import json
import re
from collections.abc import Iterator

from hopefear.errors import FormatError
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source

__all__ = ["first_json", "json_items"]

_BLANK = " \t\r\n"
_STRING = r'"(?:[^"\\]|\\.)*"'
_SIMPLE = rf"(?:{_STRING}|[-+.\w]+|\{{[^{{}}]*\}}|\[[^][{{}}]*\])"
_WRAPPER = re.compile(
    rf"\{{\s*(?:{_STRING}\s*:\s*{_SIMPLE}\s*,\s*)*"
    r'"(results|data|items|examples|instances|rows|records)"'
    r"\s*:\s*(?=\[\s*[{[])"
)


def _constant(text: str) -> float | None:
    """Return None for NaN, which frames write for a missing number; refuse infinity."""
    try:
        return None if text == "NaN" else parse_number(text)
    except FormatError as error:
        raise FormatError(f"{error}; null stands for a number that is missing") from None


_decoder = json.JSONDecoder(parse_constant=_constant)
_lenient = json.JSONDecoder(parse_constant=lambda text: None)


def json_items(source: Source) -> Iterator[tuple[int, object]]:
    """Yield the items with the lines on which they begin.

    If the file is an array, its elements are the items. No more of the file is in memory than an
    item and the piece that was read last.
    """
    text = _Text(source)
    wrapper = text.enter_wrapper()
    array = text.begins_with("[") and not _has_lists(source)
    text.at += array
    skipped = _BLANK + "," * array
    while text.skip(skipped):
        if array and text.begins_with("]"):
            text.at += 1
            if wrapper:
                text.check_end(wrapper)
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

    def enter_wrapper(self) -> str:
        """Go on to the array in an object around it; return what it is called."""
        found = _WRAPPER.match(self._text, self.at)
        if found is None:
            return ""
        self.line += self._text.count("\n", self.at, found.end())
        self.at = found.end()
        return found[1]

    def check_end(self, wrapper: str) -> None:
        """Require that the object around the array ends, and the file with it."""
        while self._grow():
            pass
        try:
            json.loads('{"":0' + self._text[self.at :])
        except ValueError:
            problem = f"expected one object whose '{wrapper}' is the list of all sentences"
            raise self._source.error(self.line, problem) from None

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


def first_json(source: Source, *, infinite: bool = False) -> object | None:
    """Return the first item without consuming it; None if the file is not JSON.

    `infinite` says that numbers need not be finite.
    """
    head = source.beginning.lstrip(_BLANK)
    if wrapper := _WRAPPER.match(head):
        head = head[wrapper.end() :]
    array = head.startswith("[") and not _has_lists(source)
    if array:
        head = head[1:].lstrip(_BLANK)
    if not head.startswith(("{", "[", '"') if array else ("{", "[")):
        return None
    try:
        value, end = (_lenient if infinite else _decoder).raw_decode(head)
    except (ValueError, FormatError, RecursionError):
        return None
    # A line of text may be in brackets, too.
    known = not array or head.startswith("{") or head[end:].lstrip(_BLANK)[:1] in (",", "]")
    return value if known else None


def _has_lists(source: Source) -> bool:
    """Whether each line is a list, so that the first bracket does not enclose the whole file."""
    lines = [line.strip() for line in source.head(2)]
    return len(lines) > 1 and lines[0].endswith("]") and lines[1].startswith("[")
