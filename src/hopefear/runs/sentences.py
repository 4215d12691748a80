"""What a run changed, sentence by sentence: the translations of the start and of the result.

``sentences.jsonl.gz`` in the directory of a run has a line about the whole, and then one for each
sentence of the data that judge the run: the dev data or, if there are none, the tuning data. Its
statistics are those of the metric for the start, for the result, and for each replica. So scores of
any part of the data, and whether differences are significant, can be computed without the data.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from hopefear.candidates import Translations
from hopefear.errors import ConfigError, FormatError
from hopefear.formats import read_lines
from hopefear.formats.files import open_output, open_source
from hopefear.metrics import Metric, metrics
from hopefear.runs.load import Loaded
from hopefear.settings import config
from hopefear.types import FloatArray, Weights

__all__ = ["SENTENCES_FILE", "SentenceTexts", "Sentences", "read_sentences", "write_sentences"]

SENTENCES_FILE = "sentences.jsonl.gz"


@dataclass(frozen=True, kw_only=True)
class _Header:
    """The first line of the file."""

    role: str
    metric: Annotated[Metric, metrics]
    replicas: int = 0


@dataclass(frozen=True, kw_only=True)
class SentenceTexts:
    """A sentence: what the files call it, its source if it is known, references, translations."""

    name: str
    source: str
    references: tuple[str, ...]
    start: str
    result: str


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """The sentences that judge a run.

    Attributes
    ----------
    path : Path
        The file, which still has the texts.
    role : str
        "tuning" or "dev".
    metric : Metric
        What the statistics are of.
    start, result : matrices
        Statistics, a row for each sentence.
    replicas : list of matrices
        The same of each replica; empty if there is only one run.
    lengths : array
        The words of the first reference of each sentence or, without one, of the start.
    """

    path: Path
    role: str
    metric: Metric
    start: FloatArray
    result: FloatArray
    replicas: Sequence[FloatArray]
    lengths: FloatArray

    def texts(self, wanted: Sequence[int]) -> list[SentenceTexts]:
        """Read the texts of some sentences, in this order."""
        numbers, found = set(wanted), {}
        for number, line in enumerate(_lines(self.path), -1):
            if number in numbers:
                found[number] = SentenceTexts(
                    name=str(line.get("name", number)),
                    source=str(line.get("source", "")),
                    references=tuple(map(str, line.get("references", ()))),
                    start=str(line.get("start", "")),
                    result=str(line.get("result", "")),
                )
        if len(found) < len(numbers):  # another run's file has taken its place
            raise FormatError(f"{self.path}: has changed and has fewer sentences now")
        return [found[number] for number in wanted]


def write_sentences(
    path: Path,
    judge: Loaded,
    source: Path | None,
    start: Weights,
    result: Weights,
    replicas: Sequence[Weights] = (),
) -> None:
    """Write the translations of the sentences of a run under its weights.

    Nothing is written about data whose translations only another program could make once more.
    """
    data = judge.candidates
    made: list[Translations] = []
    for weights in (start, result, *replicas):
        found = data.translations(weights.vector(data.feature_names))
        if found is None:
            return
        made.append(found)
    references: Iterator[Sequence[str]] = repeat(())
    if judge.references is not None:
        references = iter(judge.references.sentences)
    sources = read_lines(source) if source is not None and source.is_file() else []
    if len(sources) != data.sentence_count:
        sources = []
    header = _Header(role=judge.role, metric=data.metric, replicas=len(replicas))
    with open_output(path) as out:
        out.write(json.dumps(config.encode(header)) + "\n")
        for number in range(data.sentence_count):
            line: dict[str, object] = {"name": judge.sentence(number)}
            if sources:
                line["source"] = sources[number]
            line |= {
                "references": list(next(references, ())),
                "start": made[0].texts[number],
                "result": made[1].texts[number],
                "statistics": [list(map(_plain, one.statistics[number].tolist())) for one in made],
            }
            out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _plain(number: float) -> float | int:
    """Return a number that takes less space where it is whole."""
    return int(number) if number.is_integer() else number


def read_sentences(path: Path) -> Sentences | None:
    """Read everything but the texts; None if there is no such file.

    Raises
    ------
    FormatError
        If the file is broken; the message names the line.
    """
    if not path.is_file():
        return None
    lines = _lines(path)
    try:
        header = config.decode(_Header, next(lines, {}), source=f"{path}:1")
    except ConfigError as error:
        raise FormatError(str(error)) from error
    rows, lengths = [], []
    shape = (2 + header.replicas, header.metric.corpus_score().dimension)
    for number, line in enumerate(lines, 2):
        try:
            row = np.array(line["statistics"], dtype=np.float64)
            text = (*line["references"], line["start"], line["result"])
            lengths.append(len(text[0].split()))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise FormatError(f"{path}:{number}: is not about a sentence: {error!r}") from error
        if row.shape != shape or not np.isfinite(row).all():
            raise FormatError(f"{path}:{number}: expected {shape[0]} rows of {shape[1]} statistics")
        rows.append(row)
    if not rows:
        return None
    start, result, *replicas = np.stack(rows, axis=1)
    return Sentences(
        path=path,
        role=header.role,
        metric=header.metric,
        start=start,
        result=result,
        replicas=replicas,
        lengths=np.array(lengths, dtype=np.float64),
    )


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with open_source(path) as file:
        for number, text in file:
            try:
                line = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{path}:{number}: not JSON: {error}") from error
            if not isinstance(line, dict):
                raise FormatError(f"{path}:{number}: expected an object, got {text[:80]!r}")
            yield line
