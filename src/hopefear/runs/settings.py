"""What a tuning run is made of; read from TOML, and written back with every default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from hopefear.candidates import CommandDecoder
from hopefear.errors import ConfigError
from hopefear.learners import Learner, OnlineLearner, Scaled, learners
from hopefear.metrics import Bleu, Column, Metric, metrics
from hopefear.runs.kinds import COMMAND, FORESTS, LISTS, MODEL, DataKind, check_learner
from hopefear.runs.stopping import Stopping
from hopefear.settings import require
from hopefear.types import Weights

__all__ = ["DataSettings", "TuneSettings"]

LIST_SIZE, ITERATIONS = 100, 20


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """Candidates, and what tells good ones from bad ones: references, or a score for each.

    Parameters
    ----------
    nbest : tuple of Path
        N-best lists; equal hypotheses of several files are kept once.
    forests : Path, optional
        Forests in place of lists: a file or a directory.
    source : Path, optional
        In place of lists, sentences that a decoder translates again and again.
    format : str, optional
        Their format, with options as in ``nemo:beam_size=8``; told by content if not given.
    references : tuple of Path
        One or more files, one line a sentence.
    keyed_references : bool
        The lines of the references begin with the sentences' keys, as in Kaldi's text files.
    scores : Path, optional
        A file with a number for each hypothesis, in the order of the lists.
    score_feature : str, optional
        The feature that is the score of a hypothesis; it is then no feature any more.
    sentences : int
        How many sentences there are, if the lists do not say: some at the end may have no list.
    """

    nbest: tuple[Path, ...] = ()
    forests: Path | None = None
    source: Path | None = None
    format: str | None = None
    references: tuple[Path, ...] = ()
    keyed_references: bool = False
    scores: Path | None = None
    score_feature: str | None = None
    sentences: int = 0

    def __post_init__(self) -> None:
        candidates = [name for name in ("nbest", "forests", "source") if getattr(self, name)]
        if len(candidates) != 1:
            raise ConfigError(
                "give either nbest, or forests, or a source to translate; "
                f"found {' and '.join(candidates) or 'none of them'}",
                settings=("nbest", "forests", "source"),
            )
        if self.source is not None and not self.references:
            problem = "translations of the source need references"
            raise ConfigError(problem, settings=("references",))
        if self.forests is not None:
            self._check_forests()
        require.integer(self, "sentences", 0)
        given = [name for name in ("references", "scores", "score_feature") if getattr(self, name)]
        if len(given) != 1:
            raise ConfigError(
                "give either references, or scores, or score_feature; "
                f"found {' and '.join(given) or 'none of them'}",
                settings=("references", "scores", "score_feature"),
            )
        if self.keyed_references and not self.references:
            problem = "keyed_references, but there are no references"
            raise ConfigError(problem, settings=("keyed_references", "references"))

    def _check_forests(self) -> None:
        given = ("scores", "score_feature", "keyed_references")
        if wrong := next((name for name in given if getattr(self, name)), None):
            problem = f"{wrong} is for n-best lists; forests need references"
            raise ConfigError(problem, settings=(wrong, "references"))

    @property
    def has_scores(self) -> bool:
        """Whether hypotheses have scores, in place of references to be compared with."""
        return not self.references


@dataclass(frozen=True, kw_only=True)
class TuneSettings:
    """A tuning run.

    Parameters
    ----------
    learner : Learner
        How to learn.
    tuning : DataSettings
        What to learn from.
    dev : DataSettings, optional
        What to judge each epoch by.
    features : tuple of str
        The features that there should be: a missing one or a further one is then an error.
    metric : Metric
        What is to be high (or low, if that is better).
    start : Weights, optional
        Where to start. If neither these nor a file are given: the weights that the lists' total
        scores were made with, if they can be told; else weight 1 for features that most hypotheses
        have and 0 for the others.
    start_file : Path, optional
        A file of weights to start from, of any registered format; the weights of `moses_ini` are
        taken if it is not given.
    start_patterns : mapping
        Where to start if nothing else is given: weights of features whose names may have wildcards,
        as in ``{"LM*" = 1.0}``; all others start at 0. If no feature is named so, it says nothing.
    infer_start : bool, optional
        True: it is an error if the weights cannot be told from the total scores. False: do not try.
    seed : int
        The same seed and data give the same weights, bit for bit, for any number of threads.
    threads : int
        0 for one per core.
    replicas : int
        Runs with seeds that follow `seed`; their mean and deviation tell how much is luck.
    average : bool
        Take the mean of the replicas' weights, in place of the best replica (Cettolo et al., 2011).
    scale_features : bool
        Let the learner see all features at the same scale; the weights are for those of the lists.
    memory_limit : int
        Bytes beyond which lists move to a temporary file; 0 for no limit.
    stopping : Stopping
        When to end before all epochs are done.
    model : Path, optional
        The model whose decoder translates sources: a directory that ``hopefear train`` made.
    decoder : CommandDecoder, optional
        Another decoder that does: a command, and the format of its weights.
    pop_limit : int, optional
        Of the model's decoder, in place of the model's own: how much is searched.
    parses : Path, optional
        A directory for the parses of sources, to be shared by several runs; the run's own if not
        given.
    list_size : int
        Translations in the lists of a decoder or of forests, for learners that learn from lists.
    iterations : int
        How often lists are made, at most, for such learners.
    weights_format : str, optional
        The format of the final weights, beside ``weights.tsv``; that of the lists' tool if not
        given.
    moses_ini : Path, optional
        A moses.ini into which the final weights are put.
    """

    learner: Annotated[Learner, learners]
    tuning: DataSettings
    dev: DataSettings | None = None
    features: tuple[str, ...] = ()
    metric: Annotated[Metric, metrics] = field(default_factory=Bleu)
    start: Weights | None = None
    start_file: Path | None = None
    start_patterns: Mapping[str, float] = field(default_factory=dict)
    infer_start: bool | None = None
    seed: int = 1
    threads: int = 0
    replicas: int = 1
    average: bool = False
    scale_features: bool = False
    memory_limit: int = 0
    stopping: Stopping = field(default_factory=Stopping)
    model: Path | None = None
    decoder: CommandDecoder | None = None
    pop_limit: int | None = None
    parses: Path | None = None
    list_size: int = LIST_SIZE
    iterations: int = ITERATIONS
    weights_format: str | None = None
    moses_ini: Path | None = None

    def __post_init__(self) -> None:
        require.integer(self, "seed", 0)
        require.integer(self, "threads", 0)
        require.integer(self, "replicas", 1)
        require.integer(self, "memory_limit", 0)
        require.integer(self, "list_size", 2)
        require.integer(self, "iterations", 1)
        self._check_decoders()
        if self.start is not None and self.start_file is not None:
            raise ConfigError("start and start_file: give one of them")
        if self.infer_start and (self.start is not None or self.start_file is not None):
            raise ConfigError("infer_start, but start weights are given")
        if self.average and self.replicas == 1:
            problem = "average needs several replicas, but replicas is 1"
            raise ConfigError(problem, settings=("average", "replicas"))
        if self.moses_ini is not None and self.weights_format not in (None, "moses"):
            raise ConfigError(
                f"moses_ini is a template for the format 'moses', not '{self.weights_format}'",
                settings=("moses_ini", "weights_format"),
            )
        for name, data in (("tuning", self.tuning), ("dev", self.dev)):
            if data is not None and data.has_scores != isinstance(self.metric, Column):
                what = "scores" if data.has_scores else "references"
                needed = "references" if data.has_scores else "scores"
                raise ConfigError(
                    f"{name} has {what}, but the metric {self.metric.name} is of {needed}",
                    settings=(f"{name}.{needed}", "metric"),
                )
        self._check_learner()

    @property
    def translates(self) -> bool:
        """Whether a decoder translates sources, in place of lists that are there."""
        return self.model is not None or self.decoder is not None

    @property
    def from_standard_input(self) -> tuple[str, ...]:
        """The settings that say ``-``: what they name can be read only once."""
        files: dict[str, tuple[Path | None, ...]] = {
            "start_file": (self.start_file,),
            "moses_ini": (self.moses_ini,),
        }
        for role, data in (("tuning", self.tuning), ("dev", self.dev)):
            if data is not None:
                files |= {
                    f"{role}.nbest": data.nbest,
                    f"{role}.forests": (data.forests,),
                    f"{role}.source": (data.source,),
                    f"{role}.references": data.references,
                    f"{role}.scores": (data.scores,),
                }
        return tuple(name for name, paths in files.items() if "-" in map(str, paths))

    def _check_decoders(self) -> None:
        if self.model is not None and self.decoder is not None:
            problem = "model and decoder: give one of them"
            raise ConfigError(problem, settings=("model", "decoder.command"))
        if self.model is None and (self.pop_limit is not None or self.parses is not None):
            problem = "pop_limit and parses are for the decoder of a model"
            raise ConfigError(problem, settings=("pop_limit", "parses", "model"))
        lists_asked_for = (self.list_size, self.iterations) != (LIST_SIZE, ITERATIONS)
        stored = self.kind in (LISTS, FORESTS)
        if lists_asked_for and stored and issubclass(self.kind.data, self.learner.learns_from):
            name = learners.name_of(type(self.learner))
            problem = (
                "list_size and iterations are for lists that are made for a learner; "
                f"'{name}' learns from {self.kind.data.description} as they are"
            )
            raise ConfigError(problem, settings=("list_size", "iterations"))
        if self.translates and self.features:
            problem = "features is for n-best lists and forests; a decoder has its own"
            raise ConfigError(problem, settings=("features",))
        if self.memory_limit and any(
            data is not None and data.forests is not None for data in (self.tuning, self.dev)
        ):
            problem = "memory_limit is for n-best lists; forests are kept in memory"
            raise ConfigError(problem, settings=("memory_limit",))
        for name, data in (("tuning", self.tuning), ("dev", self.dev)):
            if data is not None and (data.source is not None) != self.translates:
                given = "nbest" if data.nbest else "forests"
                missing = f"a source, not {given}" if self.translates else "a model or a decoder"
                needed = ("tuning.source",) if self.translates else ("model", "decoder.command")
                raise ConfigError(f"{name}: translating needs {missing}", settings=needed)

    @property
    def kind(self) -> DataKind:
        """What the candidates to learn from come from."""
        if self.translates:
            return COMMAND if self.model is None else MODEL
        return LISTS if self.tuning.forests is None else FORESTS

    def _check_learner(self) -> None:
        check_learner(self.learner, self.kind)
        if isinstance(self.learner, OnlineLearner):
            self.learner.check_metric(self.metric)
        if self.scale_features:
            if self.kind is COMMAND:
                raise ConfigError("scale_features: what a decoder's command sees cannot be scaled")
            Scaled(learner=self.learner)  # which refuses options that are in units of features
