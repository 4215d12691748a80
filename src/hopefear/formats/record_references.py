"""References that are in the same JSON as candidates, or in JSON of their own.

::

    {"id": "q1", "reference": "the house", "candidates": [{"text": "a house", "lm": -2.5}, ...]}

Records of single candidates repeat the reference of their sentence.
"""

from hopefear.errors import FormatError
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json, json_items
from hopefear.formats.nbest.columns import LISTS, SENTENCE, SOURCE, first_of, sentence_of

__all__ = ["has_references", "record_references"]

NAMES = ("reference", "references", "ref", "refs")


def has_references(source: Source) -> bool:
    """Whether a file is JSON whose first object has a reference."""
    first = first_json(source)
    return isinstance(first, dict) and first_of(NAMES, first) is not None


def record_references(source: Source) -> list[str]:
    """Return the reference of each sentence, after its key and a tab if it has a key."""
    found: dict[object, str] = {}
    for number, (line, item) in enumerate(json_items(source)):
        try:
            place, text = _reference(item, number)
        except FormatError as error:
            raise source.error(line, str(error)) from None
        if found.setdefault(place, text) != text:
            raise source.error(line, f"another reference than before for the sentence {place!r}")
    numbered = {place: text for place, text in found.items() if isinstance(place, int)}
    if len(numbered) == len(found):
        return [numbered[place] for place in sorted(numbered)]
    return [
        text if isinstance(place, tuple) else f"{place}\t{text}" for place, text in found.items()
    ]


def _reference(item: object, number: int) -> tuple[object, str]:
    """Return the sentence of an object, and its reference.

    Sentences without number or key are told apart by their sources, which are no keys.
    """
    name = first_of(NAMES, item) if isinstance(item, dict) else None
    if not isinstance(item, dict) or name is None:
        raise FormatError("expected an object with a reference, as the first one is")
    text = item[name]
    if isinstance(text, list) and len(text) == 1:
        text = text[0]
    if not isinstance(text, str):
        raise FormatError(
            f"'{name}' must be a string, got {text!r:.60}; give several references as several files"
        )
    nested = first_of(LISTS, item) is not None
    key = first_of((*SENTENCE, "id", "request_id") if nested else SENTENCE, item)
    if key is not None:
        return sentence_of(item[key]), text
    origin = None if nested else first_of(SOURCE, item)
    return (number if origin is None else (item[origin],)), text
