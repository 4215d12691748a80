"""Settings of training, from TOML files, command lines and Python."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

from hopefear.errors import ConfigError, OptionError
from hopefear.formats.files import PathLike
from hopefear.settings import config, parse_size, setting, settings
from hopefear.settings.config import Table, parse_assignment, put, read_table
from hopefear.text.normalization import Normalization
from hopefear.translation import DecoderOptions, FeatureUse
from hopefear.translation.features import templates as known_templates
from hopefear.translation.language_model import MAX_GROWTH
from hopefear.translation.training.align import DiagonalAligner, Symmetrization
from hopefear.translation.training.estimate import KneserNey, Structure
from hopefear.translation.training.extract import MOSES, RuleExtraction

__all__ = [
    "ESTIMATION",
    "AlignmentSettings",
    "LanguageModelSettings",
    "RuleSettings",
    "TrainSettings",
    "build_train_settings",
]

Part = TypeVar("Part", DiagonalAligner, RuleExtraction, KneserNey)

# A small text has too few long n-grams to estimate their discounts from.
ESTIMATION = KneserNey(discount_fallback=(0.5, 1.0, 1.5), special_words="skip")


@settings
class AlignmentSettings:
    """Where word alignments come from."""

    file: Path | None = setting(
        None,
        "Word alignments of the bitext from any aligner, as in '0-0 1-2'.",
        shown="made by the aligner",
        group="Alignment",
        option="alignments",
    )
    aligner: Literal["auto", "diagonal", "eflomal"] = setting(
        "auto",
        "Word aligner: eflomal (an extra package), diagonal (built in), or auto: eflomal if it is "
        "installed.",
        group="Alignment",
        option="aligner",
    )
    symmetrization: Symmetrization = setting(
        "grow-diag-final-and",
        "Method that combines the alignments of both directions.",
        group="Alignment",
        option="symmetrization",
    )
    diagonal: DiagonalAligner = setting(
        help="The built-in aligner.", factory=DiagonalAligner, group="Alignment"
    )


@settings
class RuleSettings:
    """Rule tables of other tools."""

    files: tuple[Path, ...] = setting(
        (),
        "Rule tables of Moses, cdec or Joshua, used together as one grammar.",
        group="Rules",
        option="rules",
    )
    format: str | None = setting(
        None,
        "Format of the rule tables: moses, cdec or joshua, with options as in "
        "'moses:label=TranslationModel1'.",
        shown="auto-detected",
        group="Rules",
        option="rules-format",
    )
    glue: Path | None = setting(
        None,
        "Rule table with glue rules, which may cover any number of words.",
        shown="the standard glue rules",
        group="Rules",
        option="glue",
    )
    glue_format: str | None = setting(
        None,
        "Format of the table with glue rules.",
        shown="that of the rule tables, or else auto-detected",
        group="Rules",
    )
    goal: str | None = setting(
        None,
        "Label of whole sentences, as GOAL in Joshua.",
        shown="the only label of the glue rules, or else S",
        group="Rules",
        option="goal",
    )
    pass_through: str = setting(
        "X",
        "Label of words that are copied to the output, as OOV in some grammars of Joshua.",
        group="Rules",
        option="pass-through",
    )


@settings
class LanguageModelSettings:
    """Language models, estimated or given."""

    files: tuple[Path, ...] = setting(
        (), "ARPA files or KenLM binaries.", group="Language model", option="lm"
    )
    estimate: bool | None = setting(
        None,
        "Estimate a language model from the target side of the bitext and further texts.",
        shown="if texts or no files are given",
        group="Language model",
    )
    texts: tuple[Path, ...] = setting(
        (),
        "Further texts of the target language to estimate a language model from.",
        group="Language model",
        option="lm-text",
    )
    estimation: KneserNey = setting(
        ESTIMATION, "Estimation of the language model.", group="Language model"
    )
    structure: Structure = setting(
        "probing",
        "KenLM data structure: probing is the fastest, trie the smallest.",
        group="Language model",
    )
    keep_arpa: bool = setting(
        False,
        "Also keep the estimated model as an ARPA file, lm0.arpa.gz.",
        group="Language model",
        option="keep-arpa",
    )
    max_growth: int = setting(
        MAX_GROWTH,
        "How many times as large a gzipped language model may become when it is decompressed; "
        "models become three to five times as large.",
        least=1,
        group="Language model",
    )


@settings
class TrainSettings:
    """How to build a model from a bitext, from rule tables, or from both."""

    source: Path | None = setting(
        None,
        "Source side of the bitext: one sentence per line, plain or gzipped.",
        group="Data",
        short="s",
    )
    target: Path | None = setting(None, "Target side of the bitext.", group="Data", short="t")
    inputs: tuple[Path, ...] = setting(
        (),
        "Texts to translate later; only rules that match them are extracted.",
        group="Data",
        option="for",
    )
    alignment: AlignmentSettings = setting(
        help="Word alignment.", factory=AlignmentSettings, group="Alignment"
    )
    rules: RuleSettings = setting(
        help="Rule tables of other tools.", factory=RuleSettings, group="Rules"
    )
    language_model: LanguageModelSettings = setting(
        help="Language models.", factory=LanguageModelSettings, group="Language model"
    )
    normalization: Normalization = setting(
        help="Normalization of all texts; the model applies it to its input, too.",
        factory=Normalization,
        group="Data",
    )
    # Tight phrase pairs lose the words that aligners leave unaligned, such as articles, which
    # costs 3 BLEU or more: the default is Moses' extraction, not the paper's.
    extraction: RuleExtraction = setting(
        MOSES, "Extraction of rules from the bitext.", group="Rules"
    )
    features: tuple[FeatureUse, ...] = setting(
        (),
        "Rule features that are not used in the default way (scores as they are, logarithms of "
        "probabilities, no counts).",
        group="Features",
    )
    templates: tuple[Annotated[object, known_templates], ...] = setting(
        (),
        "Feature templates: large (lexical features), patterns, or templates of your own.",
        group="Features",
        option="features",
        complete=lambda: known_templates,
    )
    weights: Path | None = setting(
        None,
        "File of weights for the model.",
        shown="the start weights of Moses",
        group="Features",
    )
    decoder: DecoderOptions = setting(
        help="Decoder settings stored in the model.", factory=DecoderOptions, group="Decoder"
    )
    memory: int | None = setting(
        None,
        "Working memory of each stage, as in '2G', beside the bitext, which takes about 10 bytes a "
        "word; by default each stage has its own limit.",
        least=1 << 20,
        group="Run",
        parse=parse_size,
        metavar="BYTES",
    )
    threads: int = setting(
        0,
        "Number of threads; the model does not depend on it.",
        shown="one per core",
        least=0,
        group="Run",
    )
    temporary_directory: str = setting(
        "", "Directory for temporary files.", shown="the system's", group="Run", metavar="DIR"
    )
    cluster: str | None = setting(
        None,
        "A Ray cluster that aligns (with the built-in aligner), extracts and counts n-grams by "
        "shards: HOST:PORT of its head, or 'local' to start one on this machine. All machines find "
        "the files on the same paths. The model is the same.",
        group="Run",
        metavar="ADDRESS",
        shown="this machine alone",
        complete=lambda: ("local",),
    )

    def check(self) -> None:
        """Require data for everything that is to be built."""
        if (self.source is None) != (self.target is None):
            missing = "source" if self.source is None else "target"
            raise ConfigError(
                f"a bitext has two sides: the {missing} side is missing",
                settings=("source", "target"),
            )
        if self.source is None and not self.rules.files and not self.language_model.files:
            raise ConfigError(
                "no training data: give a bitext (source and target) or rule tables, or at least "
                "a language model if each sentence comes with a grammar of its own",
                settings=("source", "target", "rules.files", "language_model.files"),
            )
        kinds = [type(template) for template in self.templates]
        for kind in kinds:
            if kinds.count(kind) > 1:
                name = known_templates.name_of(kind)
                raise OptionError(self, "templates", f": '{name}' is given twice")
        if self.estimates_language_model:
            if self.target is None and not self.language_model.texts:
                raise ConfigError(
                    "no text to estimate a language model from: give a bitext or further texts",
                    settings=("target", "language_model.texts"),
                )
            if self.language_model.estimation.order < 2:
                raise ConfigError(
                    "the order of the language model must be >= 2 for KenLM, got 1",
                    settings=("language_model.estimation.order",),
                )
        alignments = self.alignment.file
        if alignments is not None and not self.normalization.keeps_words:
            raise ConfigError(
                f"{alignments}: these word alignments would not fit the texts after tokenization "
                "and normalization; normalize the texts first and set tokenize to 'none'",
                settings=("normalization.tokenize",),
            )

    @property
    def estimates_language_model(self) -> bool:
        """Whether a language model is estimated."""
        chosen = self.language_model
        if chosen.estimate is not None:
            return chosen.estimate
        return bool(chosen.texts) or (self.target is not None and not chosen.files)

    def with_resources(self, part: Part) -> Part:
        """Return a part of the settings with the memory, threads and directory of the training."""
        resources: dict[str, Any] = {
            "memory": part.memory if self.memory is None else self.memory,
            "threads": self.threads,
            "temporary_directory": self.temporary_directory,
        }
        known = {field.name for field in fields(part)}
        return replace(part, **{name: resources[name] for name in known & resources.keys()})


def build_train_settings(
    file: PathLike | None, options: Mapping[str, object], assignments: Sequence[str] = ()
) -> TrainSettings:
    """Combine the settings of a training; later ones override earlier ones.

    Parameters
    ----------
    file
        A TOML file of settings, or None.
    options
        Dotted keys and plain values; None leaves a setting as it is.
    assignments
        ``key=value`` with dotted keys and TOML values.
    """
    source = "train" if file is None else str(file)
    table: Table = {} if file is None else read_table(Path(file))
    given = dict(options)
    if "language_model.estimation.order" in given:
        given.setdefault("language_model.estimate", True)
    if (names := given.get("templates")) is not None:  # 'small' is what there is without any
        several = [names] if isinstance(names, str) else cast("Sequence[object]", names)
        given["templates"] = [name for name in several if name != "small"]
    for key, value in given.items():
        if value is not None:
            put(table, key, value, source)
    for assignment in assignments:
        put(table, *parse_assignment(assignment), source)
    _complete(table, "extraction", MOSES)
    if isinstance(chosen := table.get("language_model"), dict):
        _complete(chosen, "estimation", ESTIMATION)
    return config.decode(TrainSettings, table, source=source)


def _complete(table: Table, key: str, default: object) -> None:
    """Fill in the defaults of a part, which are not those of its class, if some are given."""
    if isinstance(given := table.get(key), dict):
        table[key] = config.encode(default) | given
