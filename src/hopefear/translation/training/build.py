"""Training: normalize, align, extract, estimate, each stage once.

::

    MODEL/train.toml            the settings, with all defaults
    MODEL/stages/               records of finished stages, which a second run skips
    MODEL/texts/                the normalized texts, if normalization changes them
    MODEL/alignments.gz         the word alignments, if an aligner made them
    MODEL/...                   the model itself, see `hopefear.translation.model`
"""

import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from hopefear.cluster.tasks import Share, ShareOut, meanwhile
from hopefear.errors import ConfigError
from hopefear.formats import open_output, write_weights
from hopefear.formats.files import Tell, remove_litter, tell_nobody
from hopefear.formats.lock import FolderLock
from hopefear.formats.weights import read_weights_and_format
from hopefear.grammar import FeatureKind, Grammar
from hopefear.settings import config
from hopefear.translation import ModelNames
from hopefear.translation.model import (
    SETTINGS_FILE,
    GrammarFile,
    Model,
    ModelSettings,
    weights_for,
    write_settings,
)
from hopefear.translation.training.components import (
    count_ngrams,
    find_alignments,
    is_moses_model,
    label_names,
    make_glue,
    make_grammars,
    make_language_models,
    make_templates,
)
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import Fingerprint, Stage, Stages, Work, existing_file
from hopefear.translation.training.texts import Inputs, check_inputs, normalize_inputs
from hopefear.types import Weights

__all__ = ["build"]

_OURS = re.compile(
    r"\.lock|(model|train)\.toml|stages|texts|alignments\.gz|weights\.tsv|(grammar|rules|glue)\.bin"
    r"|lm\d+\.(kenlm|arpa\.gz)|features-[\w.-]+\.tsv|.*\.part"
)

MOSES_NAMES = ModelNames(word_penalty="WordPenalty0", phrase_penalty="PhrasePenalty0")
"""Names of the decoder's own features in moses.ini."""

# The weights that Moses' train-model.perl writes for phrase tables and the decoder's features.
PROBABILITY, LANGUAGE_MODEL, WORD, PHRASE, GLUE = 0.2, 0.5, -1.0, 0.2, 1.0

# The features of cdec's grammar extractor with the start weights of cdec's guide.
CDEC = {
    "EgivenFCoherent": -0.1,
    "MaxLexFgivenE": -0.1,
    "MaxLexEgivenF": -0.1,
    "SampleCountF": -0.1,
    "CountEF": 0.1,
    "IsSingletonF": -0.01,
    "IsSingletonFE": -0.01,
}


def build(
    settings: TrainSettings,
    out: Path,
    *,
    tell: Tell = tell_nobody,
    finished: Callable[[Stage], None] = lambda stage: None,
) -> Model:
    """Build a model.

    Parameters
    ----------
    settings
        The settings.
    out
        The directory of the model. Stages that an earlier run finished there with the same options
        and inputs are skipped.
    tell
        Progress callback, called with a stage, the amount done and the total (0 if unknown).
    finished
        Called with each finished stage.
    """
    _check_target(out)
    check_inputs(settings, tell)
    new = [place for place in (out, *out.parents) if not place.exists()]
    fresh = bool(new) or not any(out.iterdir())
    out.mkdir(parents=True, exist_ok=True)
    with FolderLock(out):
        stages = Stages(out, finished)
        remove_litter(out)
        # Without its settings, an incomplete model cannot be loaded.
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
    """Remove the files of a model without any finished stage, and new directories."""
    for item in out.iterdir():
        if _OURS.fullmatch(item.name):
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    for place in new:
        with suppress(OSError):  # it is not empty
            place.rmdir()


def _check_target(path: Path) -> None:
    """Refuse a directory with files that do not belong to a model."""
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path}: not a directory")
    items = sorted(item.name for item in path.iterdir()) if path.exists() else []
    others = [name for name in items if not _OURS.fullmatch(name)]
    if others:
        raise ConfigError(
            f"{path}: contains '{others[0]}', which is not part of a model; name another directory"
        )


def _make(work: Work) -> None:
    settings = work.settings
    inputs = normalize_inputs(work)
    with _language_models_meanwhile(work, inputs) as wait:
        alignments = find_alignments(work, inputs)
        grammars = make_grammars(work, inputs, alignments)
        wait()
    names = MOSES_NAMES if is_moses_model(settings) else ModelNames()
    glue = make_glue(work)
    model = ModelSettings(
        grammars=_with_features(work, grammars),
        glue=glue,
        names=replace(names, **label_names(work, glue)),
        language_models=make_language_models(work, inputs),
        normalization=settings.normalization,
        decoder=settings.decoder,
        templates=make_templates(work, inputs, alignments),
    )
    path = work.out / model.weights
    write_weights(path, _start_weights(work, model))
    if settings.weights is not None:
        given, format = read_weights_and_format(existing_file(settings.weights))
        own = weights_for(Model(work.out, settings=model), given, format=format)
        write_weights(path, own)
    write_settings(work.out, model)


def _language_models_meanwhile(
    work: Work, inputs: Inputs
) -> AbstractContextManager[Callable[[], None]]:
    """Let a cluster, if there is one, do the stages of the language models.

    They are then found finished when it is their turn.
    """
    cluster = work.settings.cluster
    if cluster is None:
        return nullcontext(lambda: None)
    settings = replace(work.settings, cluster=None)

    def make(share_out: ShareOut) -> None:
        counts = count_ngrams(_quiet(settings, work.out), inputs, share_out)
        list(share_out(1, partial(_make_language_models, settings, work.out, inputs, counts)))
        shutil.rmtree(work.out / "stages" / "count", ignore_errors=True)

    return meanwhile(make, cluster)


def _make_language_models(
    settings: TrainSettings, out: Path, inputs: Inputs, counts: Sequence[Path], share: Share
) -> None:
    make_language_models(_quiet(settings, out), inputs, counts)


def _quiet(settings: TrainSettings, out: Path) -> Work:
    """Return what stages share that nobody watches."""
    return Work(
        settings=settings,
        out=out,
        stages=Stages(out, lambda stage: None),
        fingerprint=Fingerprint(tell_nobody),
        tell=tell_nobody,
    )


def _with_features(work: Work, files: list[str]) -> tuple[GrammarFile, ...]:
    """Return the grammars with the features that are not used in the default way."""
    grammars, left = [], {use.of for use in work.settings.features}
    for file in files:
        names = set(_features(work, file))
        uses = tuple(use for use in work.settings.features if use.of in names)
        grammars.append(GrammarFile(file=file, features=uses))
        left -= names
    if left:
        problem = f"features: no grammar has a feature '{min(left)}'"
        raise ConfigError(problem, settings=("features",))
    return tuple(grammars)


def _features(work: Work, file: str) -> dict[str, FeatureKind]:
    return Grammar(work.out / file, verify=False).features


def _start_weights(work: Work, model: ModelSettings) -> Weights:
    """Return the start weights of Moses, which suit most grammars."""
    logarithms: list[str] = []
    scores: list[str] = []
    for grammar in model.grammars:
        changed = {use.of for use in grammar.features}
        for name, kind in _features(work, grammar.file).items():
            if name not in changed and kind != FeatureKind.count:
                (logarithms if kind == FeatureKind.probability else scores).append(name)
        for use in grammar.features:
            if use.view != "none":
                (logarithms if use.view == "logarithm" else scores).append(use.name or use.of)
    weights = {name: _known_weight(name) for name in scores}
    weights |= dict.fromkeys(logarithms, PROBABILITY)
    glue = ["Glue"] if model.glue is None else _features(work, model.glue)
    weights |= dict.fromkeys(glue, GLUE)
    models = model.language_models
    weights |= {one.feature: LANGUAGE_MODEL / len(models) for one in models}
    names = model.names
    weights |= {
        names.word_penalty: WORD,
        names.phrase_penalty: PHRASE,
        names.unknown_word: -1.0,
        names.identity_rule: -1.0,
        names.number_rule: 0.0,
        names.name_rule: 0.0,
    }
    return Weights(weights)


def _known_weight(name: str) -> float:
    """Return the weight of a score of another tool; 0 if it is not known."""
    if name.startswith("PhraseModel_"):
        return -0.1
    return PROBABILITY if name.startswith("tm_") else CDEC.get(name, 0.0)
