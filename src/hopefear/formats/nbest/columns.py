"""What the columns of tables and the keys of records are called, and what they hold.

A column is the sentence, the text, the source, or a feature. Usual names are known; `--columns`
names others, and `--ignore` names columns that are no features.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from hopefear.errors import ConfigError, FormatError
from hopefear.formats.base import NBestFormat, choose_format, nbest_formats
from hopefear.formats.fields import check_sentence, json_number
from hopefear.formats.files import Source
from hopefear.registry import suggest
from hopefear.settings import setting, settings

__all__ = [
    "FEATURES",
    "INDEX",
    "LISTS",
    "LIST_KEYS",
    "REFERENCES",
    "SENTENCE",
    "SOURCE",
    "TEXT",
    "ColumnFormat",
    "Numbering",
    "choose_nbest_format",
    "feature_values",
    "first_of",
    "sentence_of",
    "source_key",
    "text_of",
]

# The first name that is there counts.
TEXT = (
    *("text", "hypothesis", "translation", "candidate", "output", "hyp", "mt"),
    *("generated_text", "translation_text", "summary_text", "content", "response", "answer"),
    *("completion", "prediction", "pred_text", "transcript", "transcription", "rec_text"),
)
SENTENCE = (
    *("sentence", "sentence_id", "sent_id", "segment_id", "seg_id", "segment"),
    *("utterance", "utt_id", "utt", "custom_id"),
)
SOURCE = ("source", "src", "input", "prompt")
LISTS = (
    *("candidates", "hypotheses", "nbest", "hyps", "outputs", "generations", "completions"),
    *("responses", "answers", "samples", "predictions", "alternatives", "beams", "texts"),
)
REFERENCES = ("references", "reference", "refs", "ref", "ground_truth", "gold")
# What objects with a list of candidates are called; in records of candidates, `id` numbers rows.
LIST_KEYS = (*SENTENCE, "id", "request_id")
INDEX = ("", "Unnamed: 0", "index", "id")  # the numbers of rows
# Objects of numbers; the names of their keys are those of features.
FEATURES = ("features", "scores")


@settings
class ColumnFormat:
    """The names of columns; the formats that have columns are subclasses."""

    sentence: str | None = setting(None, "The column of the sentences.")
    text: str | None = setting(None, "The column of the texts.")
    ignore: tuple[str, ...] = setting((), "Columns that are no features.")

    def text_column(self, names: Collection[str]) -> str | None:
        """Return the name of the column of texts, if it is among these names, or in a record."""
        known: tuple[str, ...] = TEXT if self.text is None else (self.text,)
        if isinstance(names, Mapping):
            known = tuple(name for name in known if not isinstance(names.get(name), dict | list))
        return first_of(known, names)

    def sentence_column(self, names: Collection[str]) -> str | None:
        """Return the name of the column of sentences, if it is among these names."""
        return first_of(SENTENCE if self.sentence is None else (self.sentence,), names)


def first_of(names: Iterable[str], among: Collection[str]) -> str | None:
    """Return the first name that is among others."""
    return next((name for name in names if name in among), None)


class Numbering:
    """Sentences without numbers or keys of their own: a new one for each new source."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def of(self, source: object) -> int:
        """Return the number of the sentence with this source, in order of first appearance."""
        return self._numbers.setdefault(source_key(source), len(self._numbers))


def source_key(source: object) -> object:
    """Return what tells a source from others: a prompt may be the messages of a chat."""
    return source if isinstance(source, str) else json.dumps(source)


def sentence_of(value: object) -> int | str:
    """Return a JSON value as the number or key of a sentence; frames may have made it a float."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return check_sentence(value)


def text_of(record: Mapping[str, object], name: str) -> str:
    """Return the text in a record."""
    value = record[name]
    if not isinstance(value, str):
        raise FormatError(f"'{name}' must be a string, got {value!r:.40}")
    return value


def feature_values(record: Mapping[str, object], skipped: Collection[str]) -> dict[str, float]:
    """Return all numbers of a record: its own, and those of `features` or `scores`.

    A list there is `features_0`, `features_1`, ...; other lists, and texts, are no features. Null
    stands for a number that is missing.
    """
    values: dict[str, float] = {}
    for name, value in record.items():
        if type(value) is float and name not in skipped:
            values[name] = value
        elif isinstance(value, list) and name in FEATURES and name not in skipped:
            for i, one in enumerate(value):
                values[f"{name}_{i}"] = json_number(one, f"feature '{name}_{i}'")
        elif name in skipped or value is None or isinstance(value, str | list):
            continue
        elif isinstance(value, dict):
            if name in FEATURES:
                inner = {k: v for k, v in value.items() if k not in skipped and v is not None}
                values |= {k: json_number(v, f"feature '{k}'") for k, v in inner.items()}
        else:
            number = float(value) if isinstance(value, bool) else value
            values[name] = json_number(number, f"feature '{name}'")
    return values


def choose_nbest_format(
    source: Source,
    chosen: str | NBestFormat | None,
    columns: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> NBestFormat:
    """Return the chosen format or the one that fits, with these names of columns."""
    if not columns and not ignore:
        return choose_format(source, nbest_formats, chosen)
    names = _column_names(columns)
    if chosen is None:
        for title in nbest_formats:
            made = nbest_formats[title]()
            if isinstance(made, ColumnFormat):
                named = replace(made, **names, ignore=tuple(ignore))
                if isinstance(named, NBestFormat) and named.sniff(source):
                    return named
    format = choose_format(source, nbest_formats, chosen)
    if not isinstance(format, ColumnFormat):
        title = nbest_formats.name_of(type(format))
        problem = f"{source.name}: columns can be named in tables and records, not in '{title}'"
        raise ConfigError(problem, settings=("columns", "ignore", "format"))
    return replace(format, **names, ignore=tuple(ignore))


def _column_names(items: Sequence[str]) -> dict[str, str]:
    columns: dict[str, str] = {}
    for item in items:
        role, equals, name = item.partition("=")
        if role not in ("sentence", "text") or not equals or not name:
            hint = suggest(role, ("sentence", "text"))
            problem = f"expected sentence=NAME or text=NAME, got '{item}'{hint}"
            raise ConfigError(problem, settings=("columns",))
        columns[role] = name
    return columns
