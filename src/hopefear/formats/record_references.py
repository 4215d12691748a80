"""References in JSON and CSV: beside the candidates, in records of their own, or by key.

::

    {"id": "q1", "reference": "the house", "candidates": [{"text": "a house", "lm": -2.5}, ...]}
    {"id": "q1", "references": ["the house", "the home"]}
    ["the house", ["a dog", "one dog"]]
    {"q1": "the house", "q2": ["a dog", "one dog"]}

Records of single candidates repeat the references of their sentence.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from hopefear.errors import FormatError
from hopefear.formats.fields import parse_sentence
from hopefear.formats.files import HEAD_BYTES, Source
from hopefear.formats.json_items import first_json, json_items
from hopefear.formats.keyed import ReferenceLines
from hopefear.formats.nbest.columns import (
    LIST_KEYS,
    LISTS,
    REFERENCES,
    SENTENCE,
    SOURCE,
    TEXT,
    first_of,
    sentence_of,
    source_key,
)
from hopefear.formats.nbest.csv_table import header_names, named_rows

__all__ = ["has_references", "record_references"]

EXAMPLE = """
{"id": "q1", "reference": "the house"}
{"id": "q2", "references": ["a dog", "one dog"]}"""
# The beginning of an object of texts by key that is too long to be looked at as a whole.
_BY_KEY = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\[\s*)?"')


def has_references(source: Source) -> bool:
    """Whether a file is JSON or a table with references; FormatError if it has candidates alone."""
    first = first_json(source)
    if first is None:
        names = header_names(source)
        if first_of(REFERENCES, names) and first_of((*LIST_KEYS, *SOURCE, *TEXT), names):
            return True
        return len(source.beginning) >= HEAD_BYTES // 4 and bool(_BY_KEY.match(source.beginning))
    if not isinstance(first, dict):
        return _are_texts(first)
    if first_of(REFERENCES, first) is not None or _own_text(first) is not None:
        return True
    if len(first) > 1 and first_of((*LISTS, *TEXT, "choices"), first) is not None:
        raise source.error(1, f"has candidates, but no references; for example:{EXAMPLE}")
    return len(first) > 1 and _are_by_key(first)


def record_references(source: Source) -> list[ReferenceLines]:
    """Return the first reference of each sentence, then the second ones, and so on.

    Sentences with keys begin with them and a tab. Where a sentence has fewer references than
    others, its text is empty.
    """
    found: dict[object, list[str]] = {}
    for line, place, texts in _placed(source):
        if found.setdefault(place, texts) != texts:
            raise source.error(line, f"another reference than before for the sentence {place!r}")
    rows = list(zip_longest(*found.values(), fillvalue=""))
    numbers = [place for place in found if isinstance(place, int)]
    if counted := sorted(numbers) == list(range(len(found))):
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        streams = [[row[i] for i in order] for row in rows]
    else:
        keys = ["" if isinstance(place, tuple) else f"{place}\t" for place in found]
        streams = [[key + text for key, text in zip(keys, row, strict=True)] for row in rows]
    keyed = not counted and not any(isinstance(place, tuple) for place in found)
    return [
        ReferenceLines(lines, keyed=keyed, further=number > 0)
        for number, lines in enumerate(streams or [[]])
    ]


def _placed(source: Source) -> Iterator[tuple[int, object, list[str]]]:
    """Yield line, sentence and references of each item."""
    if first_json(source) is None and first_of(REFERENCES, header_names(source)):
        for number, (line, row) in enumerate(named_rows(source)):
            key = first_of(SENTENCE, row)
            numbered = row if key is None else row | {key: parse_sentence(row[key])}
            yield line, *_reference(numbered, number)
        return
    for number, (line, item) in enumerate(json_items(source)):
        try:
            if isinstance(item, dict) and not number and _is_table(item):
                for key, value in item.items():
                    yield line, key, _texts(value, f"'{key}'")
            elif isinstance(item, dict):
                yield line, *_reference(item, number)
            else:
                yield line, number, _texts(item, "a reference")
        except FormatError as error:
            raise source.error(line, str(error)) from None


def _reference(item: Mapping[str, object], number: int) -> tuple[object, list[str]]:
    """Return the sentence of an object, and its references.

    Sentences without number or key are told apart by their sources, which are no keys.
    """
    name = first_of(REFERENCES, item) or _own_text(item)
    if name is None:
        raise FormatError(f"expected an object with a reference; for example:{EXAMPLE}")
    texts = _texts(item[name], f"'{name}'")
    single = first_of(LISTS, item) is None and first_of(TEXT, item) not in (None, name)
    key = first_of(SENTENCE if single else LIST_KEYS, item)
    if key is not None:
        return sentence_of(item[key]), texts
    origin = first_of(SOURCE, item) if single else None
    return (number if origin is None else (source_key(item[origin]),)), texts


def _texts(value: object, what: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise FormatError(f"{what} must be a text or a list of texts, got {value!r:.60}")
    return texts


def _own_text(item: Mapping[str, object]) -> str | None:
    """Return the key of the text of an object that has a key and a text and nothing else."""
    name = first_of(TEXT, item)
    alone = len(item) == 2 and first_of(LIST_KEYS, item) is not None
    return name if name and alone and isinstance(item[name], str) else None


def _is_table(item: dict[str, object]) -> bool:
    known = first_of(REFERENCES, item) or _own_text(item)
    return known is None and _are_by_key(item)


def _are_by_key(item: dict[str, object]) -> bool:
    return bool(item) and all(map(_are_texts, item.values()))


def _are_texts(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(one, str) for one in texts)
