"""From files of forests to the cloud of a sentence."""

from collections.abc import Iterator
from pathlib import Path

from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest, without_boundaries
from hopefear.formats import detect_forests, read_forests
from hopefear.formats.files import Tell, tell_nobody
from hopefear.formats.forests.store import ForestStore
from hopefear.formats.texts import read_references
from hopefear.inspection.cloud import Cloud
from hopefear.inspection.forest_cloud import forest_cloud
from hopefear.inspection.options import CloudOptions
from hopefear.metrics import Bleu, Metric
from hopefear.search import Example, Found
from hopefear.types import Weights

__all__ = ["inspect_forests"]

CONTEXT = 100  # sentences whose 1-best show what a document looks like


def inspect_forests(
    path: Path,
    references: tuple[Path, ...],
    metric: Metric,
    weights: Weights,
    sentence: str,
    options: CloudOptions,
    *,
    format: str | None = None,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Return the cloud of a sentence of forests."""
    if not isinstance(metric, Bleu) or metric.tokenize != "none":
        raise ConfigError(
            "hope and fear are searched in forests by BLEU of their words: the metric must be BLEU "
            "with tokenize 'none'"
        )
    texts = read_references(references)
    if not (sentence.isascii() and sentence.isdigit()) or int(sentence) >= len(texts):
        raise DataError(f"there is no sentence '{sentence}': they are 0 to {len(texts) - 1}")
    prepared = metric.prepare(texts)
    wanted, found = int(sentence), None
    context: list[Found] = []
    for done, (number, forest) in enumerate(_forests(path, format, wanted), 1):
        if number >= len(texts):
            raise DataError(f"{path}: has a forest of sentence {number}, which has no reference")
        tell(str(path), done, CONTEXT)
        vector = weights.vector(forest.feature_names)
        context.append(Example(forest, number, prepared, vector).best)
        if number == wanted:
            found = forest
    if found is None:
        raise DataError(f"{path}: has no forest of sentence {sentence}")
    if not any(name in weights for name in found.feature_names.texts()):
        raise DataError(f"{path}: the forests and the weights have no feature in common")
    return forest_cloud(
        found,
        prepared,
        metric,
        weights,
        wanted,
        options,
        context=context,
        references=texts.sentences[wanted],
    )


def _forests(path: Path, format: str | None, wanted: int) -> Iterator[tuple[int, Forest]]:
    """Give the forest that is wanted, and the first ones; <s> and </s> are no words of theirs."""
    for number, forest in _stored(path, format, wanted):
        yield number, without_boundaries(forest)


def _stored(path: Path, format: str | None, wanted: int) -> Iterator[tuple[int, Forest]]:
    if (format or detect_forests(path)) == "hopefear":
        with ForestStore.open(path) as store:
            first = list(store)[:CONTEXT]
            for number in dict.fromkeys([*first, *([wanted] if wanted in store else [])]):
                yield number, store[number]
        return
    for count, (number, forest) in enumerate(read_forests(path, format)):
        if count < CONTEXT or number == wanted:
            yield number, forest
        if number >= wanted and count >= CONTEXT:
            return
