"""What a model is made of, and how; read from TOML, and written back with every default."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from hopefear.errors import ConfigError
from hopefear.settings import require
from hopefear.text.normalization import Normalization
from hopefear.translation import DecoderOptions, FeatureUse
from hopefear.translation.features import templates as known_templates
from hopefear.translation.training.align import SYMMETRIZATIONS
from hopefear.translation.training.diagonal import DiagonalAligner
from hopefear.translation.training.extract import MOSES, RuleExtraction
from hopefear.translation.training.language_model import KneserNey, Structure

__all__ = [
    "ESTIMATION",
    "AlignmentSettings",
    "LanguageModelSettings",
    "RuleSettings",
    "TrainSettings",
]


# Of orders that a small text does not fill, the discounts cannot be estimated.
ESTIMATION = KneserNey(discount_fallback=(0.5, 1.0, 1.5), special_words="skip")


@dataclass(frozen=True, kw_only=True)
class AlignmentSettings:
    """Where word alignments come from.

    Parameters
    ----------
    file
        A Pharaoh file, of any aligner; nothing is aligned then.
    aligner
        ``eflomal`` (an extra package), ``diagonal`` (our own, always there), or ``auto``: eflomal
        if it is installed.
    symmetrization
        How one alignment is made of those of both directions.
    diagonal
        The options of our own aligner.
    """

    file: Path | None = None
    aligner: Literal["auto", "diagonal", "eflomal"] = "auto"
    symmetrization: str = "grow-diag-final-and"
    diagonal: DiagonalAligner = field(default_factory=DiagonalAligner)

    def __post_init__(self) -> None:
        require.one_of(self, "aligner", ["auto", "diagonal", "eflomal"])
        require.one_of(self, "symmetrization", SYMMETRIZATIONS)


@dataclass(frozen=True, kw_only=True)
class RuleSettings:
    """Rules from elsewhere.

    Parameters
    ----------
    files
        Rule tables; together they are one grammar.
    format
        Their format, with options as in ``moses:label=TranslationModel1``; told by content if not
        given.
    glue
        A rule table whose rules may cover any number of words and make a whole sentence of parts.
    glue_format
        Its format.
    """

    files: tuple[Path, ...] = ()
    format: str | None = None
    glue: Path | None = None
    glue_format: str | None = None


@dataclass(frozen=True, kw_only=True)
class LanguageModelSettings:
    """Language models, estimated or from elsewhere.

    Parameters
    ----------
    files
        ARPA files or KenLM binaries.
    estimate
        Whether to estimate one from the target side of the bitext, and from `texts`; if it is not
        said: where no files are given.
    texts
        Further texts of the target language.
    estimation
        How to estimate.
    structure
        KenLM's: ``probing`` is fastest, ``trie`` is smallest.
    keep_arpa
        Whether ``lm0.arpa.gz`` is kept beside the binary.
    """

    files: tuple[Path, ...] = ()
    estimate: bool | None = None
    texts: tuple[Path, ...] = ()
    estimation: KneserNey = ESTIMATION
    structure: Structure = "probing"
    keep_arpa: bool = False

    def __post_init__(self) -> None:
        require.one_of(self, "structure", ["probing", "trie"])


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """How a model is made: from a bitext, from rules, or from both.

    Parameters
    ----------
    source, target
        The bitext: a sentence a line, plain or gzip.
    inputs
        Texts to be translated: only rules that can match them are extracted.
    alignment, rules, language_model
        See there.
    normalization
        What is done to all texts; the model remembers it for its input.
    extraction
        Which rules of the bitext are taken, and how they are counted; as in Moses if left out.
    features
        Features that are used in another way than usual, as in `hopefear.translation.FeatureUse`:
        probabilities as they are, or counts.
    templates
        Further features: ``large``, ``patterns``, or your own (`hopefear.translation.features`).
    weights
        A file of weights for the model, in place of sensible ones.
    decoder
        How to decode, unless a caller says otherwise.
    memory
        Bytes that each stage may work in, beside the bitext (about 10 a word); as the stages' own
        options say if it is left out.
    threads
        0: one for each core. No result depends on it.
    temporary_directory
        Where files are made that are not kept; the system's by default.
    """

    source: Path | None = None
    target: Path | None = None
    inputs: tuple[Path, ...] = ()
    alignment: AlignmentSettings = field(default_factory=AlignmentSettings)
    rules: RuleSettings = field(default_factory=RuleSettings)
    language_model: LanguageModelSettings = field(default_factory=LanguageModelSettings)
    normalization: Normalization = field(default_factory=Normalization)
    # Tight phrase pairs lose what aligners leave without links, such as articles: 3 BLEU or more.
    extraction: RuleExtraction = MOSES
    features: tuple[FeatureUse, ...] = ()
    templates: tuple[Annotated[object, known_templates], ...] = ()
    weights: Path | None = None
    decoder: DecoderOptions = field(default_factory=DecoderOptions)
    memory: int | None = None
    threads: int = 0
    temporary_directory: str = ""

    def __post_init__(self) -> None:
        require.integer(self, "threads", 0)
        if self.memory is not None:
            require.integer(self, "memory", 1 << 20)
        if (self.source is None) != (self.target is None):
            problem = "source and target: a bitext has both sides"
            raise ConfigError(problem, settings=("source", "target"))
        if self.source is None and not self.rules.files and not self.language_model.files:
            raise ConfigError(
                "give a bitext (source and target), or rules, or both; or at least a language "
                "model, for sentences that have grammars of their own",
                settings=("source", "target", "rules.files", "language_model.files"),
            )
        kinds = [type(template) for template in self.templates]
        for kind in kinds:
            if kinds.count(kind) > 1:
                raise ConfigError(f"templates: '{known_templates.name_of(kind)}' is there twice")
        if self.estimates_language_model:
            if self.target is None and not self.language_model.texts:
                raise ConfigError(
                    "a language model is to be estimated, but there is no text for it",
                    settings=("target", "language_model.texts"),
                )
            if self.language_model.estimation.order < 2:
                raise ConfigError(
                    "the order of the language model is 1; KenLM can use models from 2",
                    settings=("language_model.estimation.order",),
                )
        alignments = self.alignment.file
        if alignments is not None and not self.normalization.keeps_words:
            raise ConfigError(
                f"{alignments}: has alignments of the words as they are, which tokenization and "
                "normalization would change; do that before, and use tokenize 'none'",
                settings=("normalization.tokenize",),
            )

    @property
    def estimates_language_model(self) -> bool:
        """Whether a language model is estimated."""
        chosen = self.language_model
        if chosen.estimate is not None:
            return chosen.estimate
        return bool(chosen.texts) or (self.target is not None and not chosen.files)

    def own_extraction(self) -> RuleExtraction:
        """Return the extraction, with the resources of the whole."""
        return replace(
            self.extraction,
            memory=self.extraction.memory if self.memory is None else self.memory,
            threads=self.threads,
            temporary_directory=self.temporary_directory,
        )

    def own_aligner(self) -> DiagonalAligner:
        """Return our aligner, with the resources of the whole."""
        aligner = self.alignment.diagonal
        memory = aligner.memory if self.memory is None else self.memory
        return replace(aligner, memory=memory, threads=self.threads)

    def own_estimation(self) -> KneserNey:
        """Return the estimation of a language model, with the resources of the whole."""
        estimation = self.language_model.estimation
        return replace(
            estimation,
            memory=estimation.memory if self.memory is None else self.memory,
            temporary_directory=self.temporary_directory,
        )
