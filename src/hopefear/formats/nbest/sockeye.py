"""Sockeye's n-best lists: one JSON object per sentence, with translations and scores.

``{"sentence_id": 1, "translations": ["a", "b"], "scores": [[0.5], [0.75]]}``

Scores are negative log probabilities divided by the length, so lower is better. A sentence with
one translation has ``"translation": "a", "score": 0.5``; the translation of an empty line is empty,
with a score of minus infinity.
"""

import math
from collections.abc import Iterator

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import component_names, json_number, parse_json
from hopefear.formats.files import Source
from hopefear.settings import settings
from hopefear.types import Hypothesis, Segment

__all__ = ["SockeyeNBest"]


@nbest_formats.register("sockeye")
@settings
class SockeyeNBest:
    """Hypotheses with the feature `score`, or score_0, score_1, ... if there are several.

    The features are Sockeye's scores negated, so that higher is better. Sentences are numbered from
    0 in the order of the lines; Sockeye's own ids begin at 1.
    """

    def sniff(self, source: Source) -> bool:
        """Look for objects, at least one with translations."""
        lines = [line for line in source.head() if line.strip()]
        objects = all(line.lstrip().startswith("{") for line in lines)
        return objects and any('"translations"' in line for line in lines)

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        sentence = 0
        for number, line in source:
            if not line.strip():
                continue
            table = parse_json(line, source, number, infinite=True)
            try:
                yield Segment(sentence=sentence, hypotheses=_hypotheses(table))
            except FormatError as error:
                raise source.error(number, str(error)) from None
            sentence += 1


def _hypotheses(table: object) -> tuple[Hypothesis, ...]:
    given = table if isinstance(table, dict) else {}
    if "translations" not in given and "translation" in given:
        if given.get("score") == -math.inf:
            return ()  # an empty line has no translation
        return (_hypothesis(given["translation"], given.get("score")),)
    texts, scores = given.get("translations"), given.get("scores")
    if not isinstance(texts, list) or not isinstance(scores, list) or len(texts) != len(scores):
        raise FormatError("expected an object with as many 'translations' as 'scores'")
    return tuple(_hypothesis(*pair) for pair in zip(texts, scores, strict=True))


def _hypothesis(text: object, score: object) -> Hypothesis:
    if not isinstance(text, str):
        raise FormatError(f"a translation must be a string, got {text!r:.40}")
    scores = score if isinstance(score, list) else [score]
    values = [0.0 - json_number(value, "a score") for value in scores]
    features = dict(zip(component_names("score", len(values)), values, strict=True))
    return Hypothesis(text=text, features=features, score=values[0] if len(values) == 1 else None)
