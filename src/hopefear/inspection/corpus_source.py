"""From a run around a decoder to the cloud of a sentence: it is translated once more."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from hopefear.errors import ConfigError, DataError
from hopefear.formats import read_reference_lines
from hopefear.formats.files import Tell
from hopefear.inspection.cloud import Cloud
from hopefear.inspection.forest_cloud import forest_cloud
from hopefear.inspection.list_cloud import list_cloud
from hopefear.inspection.options import CloudOptions
from hopefear.learners import ForestData, ListData, TuningData
from hopefear.metrics import Bleu, BleuReferences
from hopefear.runs.corpora import load_corpora
from hopefear.runs.settings import DataSettings, TuneSettings
from hopefear.search import Example, Found
from hopefear.types import Vocabulary, Weights

__all__ = ["inspect_corpus"]

CONTEXT = 50  # sentences whose 1-best show what a document looks like


def inspect_corpus(
    run: Path,
    settings: TuneSettings,
    sentence: str,
    weights: Weights,
    options: CloudOptions,
    *,
    dev: bool,
    tell: Tell,
) -> Cloud:
    """Return the cloud of a sentence that the decoder of a run translates.

    A model's decoder gives a forest; any other decoder is run and gives a list.
    """
    given = settings.dev if dev else settings.tuning
    if given is None:
        raise ConfigError(f"{run}: the run has no held-out data")
    names = Vocabulary()
    with TemporaryDirectory() as scratch:
        # Parses of the run are used again, but the files of its decoder stay as they are.
        folder = Path(scratch) if settings.model is None else run
        size = max(settings.list_size, options.listed + options.others)
        only = replace(settings, tuning=given, dev=None, list_size=size)
        data = load_corpora(only, folder, names, tell).data.tuning_set
        return _of_data(data, settings, given, sentence, weights, options, tell)


def _of_data(
    data: TuningData,
    settings: TuneSettings,
    given: DataSettings,
    sentence: str,
    weights: Weights,
    options: CloudOptions,
    tell: Tell,
) -> Cloud:
    count = data.sentence_count
    if not (sentence.isascii() and sentence.isdigit()) or int(sentence) >= count:
        raise DataError(f"there is no sentence '{sentence}': they are 0 to {count - 1}")
    number = int(sentence)
    vector = weights.vector(data.feature_names)
    references = [read_reference_lines(path)[number] for path in given.references]
    if isinstance(data, ForestData):
        search = options.search or getattr(settings.learner, "search", None)
        return _of_forests(data, weights, number, replace(options, search=search), references, tell)
    lists = cast(ListData, data).kbest_lists(vector, options.listed + options.others)
    return list_cloud(lists, weights, number, options, references=references)


def _of_forests(
    data: ForestData,
    weights: Weights,
    sentence: int,
    options: CloudOptions,
    references: Sequence[str],
    tell: Tell,
) -> Cloud:
    prepared, vector = data.prepared, weights.vector(data.feature_names)
    if not isinstance(prepared, BleuReferences) or not prepared.takes_words:
        raise ConfigError(
            "hope and fear are searched in forests by BLEU with tokenize = 'none', but the metric "
            f"of the run is {data.metric.name} of other words"
        )
    forest = data.forest(sentence, vector)
    if forest is None:
        raise DataError(f"sentence {sentence} has no forest")
    context: list[Found] = []
    count = data.sentence_count
    for other in range(0, count, max(1, count // CONTEXT)):
        tell("translations", other, count)
        if (found := data.forest(other, vector)) is not None:
            context.append(Example(found, other, prepared, vector).best)
    metric = cast(Bleu, data.metric)
    return forest_cloud(
        forest,
        prepared,
        metric,
        weights,
        sentence,
        options,
        context=context,
        references=references,
    )
