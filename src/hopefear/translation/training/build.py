"""Making a model: normalize, align, extract, estimate, each stage once.

::

    MODEL/train.toml            the settings, with every default
    MODEL/stages/               what is finished, so that a second run goes on
    MODEL/texts/                the normalized texts, if normalization changes them
    MODEL/alignments.gz         the word alignments that were found
    MODEL/...                   and the model itself, see `hopefear.translation.model`
"""

import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hopefear.errors import ConfigError
from hopefear.formats import open_output, read_weights, write_weights
from hopefear.grammar import FeatureKind, Grammar
from hopefear.settings import config
from hopefear.translation import ModelNames
from hopefear.translation.model import (
    SETTINGS_FILE,
    GrammarFile,
    Model,
    ModelSettings,
    write_settings,
)
from hopefear.translation.model_weights import weights_for
from hopefear.translation.training.feature_stages import make_templates
from hopefear.translation.training.grammar_stages import (
    find_alignments,
    is_moses_model,
    make_glue,
    make_grammars,
)
from hopefear.translation.training.inputs import check_inputs
from hopefear.translation.training.language_model_stages import make_language_models
from hopefear.translation.training.normalize import normalize_inputs
from hopefear.translation.training.progress import Progress
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import Fingerprint, Stage, Stages, existing_file
from hopefear.translation.training.start_weights import MOSES_NAMES, default_weights
from hopefear.translation.training.work import Work
from hopefear.types import Weights

__all__ = ["build"]

_OURS = re.compile(
    r"(model|train)\.toml|stages|texts|alignments\.gz|weights\.tsv|(grammar|rules|glue)\.bin"
    r"|lm\d+\.(kenlm|arpa\.gz)|features-[\w.-]+\.tsv|.*\.part"
)


def build(
    settings: TrainSettings,
    out: Path,
    *,
    tell: Progress = lambda stage, done, total: None,
    finished: Callable[[Stage], None] = lambda stage: None,
) -> Model:
    """Make a model.

    Parameters
    ----------
    settings
        What to make it of.
    out
        The directory of the model. Stages that an earlier run finished there are not done again,
        if their options and inputs are the same.
    tell
        Called now and then with what is being done, how much of it is done, and of how much.
    finished
        Called with each stage when it is finished.
    """
    _check_target(out)
    check_inputs(settings, tell)
    new = [place for place in (out, *out.parents) if not place.exists()]
    fresh = bool(new) or not any(out.iterdir())
    out.mkdir(parents=True, exist_ok=True)
    stages = Stages(out, finished)
    with stages.locked():
        # Until all is done, there is no model.
        (out / SETTINGS_FILE).unlink(missing_ok=True)
        with open_output(out / "train.toml") as file:
            file.write(config.dumps(settings))
        work = Work(
            settings=settings, out=out, stages=stages, fingerprint=Fingerprint(tell), tell=tell
        )
        try:
            _make(work)
        except BaseException:
            if fresh and not stages.any_finished:
                _remove(out, new)
            raise
    return Model(out)


def _remove(out: Path, new: Sequence[Path]) -> None:
    """Remove the beginnings of a model of which no stage was finished, and new directories."""
    for item in out.iterdir():
        if _OURS.fullmatch(item.name):
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    for place in new:
        with suppress(OSError):  # it is not empty
            place.rmdir()


def _check_target(path: Path) -> None:
    """Refuse a directory with files that are not a model's, before any work is done."""
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path}: exists and is not a directory")
    items = sorted(item.name for item in path.iterdir()) if path.exists() else []
    others = [name for name in items if not _OURS.fullmatch(name)]
    if others:
        raise ConfigError(f"{path}: holds '{others[0]}', which is not of a model; name another")


def _make(work: Work) -> None:
    settings = work.settings
    inputs = normalize_inputs(work)
    alignments = find_alignments(work, inputs)
    grammars = make_grammars(work, inputs, alignments)
    names = MOSES_NAMES if is_moses_model(settings) else ModelNames()
    model = ModelSettings(
        grammars=_with_features(work, grammars),
        glue=make_glue(work),
        names=names,
        language_models=make_language_models(work, inputs),
        normalization=settings.normalization,
        decoder=settings.decoder,
        templates=make_templates(work, inputs, alignments),
    )
    path = work.out / model.weights
    write_weights(path, _default_weights(work, model))
    if settings.weights is not None:
        given = read_weights(existing_file(settings.weights))
        write_weights(path, weights_for(Model(work.out, settings=model), given))
    write_settings(work.out, model)


def _with_features(work: Work, files: list[str]) -> tuple[GrammarFile, ...]:
    """Say of each grammar which of its features are used in another way than usual."""
    grammars, left = [], {use.of for use in work.settings.features}
    for file in files:
        names = set(_features(work, file))
        uses = tuple(use for use in work.settings.features if use.of in names)
        grammars.append(replace(GrammarFile(file=file), features=uses))
        left -= names
    if left:
        raise ConfigError(f"features: no grammar has '{min(left)}'")
    return tuple(grammars)


def _features(work: Work, file: str) -> dict[str, FeatureKind]:
    return Grammar(work.out / file, verify=False).features


def _default_weights(work: Work, model: ModelSettings) -> Weights:
    logarithms: list[str] = []
    others: list[str] = []
    for grammar in model.grammars:
        changed = {use.of for use in grammar.features}
        for name, kind in _features(work, grammar.file).items():
            if name not in changed and kind != FeatureKind.count:
                (logarithms if kind == FeatureKind.probability else others).append(name)
        for use in grammar.features:
            if use.view != "none":
                (logarithms if use.view == "logarithm" else others).append(use.name or use.of)
    glue = ["Glue"] if model.glue is None else list(_features(work, model.glue))
    models = [one.feature for one in model.language_models]
    return default_weights(model.names, logarithms, others, glue, models)
