"""Finding a sentence and building its cloud: in a run, in n-best lists or in forests."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from hopefear.candidates import HasForests, HasLists, ListSet
from hopefear.candidates.added import CountedForests
from hopefear.candidates.discretized import discretize_forest
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest, without_boundaries
from hopefear.formats import (
    detect_forests,
    read_forests,
    read_weights,
)
from hopefear.formats.files import Tell, tell_nobody
from hopefear.formats.forests.store import ForestStore
from hopefear.formats.texts import read_references
from hopefear.inspection.build import CloudOptions, forest_cloud, list_cloud, most_interesting
from hopefear.inspection.cloud import Cloud
from hopefear.metrics import Bleu, BleuReferences, Metric
from hopefear.runs.load import Loaded, discretized, load_data
from hopefear.runs.load_decoder import load_corpora
from hopefear.runs.run_directory import load_run_settings, read_folder
from hopefear.runs.settings import DataSettings, TuneSettings
from hopefear.search import Example, Found
from hopefear.translation.features.bins import FeatureBins, run_bins
from hopefear.translation.features.counting import WordCounter
from hopefear.types import Vocabulary, Weights

__all__ = ["inspect_forests", "inspect_lists", "inspect_run"]

# The 1-best translations of this many sentences make the document in which a gain is measured.
STORED_CONTEXT, DECODED_CONTEXT = 100, 50
NEEDS_TOKENS = (
    "hope and fear are searched in forests with BLEU on the words of the forest: use the metric "
    "'bleu' with tokenize = 'none'"
)


def inspect_run(
    run: Path,
    sentence: str | None,
    options: CloudOptions,
    *,
    dev: bool = False,
    weights: Weights | None = None,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Return the cloud of a sentence of a run's data, under the weights that the run learned.

    Relative paths in the settings of the run start at the directory where the run was started or,
    if the files are no longer there, at the current directory.
    """
    settings = load_run_settings(run)
    data = settings.dev if dev else settings.tuning
    if data is None:
        raise ConfigError(f"{run}: the run has no held-out data")
    others = [path for path in (data.forests, data.source) if path is not None]
    missing = [path for path in (*data.nbest, *others, *data.references) if not path.exists()]
    if missing:
        raise DataError(
            f"{missing[0]}: does not exist; {run / 'config.toml'} names it, and the run was "
            f"started in {read_folder(run)}. Change to the directory where the data are now, or "
            "give the data instead of the run"
        )
    chosen = _run_weights(run) if weights is None else weights
    counter = None if settings.patterns is None else WordCounter.read(settings.patterns)
    searching = replace(options, search=options.search or getattr(settings.learner, "search", None))
    if data.forests is not None:
        return inspect_forests(
            data.forests,
            data.references,
            settings.metric,
            chosen,
            sentence,
            searching,
            format=data.format,
            counted=None if counter is None else CountedForests(counter, cast(Path, data.source)),
            bins=run_bins(run),
            tell=tell,
        )
    if settings.translates:
        return _inspect_decoded(run, settings, data, sentence, chosen, searching, tell)
    return inspect_lists(
        data,
        settings.metric,
        chosen,
        sentence,
        options,
        counter=counter,
        derived=settings.derived,
        bins=run_bins(run),
        tell=tell,
    )


def _run_weights(run: Path) -> Weights:
    """Return the weights that a run learned or, if it was stopped, those of its last epoch."""
    epochs = sorted((run / "weights").glob("*.tsv"), key=lambda path: (len(path.name), path.name))
    final = run / "weights.tsv"
    if final.is_file():
        return read_weights(final, "tsv")
    if not epochs:
        raise DataError(f"{run}: the run has no weights yet; name some with 'weights'")
    return read_weights(epochs[-1], "tsv")


def inspect_lists(
    data: DataSettings,
    metric: Metric,
    weights: Weights,
    sentence: str | None,
    options: CloudOptions,
    *,
    counter: WordCounter | None = None,
    derived: Sequence[str] = (),
    bins: FeatureBins | None = None,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Return the cloud of a sentence of n-best lists."""
    loaded = load_data(data, metric, counter=counter, derived=derived, tell=tell)
    if bins:
        loaded = discretized(loaded, bins, Vocabulary())
    lists = cast(ListSet, loaded.candidates)
    number = most_interesting(lists, weights) if sentence is None else _keyed(loaded, sentence)
    name = loaded.sentence(number)
    references = () if loaded.references is None else loaded.references.sentences[number]
    return list_cloud(lists, weights, number, options, name=name, references=references)


def _keyed(loaded: Loaded, sentence: str) -> int:
    names = loaded.keys.names
    if not names:
        return _number(sentence, loaded.nbest.sentence_count)
    if sentence not in names:
        raise DataError(f"no sentence has the key '{sentence}'; the first key is '{names[0]}'")
    return list(names).index(sentence)


def _number(sentence: str | None, count: int) -> int:
    if sentence is None:
        problem = "the most interesting sentence can be found in n-best lists only"
        raise ConfigError(problem, settings=("sentence",))
    if not (sentence.isascii() and sentence.isdigit()) or int(sentence) >= count:
        raise DataError(f"there is no sentence '{sentence}'; sentences are 0 to {count - 1}")
    return int(sentence)


def inspect_forests(
    path: Path,
    references: tuple[Path, ...],
    metric: Metric,
    weights: Weights,
    sentence: str | None,
    options: CloudOptions,
    *,
    format: str | None = None,
    counted: CountedForests | None = None,
    bins: FeatureBins | None = None,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Return the cloud of a sentence of stored forests."""
    if not isinstance(metric, Bleu) or metric.tokenize != "none":
        raise ConfigError(f"{NEEDS_TOKENS}, not {metric.name} with other tokens")
    texts = read_references(references)
    wanted = _number(sentence, len(texts))
    prepared = metric.prepare(texts)
    found, names = None, Vocabulary()
    context: list[Found] = []
    for done, (number, stored) in enumerate(_stored(path, format, wanted), 1):
        if number >= len(texts):
            raise DataError(f"{path}: the forest of sentence {number} has no reference")
        tell(str(path), done, STORED_CONTEXT)
        forest = without_boundaries(stored)
        if counted is not None:
            forest = counted.count(number, forest)
        if bins:
            forest = discretize_forest(forest, bins, names)
        vector = weights.vector(forest.feature_names)
        context.append(Example(forest, number, prepared, vector).best)
        if number == wanted:
            found = forest
    if found is None:
        raise DataError(f"{path}: sentence {sentence} has no forest")
    if not any(name in weights for name in found.feature_names):
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


def _stored(path: Path, format: str | None, wanted: int) -> Iterator[tuple[int, Forest]]:
    """Yield the first forests, and the one that is wanted."""
    if (format or detect_forests(path)) == "hopefear":
        with ForestStore.open(path) as store:
            first = list(store)[:STORED_CONTEXT]
            for number in dict.fromkeys([*first, *([wanted] if wanted in store else [])]):
                yield number, store[number]
        return
    for count, (number, forest) in enumerate(read_forests(path, format)):
        if count < STORED_CONTEXT or number == wanted:
            yield number, forest
        if number >= wanted and count >= STORED_CONTEXT:
            return


def _inspect_decoded(
    run: Path,
    settings: TuneSettings,
    given: DataSettings,
    sentence: str | None,
    weights: Weights,
    options: CloudOptions,
    tell: Tell,
) -> Cloud:
    """Translate a sentence again: our decoder returns a forest, any other decoder a list."""
    with TemporaryDirectory() as scratch:
        # The parses of the run are reused, but the files of an external decoder stay as they are.
        folder = Path(scratch) if settings.model is None else run
        size = max(settings.rhythm.list_size, options.listed + options.others)
        rhythm = replace(settings.rhythm, list_size=size)
        only = replace(settings, tuning=given, dev=None, rhythm=rhythm)
        bins = run_bins(run) or None
        data = load_corpora(only, folder, Vocabulary(), tell, bins).data.candidates
        number = _number(sentence, data.sentence_count)
        references = read_references(given.references).sentences[number]
        if isinstance(data, HasForests):
            return _decoded_forest(data, weights, number, options, references, tell)
        vector = weights.vector(data.feature_names)
        lists = cast(HasLists, data).kbest_lists(vector, options.listed + options.others)
        return list_cloud(lists, weights, number, options, references=references)


def _decoded_forest(
    data: HasForests,
    weights: Weights,
    sentence: int,
    options: CloudOptions,
    references: Sequence[str],
    tell: Tell,
) -> Cloud:
    prepared, vector = data.prepared, weights.vector(data.feature_names)
    if not isinstance(prepared, BleuReferences) or not prepared.takes_words:
        raise ConfigError(f"{NEEDS_TOKENS}, not {data.metric.name} with other tokens")
    forest = data.forest(sentence, vector)
    if forest is None:
        raise DataError(f"sentence {sentence} has no forest")
    context: list[Found] = []
    count = data.sentence_count
    for other in range(0, count, max(1, count // DECODED_CONTEXT)):
        tell("translations", other, count)
        if (found := data.forest(other, vector)) is not None:
            context.append(Example(found, other, prepared, vector).best)
    return forest_cloud(
        forest,
        prepared,
        cast(Bleu, data.metric),
        weights,
        sentence,
        options,
        context=context,
        references=references,
    )
