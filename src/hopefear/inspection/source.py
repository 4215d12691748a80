"""From files to the cloud of a sentence: those of a run, or any others."""

from dataclasses import replace
from pathlib import Path

from hopefear.errors import ConfigError, DataError
from hopefear.formats import read_keyed_lines, read_reference_lines, read_weights
from hopefear.formats.files import Tell, tell_nobody
from hopefear.inspection.cloud import Cloud
from hopefear.inspection.corpus_source import inspect_corpus
from hopefear.inspection.forest_source import inspect_forests
from hopefear.inspection.list_cloud import list_cloud
from hopefear.inspection.options import CloudOptions
from hopefear.metrics import Metric
from hopefear.runs.data import LoadedSet, load_data
from hopefear.runs.run_folder import load_run_settings, read_folder
from hopefear.runs.settings import DataSettings
from hopefear.types import Weights

__all__ = ["inspect_lists", "inspect_run", "run_weights"]


def inspect_run(
    run: Path,
    sentence: str,
    options: CloudOptions,
    *,
    dev: bool = False,
    weights: Weights | None = None,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Return the cloud of a sentence of the data of a run, under the weights that it learned.

    The data are where the settings of the run say: paths that are not absolute are taken from where
    the run was started, or, if they are not there any more, from the current directory.
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
            f"started in {read_folder(run)}: go to where it is now, or give the data"
        )
    chosen = run_weights(run) if weights is None else weights
    if data.forests is not None:
        search = options.search or getattr(settings.learner, "search", None)
        return inspect_forests(
            data.forests,
            data.references,
            settings.metric,
            chosen,
            sentence,
            replace(options, search=search),
            format=data.format,
            tell=tell,
        )
    if settings.translates:
        return inspect_corpus(run, settings, sentence, chosen, options, dev=dev, tell=tell)
    return inspect_lists(data, settings.metric, chosen, sentence, options, tell=tell)


def inspect_lists(
    data: DataSettings,
    metric: Metric,
    weights: Weights,
    sentence: str,
    options: CloudOptions,
    *,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Return the cloud of a sentence of n-best lists."""
    loaded = load_data(data, metric, tell=tell)
    number = _sentence_number(loaded, sentence)
    name = loaded.sentence(number)
    return list_cloud(
        loaded.lists,
        weights,
        number,
        options,
        name=name,
        references=_references(data, name),
    )


def run_weights(run: Path) -> Weights:
    """Return the weights that a run learned; of one that was stopped, those of its last epoch."""
    epochs = sorted((run / "weights").glob("*.tsv"), key=lambda path: (len(path.name), path.name))
    final = run / "weights.tsv"
    if final.is_file():
        return read_weights(final, "tsv")
    if not epochs:
        raise DataError(f"{run}: has no weights, neither weights.tsv nor those of an epoch")
    return read_weights(epochs[-1], "tsv")


def _sentence_number(loaded: LoadedSet, sentence: str) -> int:
    names, count = loaded.keys.names, loaded.nbest.sentence_count
    if names:
        if sentence in names:
            return list(names).index(sentence)
        raise DataError(f"no sentence is called '{sentence}'; the first one is '{names[0]}'")
    if not (sentence.isascii() and sentence.isdigit()) or int(sentence) >= count:
        raise DataError(f"there is no sentence '{sentence}': they are 0 to {count - 1}")
    return int(sentence)


def _references(data: DataSettings, name: str) -> list[str]:
    """Return the references of a sentence, to be shown."""
    if data.keyed_references:
        return [read_keyed_lines(path)[name] for path in data.references]
    return [read_reference_lines(path)[int(name)] for path in data.references]
