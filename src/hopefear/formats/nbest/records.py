"""Records with one hypothesis each, in a JSON array or on lines of their own.

This is what pandas' ``to_json(orient="records")`` and many scripts write::

    [{"seg_id": 0, "src": "das Haus", "mt": "the house", "system": "A", "comet": 0.81}, ...]

Every number is a feature; texts other than the hypothesis are not. Without a column of sentences,
records with the same source are of the same sentence.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json, json_items
from hopefear.formats.nbest.columns import (
    INDEX,
    SOURCE,
    ColumnFormat,
    Numbering,
    feature_values,
    first_of,
    sentence_of,
    text_of,
)
from hopefear.formats.nbest.tables import is_json_line
from hopefear.settings import settings
from hopefear.types import Hypothesis, Segment

__all__ = ["RecordsNBest"]

EXAMPLE = """
{"sentence": 0, "text": "the house", "lm": -2.5, "comet": 0.81}
{"sentence": 0, "text": "a house", "lm": -2.0, "comet": 0.79}"""


@nbest_formats.register("records")
@settings
class RecordsNBest(ColumnFormat):
    """Objects with a text, a sentence or a source, and features."""

    def sniff(self, source: Source) -> bool:
        """Look for an object with a text, and with a sentence or a source."""
        first = first_json(source)
        if not isinstance(first, dict) or self.text_column(first) is None:
            return False
        if "translations" in first:  # Sockeye's lists
            return False
        plain = self.sentence is None and self.text is None and not self.ignore
        if plain and is_json_line(first) and source.head(1)[0].lstrip().startswith("{"):
            return False  # our own lines of JSON
        return (self.sentence_column(first) or first_of(SOURCE, first)) is not None

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return group_hypotheses(self._hypotheses(source))

    def _hypotheses(self, source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
        numbering, keys = Numbering(), _Keys("")
        names: Collection[str] = ()
        for line, record in json_items(source):
            try:
                if not isinstance(record, dict):
                    problem = f"expected an object, got {record!r:.40}"
                    raise FormatError(f"{problem}; for example:{EXAMPLE}")
                if record.keys() != names:  # most records have the keys of the one before
                    names, keys = record.keys(), self._keys(record)
                own = record[keys.sentence]
                number = numbering.of(own) if keys.by_source else sentence_of(own)
                features = feature_values(record, keys.skipped)
                yield number, Hypothesis(text=text_of(record, keys.text), features=features)
            except FormatError as error:
                raise source.error(line, str(error)) from None

    def _keys(self, record: Mapping[str, object]) -> "_Keys":
        text, sentence = self.text_column(record), self.sentence_column(record)
        source = first_of(SOURCE, record)
        if text is None:
            raise _missing("text", record)
        if sentence is None and source is None:
            raise _missing("sentence", record)
        return _Keys(
            text,
            sentence=sentence or source or "",
            by_source=sentence is None,
            skipped=frozenset({text, sentence or text, *INDEX, *self.ignore}),
        )


@dataclass(frozen=True)
class _Keys:
    """What the keys of a record are."""

    text: str
    sentence: str = ""
    by_source: bool = False
    skipped: frozenset[str] = frozenset()


def _missing(what: str, record: Mapping[str, object]) -> FormatError:
    return FormatError(
        f"which key is the {what}? Found {', '.join(record)}; name it with --columns "
        f"{what}=KEY. For example, this would be read:{EXAMPLE}"
    )
