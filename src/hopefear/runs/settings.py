"""What a tuning run is made of; read from TOML, and written back with every default."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from hopefear.candidates import CommandDecoder
from hopefear.candidates.derived import DERIVED, MARK, derived_names, needs_source
from hopefear.errors import ConfigError
from hopefear.learners import AnyLearner, learners
from hopefear.metrics import Bleu, Column, Metric, metrics
from hopefear.parallel import Serial, Strategy, strategies
from hopefear.rhythm import Rhythm
from hopefear.runs import kinds
from hopefear.runs.course import lists_are_made
from hopefear.runs.stopping import Stopping
from hopefear.settings import parse_size, setting, settings
from hopefear.settings.config import parse_fields
from hopefear.settings.shared import columns_setting, ignore_setting
from hopefear.translation.features import templates as known_templates
from hopefear.translation.features.bins import Discretization
from hopefear.translation.uses import FeatureViewName
from hopefear.types import Weights

__all__ = ["IN_MEMORY", "DataSettings", "TuneSettings"]

# What settings name in place of a file for candidates that are in memory.
IN_MEMORY = Path("(in memory)")

# The headings of --help and of the reference page.
LEARNER, RHYTHM, STRATEGY = "Learner", "Rhythm", "Strategy"
TUNING, HELD_OUT = "Tuning data", "Held-out data"
DECODER, METRIC, RUN = "Decoder", "Metric", "Run"
DISCRETIZATION, STOPPING, OUTPUT = "Discretization", "Stopping", "Output"


def _candidate_formats() -> list[str]:
    from hopefear.formats import forest_formats, nbest_formats

    return [*nbest_formats, *forest_formats]


def _weights_formats() -> list[str]:
    from hopefear.formats import weights_formats

    return list(weights_formats)


@settings
class DataSettings:
    """Candidates, and what tells good ones from bad ones: references, or a score for each."""

    nbest: tuple[Path, ...] = setting(
        (), "N-best lists in any supported format; a hypothesis found in several files counts once."
    )
    references: tuple[Path, ...] = setting(
        (), "Reference translations, one sentence per line, or JSON that has them.", option="refs"
    )
    scores: Path | None = setting(
        None,
        "A number for each hypothesis, in the order of the lists, instead of references.",
    )
    score_feature: str | None = setting(
        None,
        "The feature that is the score of a hypothesis, instead of references; the learner does "
        "not see it.",
        metavar="NAME",
    )
    forests: Path | None = setting(None, "Forests instead of lists: a file or a directory.")
    source: Path | None = setting(
        None,
        "Sentences that a decoder translates again and again, instead of lists; or, with "
        "--patterns, the sentences that the candidates translate.",
    )
    format: str | None = setting(
        None,
        "Format of the lists or forests, with options as in 'nemo:beam_size=8'.",
        shown="auto-detected",
        complete=_candidate_formats,
    )
    columns: tuple[str, ...] = columns_setting()
    ignore: tuple[str, ...] = ignore_setting()
    keyed_references: bool | None = setting(
        None,
        "Whether the lines of the references begin with the sentences' keys, as in Kaldi's text "
        "files.",
        option="keyed-refs",
        shown="if the lists have the same keys",
    )
    sentences: int = setting(
        0,
        "The number of sentences, if the last ones may have no list.",
        shown="as in the lists",
        least=0,
    )
    alignments: Path | None = setting(
        None,
        "Word alignments for --patterns: for each hypothesis, in the order of the lists, the links "
        "to its source, as in '0-0 1-2'.",
        shown="none: pairs count wherever both words occur",
    )

    def check(self) -> None:
        """Refuse settings that contradict each other."""
        candidates = [name for name in ("nbest", "forests") if getattr(self, name)]
        if len(candidates) != 1 and (candidates or self.source is None):
            raise ConfigError(
                "give either nbest, or forests, or a source to translate; "
                f"found {' and '.join(candidates) or 'none of them'}",
                settings=("nbest", "forests", "source"),
            )
        if self.alignments is not None and not self.nbest:
            problem = "alignments are those of hypotheses in n-best lists"
            raise ConfigError(problem, settings=("alignments", "nbest"))
        if not candidates and not self.references:
            problem = "translations of the source need references"
            raise ConfigError(problem, settings=("references",))
        if self.forests is not None:
            self._check_forests()
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
    def candidates(self) -> str | None:
        """The setting that names candidates which are there, "nbest" or "forests"."""
        return "nbest" if self.nbest else "forests" if self.forests is not None else None

    @property
    def has_scores(self) -> bool:
        """Whether hypotheses have scores, in place of references to be compared with."""
        return not self.references


@settings
class TuneSettings:
    """A tuning run."""

    learner: Annotated[AnyLearner, learners] = setting(help="How to learn.", group=LEARNER)
    rhythm: Rhythm = setting(
        None,
        "Which sentences the learner sees at a time, and when candidates are listed again.",
        group=RHYTHM,
        prefix="",
        shown="the learner's own",
    )
    strategy: Annotated[Strategy, strategies] = setting(
        factory=Serial,
        help="How the work is shared out: one learner, or several, mixed or hearing each other.",
        group=STRATEGY,
        lift=("workers",),
    )
    tuning: DataSettings = setting(help="What to learn from.", group=TUNING, prefix="")
    dev: DataSettings | None = setting(
        None, "Held-out data, by which the best epoch is chosen.", group=HELD_OUT, prefix="dev-"
    )
    patterns: Path | None = setting(
        None,
        "Features of words to count in lists or forests: a model that 'hopefear train --features "
        "patterns' made, or its file features-patterns.tsv.",
        group=TUNING,
    )
    model: Path | None = setting(
        None,
        "The model whose decoder translates the source: a directory made by 'hopefear train'.",
        group=DECODER,
    )
    decoder: CommandDecoder | None = setting(
        None, "An external decoder that translates the source.", group=DECODER
    )
    pop_limit: int | None = setting(
        None,
        "Candidates that the model's decoder considers for each span.",
        group=DECODER,
        shown="the model's",
    )
    views: Mapping[str, FeatureViewName] = setting(
        factory=dict,
        help="Rule features of the model in another form, by names with wildcards, as in "
        '{"p_*" = "value", "count_f" = "value", "PhrasePenalty" = "none"}: value, logarithm, '
        "rarity (exp(1 - count)), or none. The model's own features still choose the rules that "
        "are considered for each source side.",
        group=DECODER,
    )
    templates: tuple[Annotated[object, known_templates], ...] = setting(
        (),
        "Feature templates in addition to the model's: oov, or templates of your own.",
        group=DECODER,
        complete=lambda: known_templates,
    )
    parses: Path | None = setting(
        None,
        "A directory for the parses of the source, which several runs can share.",
        group=DECODER,
        metavar="DIR",
        shown="in the run's directory",
    )
    metric: Annotated[Metric, metrics] = setting(
        factory=Bleu,
        help="The metric to optimize.",
        group=METRIC,
        lift=("tokenize", "lowercase"),
        shown="bleu, or the mean of the scores",
    )
    discretize: Discretization | None = setting(
        None,
        "Replace features by indicators of bins, each with a weight of its own, as in 'bits=8' or "
        "'bits=4,overlap=true' (Clark et al., 2014).",
        group=DISCRETIZATION,
        metavar="KEY=VALUE,...",
        parse=parse_fields,
    )
    features: tuple[str, ...] = setting(
        (),
        "Features to derive from the texts of n-best lists, as in '+words,+agreement:chrf'; names "
        "without a plus sign are the expected features of the files, and any mismatch is an error.",
        group=TUNING,
        metavar="NAME",
        complete=lambda: [MARK + name for name in DERIVED],
    )
    start: Weights | None = setting(
        None,
        "Start weights: a file, weights as in 'lm=0.5 words=-1', 'inferred' from the lists' total "
        "scores, 'ones', 'random', or by 'regression' of the metric on the features.",
        group=RUN,
        metavar="WEIGHTS",
        shown="inferred if possible, else ones",
        complete=lambda: ("inferred", "ones", "random", "regression"),
    )
    start_file: Path | None = setting(
        None,
        "A file of start weights in any supported format; see --start.",
        group=RUN,
        shown="the weights of --moses-ini, if given",
    )
    start_patterns: Mapping[str, float] = setting(
        factory=dict,
        help='Start weights of features whose names match wildcards, as in {"LM*" = 1.0}; all '
        "others start at 0. Used if no other start weights are given and a feature matches.",
        group=RUN,
    )
    regress_start: bool = setting(
        False,
        "Start from the least squares fit of each hypothesis' metric on its features; see --start.",
        group=RUN,
    )
    infer_start: bool | None = setting(
        None,
        "Whether start weights must be inferred from the lists' total scores; see --start.",
        group=RUN,
        shown="if possible",
    )
    random_start: bool = setting(
        False,
        "Draw each start weight from N(μ, |μ/2|²), where μ is what it would be otherwise; every "
        "replica draws its own (Gimpel and Smith, 2012, 4.2).",
        group=RUN,
    )
    seed: int = setting(
        1, "The same seed and data give the same weights; see --threads.", group=RUN, least=0
    )
    threads: int = setting(
        0,
        "Number of threads; results do not depend on it, but those of async repeat only with 1.",
        group=RUN,
        least=0,
        shown="one per core",
    )
    cluster: str | None = setting(
        None,
        "Work on a Ray cluster: HOST:PORT of its head, or 'local' to start one on this machine. "
        "Results do not depend on it, except with --strategy async.",
        group=STRATEGY,
        metavar="ADDRESS",
        shown="threads of this machine",
        complete=lambda: ("local",),
    )
    folds: int = setting(
        0,
        "Choose the epoch by cross-validation with so many folds, if there are no held-out data.",
        group=RUN,
        least=0,
    )
    auto: bool = setting(
        False,
        "Choose learner, scale, start and stopping by the data, as 'hopefear tune auto' does.",
        group=LEARNER,
    )
    replicas: int = setting(
        1,
        "Runs with consecutive seeds; their mean and deviation show how much is chance.",
        group=RUN,
        least=1,
    )
    average: bool = setting(
        False,
        "Use the mean of the replicas' weights, not the best replica's (Cettolo et al., 2011).",
        group=RUN,
    )
    scale_features: bool = setting(
        False,
        "Show the learner all features at the same scale; the weights are for the original ones.",
        group=RUN,
    )
    normalize: bool = setting(
        False,
        "Scale the final weights so that their absolute values sum to 1, which changes no choice.",
        group=OUTPUT,
    )
    memory_limit: int = setting(
        0,
        "Keep lists beyond this size in a temporary file, as in 2G; 0 for no limit.",
        group=RUN,
        metavar="BYTES",
        parse=parse_size,
        least=0,
    )
    stopping: Stopping = setting(
        factory=Stopping, help="When to stop before all epochs are done.", group=STOPPING
    )
    weights_format: str | None = setting(
        None,
        "Format of the final weights, written beside weights.tsv.",
        group=OUTPUT,
        shown="that of the lists' tool",
        complete=_weights_formats,
    )
    moses_ini: Path | None = setting(
        None, "Write a copy of this moses.ini with the final weights.", group=OUTPUT
    )

    def check(self) -> None:
        """Take the learner's own rhythm if none is given; refuse settings that contradict."""
        if vars(self)["rhythm"] is None:
            object.__setattr__(self, "rhythm", self.learner.rhythm)
        self._check_decoders()
        chosen = {"auto": self.auto, "folds": self.folds, "regress_start": self.regress_start}
        kinds.check_for_lists(self.kind, chosen)
        kinds.check_folds(self.folds, held_out=self.dev is not None)
        if self.start is not None and self.start_file is not None:
            raise ConfigError("start and start_file: give one of them")
        if self.infer_start and (self.start is not None or self.start_file is not None):
            raise ConfigError("infer_start, but start weights are given")
        if self.cluster is not None and isinstance(self.strategy, Serial) and self.replicas == 1:
            problem = "cluster: one learner has no work for others; choose mixing or async"
            raise ConfigError(problem, settings=("strategy", "cluster"))
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
        kinds.check_together(
            self.learner,
            self.kind,
            self.strategy,
            self.metric,
            self.rhythm,
            scaled=self.scale_features,
        )

    @property
    def lists_are_made(self) -> bool:
        """Whether lists are made for the learner: of forests, or by a decoder."""
        return lists_are_made(self.learner, self.kind.data)

    @property
    def translates(self) -> bool:
        """Whether a decoder translates sources, in place of lists that are there."""
        return self.model is not None or self.decoder is not None

    @property
    def in_memory(self) -> bool:
        """Whether the candidates were given as objects, which no file has."""
        return IN_MEMORY in self.tuning.nbest

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
                    f"{role}.alignments": (data.alignments,),
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
        if self.model is None and (self.views or self.templates):
            problem = "views and templates are for the features of a model"
            raise ConfigError(problem, settings=("views", "templates", "model"))
        if self.translates and self.features:
            problem = "features is for n-best lists and forests; a decoder has its own"
            raise ConfigError(problem, settings=("features",))
        if self.derived and self.kind is kinds.FORESTS:
            problem = "features are derived from the texts of n-best lists, not from forests"
            raise ConfigError(problem, settings=("features", "tuning.nbest"))
        if self.memory_limit and any(
            data is not None and data.forests is not None for data in (self.tuning, self.dev)
        ):
            problem = "memory_limit is for n-best lists; forests are kept in memory"
            raise ConfigError(problem, settings=("memory_limit",))
        for name, data in (("tuning", self.tuning), ("dev", self.dev)):
            given = None if data is None else data.candidates
            if data is not None and (given is None) != self.translates:
                missing = f"a source, not {given}" if self.translates else "a model or a decoder"
                needed = ("tuning.source",) if self.translates else ("model", "decoder.command")
                raise ConfigError(f"{name}: translating needs {missing}", settings=needed)
        self._check_patterns()
        if self.discretize and self.kind is kinds.COMMAND:
            problem = "discretize is for n-best lists, forests and models; a command has its own"
            raise ConfigError(problem, settings=("discretize.bits",))

    def _check_patterns(self) -> None:
        if self.patterns is not None and self.translates:
            problem = (
                f"patterns are counted in candidates that are there, not in {self.kind.settings}"
            )
            raise ConfigError(problem, settings=("patterns", "tuning.nbest", "tuning.forests"))
        for name, data in (("tuning", self.tuning), ("dev", self.dev)):
            if data is None or data.candidates is None:
                continue
            if self.patterns is not None and data.source is None:
                problem = f"{name}: patterns need the sentences that the candidates translate"
                raise ConfigError(problem, settings=(f"{name}.source",))
            bilingual = needs_source(self.derived)
            if bilingual and data.source is None:
                problem = f"{name}: +{bilingual[0]} needs the sentences that are translated"
                raise ConfigError(problem, settings=(f"{name}.source",))
            if self.patterns is None and ((data.source and not bilingual) or data.alignments):
                what = "alignments" if data.alignments else "source"
                problem = f"{name}.{what}: is for a decoder, or for patterns; neither is given"
                raise ConfigError(problem, settings=("model", "decoder.command", "patterns"))

    @property
    def derived(self) -> tuple[str, ...]:
        """The features to derive from texts."""
        return derived_names(self.features)

    @property
    def expected_features(self) -> tuple[str, ...]:
        """All features that the data should have, if they are given."""
        named = [name for name in self.features if not name.startswith(MARK)]
        return (*named, *(MARK + name for name in self.derived)) if named else ()

    @property
    def kind(self) -> kinds.DataKind:
        """What the candidates to learn from come from."""
        if self.translates:
            return kinds.COMMAND if self.model is None else kinds.MODEL
        return kinds.LISTS if self.tuning.forests is None else kinds.FORESTS
