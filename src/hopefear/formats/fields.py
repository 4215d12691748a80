"""Names, numbers and JSON values in files: parsing, checks and formatting."""

import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import cast

from hopefear.errors import FormatError
from hopefear.formats.files import BYTE_ORDER_MARK, PathLike, Source, open_source
from hopefear.types import Weights

__all__ = [
    "BLANK",
    "LAST_SENTENCE",
    "JsonPairs",
    "WeightTable",
    "check_name",
    "check_sentence",
    "component_names",
    "format_number",
    "format_pairs",
    "format_sentence",
    "is_number",
    "is_pair",
    "join_components",
    "json_feature",
    "json_features",
    "json_integer",
    "json_list",
    "json_number",
    "json_object",
    "json_text",
    "keyed_values",
    "numbering_conflict",
    "parse_json",
    "parse_number",
    "parse_sentence",
    "read_keyed_lines",
    "split_blanks",
]

# float() would also accept 1_000, digits of other scripts, and surrounding spaces.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


_NUMBERS = re.compile(rf"{_NUMBER.pattern}(?:\t{_NUMBER.pattern})*")


_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


_COUNT = re.compile(r"0|[1-9][0-9]*")


# Lists are stored by sentence; a larger number is a mistake and would need a huge table.
LAST_SENTENCE = 10**8 - 1


_DIGITS = 10  # more digits than this are a key


BLANK = " \t\n\v\f\r"


_BLANKS = re.compile(f"[{BLANK}]+")


def format_number(value: float) -> str:
    """Format a number with the fewest digits that reproduce its bits."""
    return float.__repr__(float(value))


def parse_number(text: str) -> float:
    """Read a finite number; raise FormatError, without file and line, for anything else."""
    if not _NUMBER.fullmatch(text):
        problem = "is not finite" if _NOT_FINITE.fullmatch(text) else "is not a number"
        raise FormatError(f"'{text}' {problem}")
    value = float(text)
    if not math.isfinite(value):
        raise FormatError(f"'{text}' is too large for a double")
    return value


def parse_numbers(cells: Sequence[str]) -> list[float] | None:
    """Read finite numbers, all at once; None if one of them is none, which `parse_number` tells."""
    if not _NUMBERS.fullmatch("\t".join(cells)):
        return None
    try:
        values = list(map(float, cells))
    except ValueError:  # a cell with a tab
        return None
    return values if math.isfinite(sum(map(abs, values))) else None


def is_number(text: str) -> bool:
    """Return whether a text is a number, finite or not."""
    return bool(_NUMBER.fullmatch(text) or _NOT_FINITE.fullmatch(text))


def split_blanks(text: str, most: int = 0) -> list[str]:
    """Split at ASCII spaces, at most `most` times; names may contain other spaces."""
    stripped = text.strip(BLANK)
    return _BLANKS.split(stripped, maxsplit=most) if stripped else []


def check_sentence(sentence: object) -> int | str:
    """Return `sentence` if it is a valid number or key, else raise FormatError."""
    if type(sentence) is int and 0 <= sentence <= LAST_SENTENCE:
        return sentence
    number = isinstance(sentence, int) and not isinstance(sentence, bool)
    if number and 0 <= cast(int, sentence) <= LAST_SENTENCE:
        return cast(int, sentence)
    if isinstance(sentence, str) and sentence:
        return sentence
    if number and cast(int, sentence) > LAST_SENTENCE:
        raise FormatError(f"sentence number {sentence!r:.40} exceeds {LAST_SENTENCE}")
    raise FormatError(f"expected a sentence number from 0, or a key; got {sentence!r:.40}")


def parse_sentence(text: str) -> int | str:
    """Read a sentence number or key."""
    is_number = _COUNT.fullmatch(text) is not None and len(text) <= _DIGITS
    return check_sentence(int(text) if is_number else text)


def format_sentence(sentence: int | str, format: str) -> str:
    """Format a sentence number or key; raise FormatError for a key that looks like a number."""
    text = str(sentence)
    if parse_sentence(text) != sentence:
        raise FormatError(f"the {format} format cannot tell the key {sentence!r} from a number")
    return text


def check_name(name: str, format: str, *, forbidden: str = BLANK) -> str:
    """Return a feature's name if the format can represent it, else raise FormatError.

    By default spaces are forbidden.
    """
    if not name:
        raise FormatError(f"the {format} format cannot represent a feature with an empty name")
    for character in forbidden:
        if character in name:
            raise FormatError(
                f"the {format} format cannot represent the feature {name!r}: it has {character!r}"
            )
    if name.startswith(BYTE_ORDER_MARK):
        raise FormatError(
            f"the {format} format cannot represent {name!r}: it begins with a byte order mark"
        )
    return name


class WeightTable:
    """Collects weights from a file; errors name the file and the line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._weights: dict[str, float] = {}
        self._lines: list[int] = []

    def add(self, line: int, name: str, value: str) -> None:
        """Add a weight; names must not repeat."""
        if name in self._weights:
            first = self._lines[list(self._weights).index(name)]
            raise self._source.error(line, f"feature '{name}' already has a weight (line {first})")
        try:
            self._weights[name] = parse_number(value)
        except FormatError as error:
            raise self._source.error(line, f"the weight of feature '{name}': {error}") from None
        self._lines.append(line)

    def weights(self) -> Weights:
        """Return the collected weights."""
        return Weights(self._weights)


def component_names(label: str, count: int) -> list[str]:
    """Return the names of the features behind a label with `count` values."""
    return [label] if count == 1 else [f"{label}_{i}" for i in range(count)]


_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,2})")


def numbering_conflict(features: Iterable[str], weights: Iterable[str]) -> str | None:
    """Say which values of a feature have no weight, though weights of the same label are there.

    That is how numbering from 0 meets numbering from 1, and how a label with one value meets one
    with several. Labels with gaps in their numbers are sparse features, which may lack weights.
    """
    found, given = _numbers(features), _numbers(weights)
    for label in found.keys() & given.keys():
        if found[label] - given[label] and all(map(_consecutive, (found[label], given[label]))):
            return (
                f"'{label}' has {_described(label, found[label])} as features, but weights of "
                f"{_described(label, given[label])}"
            )
    return None


def _numbers(names: Iterable[str]) -> dict[str, set[int]]:
    """Return the numbers of each label; -1 stands for the label itself."""
    numbers: dict[str, set[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        numbers.setdefault(match[1] if match else name, set()).add(int(match[2]) if match else -1)
    return numbers


def _consecutive(numbers: set[int]) -> bool:
    """Whether these are the numbers of a dense feature."""
    first = min(numbers)
    return numbers == {-1} or (
        first in (0, 1) and len(numbers) > 1 and max(numbers) == first + len(numbers) - 1
    )


def _described(label: str, numbers: set[int]) -> str:
    return label if numbers == {-1} else f"{label}_{min(numbers)} to {label}_{max(numbers)}"


def join_components(features: Mapping[str, float]) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield labels and their values; consecutive NAME_0, NAME_1, ... become one label NAME.

    If there is a feature NAME as well, they stay apart.
    """
    names, values = list(features), list(features.values())
    at = 0
    while at < len(names):
        label = names[at].removesuffix("_0")
        end = at + 1
        if label not in features:
            while end < len(names) and names[end] == f"{label}_{end - at}":
                end += 1
        yield (label if end - at > 1 else names[at]), values[at:end]
        at = end


def format_pairs(features: Mapping[str, float], format: str, forbidden: str = "") -> str:
    """Format features as NAME=VALUE, separated by spaces; names must not have `forbidden`."""
    for name in features:
        check_name(name, format, forbidden=BLANK + forbidden)
        if any(map(is_pair, name.split(";")[:-1])):
            raise FormatError(f"the {format} format would read {name!r} as several features")
    return " ".join(f"{name}={format_number(value)}" for name, value in features.items())


def is_pair(word: str) -> bool:
    """Return whether a word is NAME=VALUE."""
    name, _, value = word.rpartition("=")
    return bool(name) and is_number(value)


def keyed_values(source: Source) -> Iterator[tuple[int, str, str]]:
    """Yield line number, key and value of ``KEY VALUE`` lines, as Kaldi and ESPnet write them."""
    seen: set[str] = set()
    for number, line in source:
        words = split_blanks(line, most=1)
        if not words:
            continue
        if words[0] in seen:
            raise source.error(number, f"the key '{words[0]}' appears twice")
        seen.add(words[0])
        yield number, words[0], words[1] if len(words) > 1 else ""


def read_keyed_lines(path: PathLike) -> dict[str, str]:
    """Read texts by key, such as the references of utterances."""
    with open_source(path) as source:
        return {key: value for _, key, value in keyed_values(source)}


class JsonPairs(tuple[tuple[str, object], ...]):
    """A JSON object as pairs in order, for formats that repeat keys."""

    __slots__ = ()


def parse_json(
    text: str, source: Source | str, line: int, *, pairs: bool = False, infinite: bool = False
) -> object:
    """Read JSON that begins at a line of a file.

    With `pairs`, objects become `JsonPairs`; otherwise keys must not repeat. Numbers must be finite
    unless `infinite`.
    """
    name = source if isinstance(source, str) else source.name
    try:
        decoder = _pairs_decoder if pairs else _infinite_decoder if infinite else _decoder
        value: object = decoder.decode(text)
        if "\\ud" in text or "\\uD" in text:  # perhaps half of a surrogate pair
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        raise FormatError(f"{name}:{place}: not JSON: {error.msg} (column {error.colno})") from None
    except UnicodeEncodeError as error:
        raise FormatError(f"{name}:{line}: a string is not valid Unicode: {error.reason}") from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # digits, depth, or refused by us
        raise FormatError(f"{name}:{line}: {error}") from None
    return value


def json_number(value: object, what: str) -> float:
    """Return a JSON number as a float; `what` begins the message for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise FormatError(f"{what} must be a number, got {value!r:.40}")
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise FormatError(f"{what} is too large for a double")
    return float(value)


def all_finite(values: Collection[object]) -> bool:
    """Whether all values of a JSON object are finite numbers with a point, as most are."""
    return {type(value) for value in values} == {float} and math.isfinite(
        sum(map(abs, cast(Collection[float], values)))
    )


@lru_cache(maxsize=256)
def are_names(names: tuple[str, ...]) -> bool:
    """Whether each of these can be the name of a feature in a line of a file."""
    return not any(not name or "\n" in name or "\t" in name for name in names)


def json_features(value: object, what: str) -> dict[str, float]:
    """Return a JSON object of features; `what` begins the message for other values."""
    return {
        name: json_feature(name, number, f"{what}: ")
        for name, number in json_object(value, f"{what}: its features").items()
    }


def json_feature(name: str, value: object, where: str = "") -> float:
    """Return the value of a feature, if its name can stand in a line of a file."""
    if not name or "\n" in name or "\t" in name:
        problem = "has a tab or a newline" if name else "is empty"
        raise FormatError(f"{where}the name of the feature {name!r:.60} {problem}; rename it")
    return json_number(value, f"{where}feature '{name}'")


def json_integer(value: object, what: str, *, most: int = 2**31 - 1, least: int = 0) -> int:
    """Return a JSON integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise FormatError(f"{what} must be a whole number, got {value!r:.40}")
    if not least <= value <= most:
        raise FormatError(f"{what} must be from {least} to {most}, got {value!r:.40}")
    return value


def json_text(value: object, what: str) -> str:
    """Return a JSON string."""
    if not isinstance(value, str):
        raise FormatError(f"{what} must be a string, got {value!r:.40}")
    return value


def json_list(value: object, what: str) -> list[object]:
    """Return a JSON list; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormatError(f"{what} must be a list, got {value!r:.40}")
    return value


def json_object(value: object, what: str) -> dict[str, object]:
    """Return a JSON object; null is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FormatError(f"{what} must be an object, got {value!r:.40}")
    return cast(dict[str, object], value)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for i, name in enumerate(names) if name in names[:i])
        raise FormatError(f"the key '{repeated}' appears twice")
    return table


_decoder = json.JSONDecoder(parse_constant=parse_number, object_pairs_hook=_distinct)


_pairs_decoder = json.JSONDecoder(parse_constant=parse_number, object_pairs_hook=JsonPairs)


_infinite_decoder = json.JSONDecoder(object_pairs_hook=_distinct)
