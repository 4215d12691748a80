"""From files to data that a decoder translates: sources, references, parses."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, cast

import numpy as np

from hopefear.candidates import CommandDecoder, CommandSet, DecodedSet, Parses, write_parses
from hopefear.candidates.discretized import learn_rule_bins
from hopefear.errors import DataError
from hopefear.events import Note
from hopefear.formats import read_lines, read_weights
from hopefear.formats.files import Tell
from hopefear.formats.forests.store import ForestStore
from hopefear.formats.texts import read_references
from hopefear.metrics import References, TextMetric
from hopefear.runs.fingerprints import fingerprint_file, fingerprint_texts
from hopefear.runs.guards import check_common_features
from hopefear.runs.load import Loaded, tokenization_warnings
from hopefear.runs.settings import DataSettings, TuneSettings
from hopefear.runs.start import about_patterns, given_start, matching_weights
from hopefear.translation.features.bins import (
    Discretization,
    FeatureBins,
    read_bins,
    spread,
    write_bins,
)
from hopefear.translation.model import Model, RunFeatures, converted
from hopefear.types import Vocabulary, Weights

__all__ = ["Corpora", "load_corpora"]


@dataclass(frozen=True, kw_only=True)
class Corpora:
    """The data of a run around a decoder, the weights to start from, and what to know of them."""

    data: Loaded
    dev: Loaded | None
    start: Weights
    about_start: str = ""
    bins: FeatureBins = field(default_factory=dict)


def load_corpora(
    settings: TuneSettings,
    folder: Path,
    names: Vocabulary,
    tell: Tell,
    bins: FeatureBins | None = None,
) -> Corpora:
    """Read sources and references, and parse the sources if a model is to translate them.

    Parameters
    ----------
    settings : TuneSettings
        With a model or a decoder.
    folder : Path
        For the files of decoders.
    names : Vocabulary
        Filled with the names of the features.
    tell : callable
        Called with what is being done, how much of it is done and how much there is.
    bins : mapping, optional
        The bins of discretized features, if they are not to be learned from the tuning data.
    """
    load: _Models | _Commands = (
        _Commands(settings, folder, names)
        if settings.model is None
        else _Models(settings, folder, names, tell)
    )
    # Parsing and translating take time: all texts are read before.
    texts = load.read(settings.tuning)
    dev_texts = None if settings.dev is None else load.read(settings.dev)
    load.set_up(texts, bins)
    data = load.corpus(texts, "tuning")
    dev = None if dev_texts is None else load.corpus(dev_texts, "dev")
    return Corpora(
        data=data, dev=dev, start=load.start, about_start=load.about_start, bins=load.bins
    )


@dataclass(frozen=True)
class _Texts:
    """Sources and references; the sentences of a source that a command reads are not known."""

    source: Path
    references: References
    sentences: Sequence[Sequence[str]] = ()


class _Models:
    """The built-in decoder."""

    def __init__(self, settings: TuneSettings, folder: Path, names: Vocabulary, tell: Tell) -> None:
        self._settings, self._names, self._tell = settings, names, tell
        self._folder = settings.parses or folder / "parses"
        self._model = Model(cast(Path, settings.model)).with_features(
            RunFeatures(views=settings.views, templates=settings.templates)
        )
        self.bins: FeatureBins = {}
        self.start, self.about_start = self._start()

    def _start(self) -> tuple[Weights, str]:
        """Return the weights to start from, and what to know of them."""
        names, model = Vocabulary(), self._model
        for name in [*model.weights, *model.decoder().feature_names]:
            names.add(name)
        found, about = given_start(self._settings), ""
        given = found and converted(model, *found)
        if given is None and (given := matching_weights(self._settings, names)) is not None:
            about = Note(f"{about_patterns(given)}, not from {model.path / model.settings.weights}")
        start = model.weights if given is None else given
        check_common_features(start, list(names))
        return start, about

    def set_up(self, texts: _Texts, bins: FeatureBins | None) -> None:
        """Discretize the model's features, if that is asked for, and make the decoder."""
        if self._settings.discretize:
            self.bins = self._learn_bins(texts) if bins is None else bins
            self._model = self._model.with_features(RunFeatures(), self.bins)
            self.start = spread(self.start, self.bins, start=self._settings.discretize.start)
        pop_limit = self._settings.pop_limit or self._model.settings.decoder.pop_limit
        decoder = self._model.decoder(pop_limit=pop_limit)
        for name in [*self._model.weights, *decoder.feature_names]:
            self._names.add(name)
        # Which rules of a source side are considered depends on weights: on the model's own, which
        # are sensible, so that runs that start elsewhere share their parses.
        self._decoder, self._rescorer = decoder, decoder.rescorer()

    def _learn_bins(self, texts: _Texts) -> FeatureBins:
        """Return the bins of the rules that match the tuning data; they are kept as parses are."""
        how = cast(Discretization, self._settings.discretize)
        path = self._folder / f"{self._fingerprint(texts.sentences, how)}.bins.tsv"
        if path.exists():
            return read_bins(path)
        decoder, threads = self._model.decoder(), self._settings.threads
        bins = learn_rule_bins(decoder, texts.sentences, how, threads=threads, tell=self._tell)
        if not bins:
            raise DataError(
                f"discretize: no feature of rules that varies matches {', '.join(how.features)}; "
                f"the model has {', '.join(sorted(decoder.rule_features))}",
                settings=("discretize.features",),
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bins(path, bins)
        return bins

    def read(self, data: DataSettings) -> _Texts:
        """Read one data set."""
        normalization, source = self._model.settings.normalization, cast(Path, data.source)
        normalize = normalization.source()
        sentences = [normalize(line).split() for line in read_lines(source)]
        if not any(sentences):
            raise DataError(f"{source}: has no sentence to translate")
        references = _references(data, len(sentences), normalization.target())
        return _Texts(source, references, sentences)

    def corpus(self, texts: _Texts, role: str) -> Loaded:
        """Parse one data set."""
        settings, sentences, references = self._settings, texts.sentences, texts.references
        path = self._folder / f"{self._fingerprint(sentences)}.forests"
        if not path.exists():
            write_parses(path, self._decoder, sentences, threads=settings.threads, tell=self._tell)
        store = ForestStore.open(path, feature_names=self._names)
        parses = Parses(store, self._rescorer, memory_limit=settings.memory_limit)
        metric = cast(TextMetric, settings.metric)
        found = DecodedSet(parses, self._rescorer, references, metric, threads=settings.threads)
        return Loaded(
            candidates=found,
            role=role,
            signature=metric.signature(references),
            fingerprints={
                "model": self._fingerprint_model(),
                f"{role}.source": fingerprint_texts(sentences),
                f"{role}.references": fingerprint_texts(references.sentences),
            },
            references=references,
        )

    def _fingerprint_model(self) -> str:
        """Return a fingerprint of the model: which files it has, and how large they are."""
        settings = self._model.settings
        files = [grammar.file for grammar in settings.grammars]
        files += [model.file for model in settings.language_models]
        files += filter(None, [settings.glue, *(use.file for use in settings.templates)])
        sizes = [f"{name} {(self._model.path / name).stat().st_size}" for name in files]
        return fingerprint_texts([sizes])

    def _fingerprint(
        self, sentences: Sequence[Sequence[str]], how: Discretization | None = None
    ) -> str:
        """Return a name for the parses, or for bins, different if anything they depend on is."""
        digest = hashlib.sha256(b"" if how is None else repr(how).encode())
        for name, bins in self.bins.items():
            digest.update(repr((name, bins.kept, bins.overlap)).encode() + bins.borders.tobytes())
        for words in sentences:
            digest.update(" ".join(words).encode() + b"\n")
        model = self._model
        files = [grammar.file for grammar in model.settings.grammars]
        chosen = [use.file for use in model.settings.templates]
        for name in filter(None, [*files, model.settings.glue, *chosen]):
            file = model.path / name
            stat = file.stat()
            digest.update(f"{file.resolve()} {stat.st_size} {stat.st_mtime_ns}\n".encode())
        # How much is searched does not change what is parsed.
        options = replace(model.settings.decoder, pop_limit=0, beam=0.0)
        own = model.settings
        digest.update(repr((options, own.grammars, own.templates, own.views, own.names)).encode())
        digest.update(np.ascontiguousarray(model.rule_weights.array).tobytes())
        digest.update("\n".join(model.rule_weights.names).encode())
        return digest.hexdigest()[:16]


class _Commands:
    """A decoder of the user's."""

    about_start = ""
    bins: ClassVar[FeatureBins] = {}

    def __init__(self, settings: TuneSettings, folder: Path, names: Vocabulary) -> None:
        self._settings, self._names, self._folder = settings, names, folder / "decoder"
        start = given_start(settings)
        if start is None:
            raise DataError(
                "start weights have to be given: the first lists of the decoder are made with them",
                settings=("start_file",),
            )
        decoder = cast(CommandDecoder, settings.decoder)
        # What the template has beside them is what the first lists are made with, too.
        kept = decoder.template and read_weights(decoder.template, decoder.weights_format)
        self.start = Weights(dict(kept or {}) | dict(start[0]))

    def set_up(self, texts: _Texts, bins: FeatureBins | None) -> None:
        """Do nothing: a command has features of its own."""

    def read(self, data: DataSettings) -> _Texts:
        """Read the references of one data set."""
        source = cast(Path, data.source)
        if not source.exists():
            raise DataError(f"{source}: cannot be read: it does not exist")
        return _Texts(source, read_references(data.references))

    def corpus(self, texts: _Texts, role: str) -> Loaded:
        """Translate one data set under the start weights."""
        settings, references = self._settings, texts.references
        metric = cast(TextMetric, settings.metric)
        found = CommandSet(
            cast(CommandDecoder, settings.decoder),
            references,
            metric,
            start=self.start,
            size=settings.rhythm.list_size if role == "tuning" else 1,
            folder=self._folder / role,
            source=texts.source,
            feature_names=self._names,
            threads=settings.threads,
            held_out=role != "tuning",
        )
        check_common_features(self.start, found.listed_features)
        return Loaded(
            candidates=found,
            role=role,
            signature=metric.signature(references),
            fingerprints={
                f"{role}.source": fingerprint_file(texts.source),
                f"{role}.references": fingerprint_texts(references.sentences),
            },
            warnings=tokenization_warnings(metric, references),
            references=references,
        )


def _references(data: DataSettings, sentences: int, normalize: Callable[[str], str]) -> References:
    """Read references, written as the model writes its words."""
    given = read_references(data.references)
    if len(given) != sentences:
        raise DataError(
            f"{data.source} has {sentences} sentences, but {given.prefix}there are references for "
            f"{len(given)}"
        )
    return References([[normalize(text) for text in texts] for texts in given.sentences])
