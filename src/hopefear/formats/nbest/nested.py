"""One object for each sentence, with a list of its candidates.

::

    {"src": "das Haus", "candidates": [{"text": "the house", "scores": {"lm": -2.5}}, ...]}

Candidates are objects with a text and numbers, pairs of a text and a number, or plain texts with
their numbers in lists beside them::

    {"src": "das Haus", "candidates": ["the house", "a house"], "logprob": [-2.5, -3.0]}

Lists of candidates, without an object around them, are what pipelines of Hugging Face return.
Sentences are numbered in order unless the objects have numbers or keys.
"""

from collections.abc import Iterator
from typing import Any, cast

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json, json_items
from hopefear.formats.nbest.choices import token_features
from hopefear.formats.nbest.columns import (
    INDEX,
    LIST_KEYS,
    LISTS,
    ColumnFormat,
    feature_values,
    first_of,
    sentence_of,
    text_of,
)
from hopefear.settings import settings
from hopefear.types import Hypothesis, Segment

__all__ = ["NestedNBest"]

EXAMPLE = """
{"src": "das Haus", "candidates": [{"text": "the house", "lm": -2}, {"text": "a house", "lm": -3}]}
{"src": "ein Hund", "candidates": [{"text": "a dog", "lm": -1.5}, {"text": "one dog", "lm": -3}]}"""


@nbest_formats.register("nested")
@settings
class NestedNBest(ColumnFormat):
    """Objects, or lists, of all candidates of a sentence."""

    def sniff(self, source: Source) -> bool:
        """Look for a list of texts, or of objects with texts."""
        first = first_json(source, infinite=True)
        if isinstance(first, dict):
            name = first_of(LISTS, first)
            return name is not None and self._are_candidates(first[name])
        return bool(first) and self._are_candidates(first)

    def _are_candidates(self, value: object) -> bool:
        if not isinstance(value, list) or not value:
            return value == []
        one = _opened(value[0])
        return isinstance(one, str) or (isinstance(one, dict) and bool(self.text_column(one)))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        for number, (line, item) in enumerate(json_items(source)):
            try:
                yield self._segment(number, item)
            except FormatError as error:
                raise source.error(line, str(error)) from None

    def _segment(self, number: int, item: object) -> Segment:
        sentence: int | str = number
        candidates = item
        beside: list[tuple[str, list[Any]]] = []
        if isinstance(item, dict):
            name = first_of(LISTS, item)
            candidates = None if name is None else item[name]
            known = LIST_KEYS if self.sentence is None else (self.sentence,)
            if (key := first_of(known, item)) is not None:
                sentence = sentence_of(item[key])
            beside = [pair for pair in item.items() if self._is_column(*pair, candidates)]
        if not isinstance(candidates, list):
            raise FormatError(f"expected a list of candidates; for example:{EXAMPLE}")
        hypotheses = [self._hypothesis(_opened(one)) for one in candidates]
        for name, values in beside:
            for hypothesis, value in zip(hypotheses, values, strict=True):
                if value is not None:
                    cast(dict[str, float], hypothesis.features)[name] = float(value)
        return Segment(sentence=sentence, hypotheses=tuple(hypotheses))

    def _is_column(self, name: str, values: object, texts: object) -> bool:
        """Whether a list beside plain texts has a number for each of them."""
        if not isinstance(values, list) or not isinstance(texts, list) or name in self.ignore:
            return False
        numbers = [value for value in values if value is not None]
        return (
            len(values) == len(texts)
            and all(isinstance(text, str) for text in texts)
            and bool(numbers)
            and all(isinstance(value, int | float) for value in numbers)
        )

    def _hypothesis(self, candidate: object) -> Hypothesis:
        if isinstance(candidate, str):
            return Hypothesis(text=candidate)
        if not isinstance(candidate, dict) or (name := self.text_column(candidate)) is None:
            found = ", ".join(candidate) if isinstance(candidate, dict) else f"{candidate!r:.40}"
            raise FormatError(
                f"which key of a candidate is its text? Found {found}; name it with --columns "
                f"text=KEY. For example, this would be read:{EXAMPLE}"
            )
        values = feature_values(candidate, {name, *INDEX, *self.ignore})
        values.pop("cumulative_logprob", None)  # vLLM's name for what is `logprob` here
        return Hypothesis(
            text=text_of(candidate, name), features=values | token_features(candidate, self.ignore)
        )


def _opened(candidate: object) -> object:
    """Return a candidate as an object: a pair of a text and its score, or a message of a chat."""
    if isinstance(candidate, list) and len(candidate) == 2 and isinstance(candidate[0], str):
        return {"text": candidate[0], "score": candidate[1]}
    if isinstance(candidate, dict) and isinstance(message := candidate.get("message"), dict):
        return candidate | {"content": message.get("content")}
    return candidate
