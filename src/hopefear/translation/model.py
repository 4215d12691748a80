"""A translation model on disk: a directory with everything that a decoder needs.

::

    model.toml      the other files and the decoder's settings
    grammar.bin     rules, mapped into memory; there may be several such files
    glue.bin        glue rules; the standard ones if there is no such file
    lm0.kenlm       language models: KenLM binaries or ARPA files
    features-*.tsv  features that were selected from a bitext
    weights.tsv     the default weights
    bins.tsv        bins of rule features, if these are discretized
    rule-weights.tsv the weights that choose rules, if they are not the default ones

Paths are relative to the directory, so that it can be moved as a whole.
"""

import re
import shutil
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated

from hopefear.errors import ConfigError, DataError, FormatError, HopefearWarning, OptionError
from hopefear.formats import open_output, read_weights, write_weights
from hopefear.formats.files import PathLike, replacing
from hopefear.formats.texts import read_feature_table
from hopefear.grammar import Grammar
from hopefear.settings import config, setting, settings
from hopefear.text.normalization import Normalization
from hopefear.translation import Decoder, DecoderOptions, FeatureUse, GrammarUse, ModelNames
from hopefear.translation.features import BuiltInTemplate, Collector, FeatureSet, RuleTemplate
from hopefear.translation.features import templates as known_templates
from hopefear.translation.features.bins import (
    BINS_FILE,
    FeatureBins,
    read_bins,
    spread,
    write_bins,
)
from hopefear.translation.language_model import LanguageModel, load_language_model
from hopefear.translation.units import own_units
from hopefear.translation.uses import Chooser, FeatureViewName
from hopefear.translation.views import viewed
from hopefear.types import Weights

__all__ = [
    "SETTINGS_FILE",
    "GrammarFile",
    "LanguageModelFile",
    "Model",
    "ModelSettings",
    "RunFeatures",
    "TemplateFile",
    "converted",
    "run_features",
    "weights_for",
]

SETTINGS_FILE = "model.toml"
RULE_WEIGHTS_FILE = "rule-weights.tsv"
VERSION = 1

SHOWN = 4  # names in a message


@settings
class GrammarFile:
    """A grammar of a model."""

    file: str = setting(help="The file, relative to the model's directory.")
    max_span: int | None = setting(
        None,
        "Maximum number of source words a rule may cover, 0: no limit; by default the decoder's.",
        least=0,
        most=65535,
    )
    features: tuple[FeatureUse, ...] = setting(
        (), "Features that are not used in the default way; see `FeatureUse`."
    )

    def check(self) -> None:
        """Refuse files outside the model's directory."""
        _check_name(self.file)


@settings
class LanguageModelFile:
    """A language model, and the feature that is the logarithm of its probability."""

    feature: str = setting(help="Name of the feature.")
    file: str = setting(help="The file, relative to the model's directory.")
    checksum: str | None = setting(
        None, "Checksum of the file, which is verified when the file is opened, if given."
    )

    def check(self) -> None:
        """Refuse files outside the model's directory, and checksums that are none."""
        _check_name(self.file)
        if self.checksum is not None and not re.fullmatch("[0-9a-f]{16}", self.checksum):
            raise ConfigError(
                f"expected a checksum of 16 hexadecimal digits, got '{self.checksum}'; remove it "
                "if you replaced the language model"
            )

    @property
    def checksum_number(self) -> int | None:
        """The checksum as the core compares it."""
        return None if self.checksum is None else int(self.checksum, 16)


@settings
class TemplateFile:
    """A feature template, and the file of the features that were selected from a bitext."""

    template: Annotated[object, known_templates] = setting(help="The feature template.")
    file: str | None = setting(None, "The file, relative to the model's directory.")

    def check(self) -> None:
        """Require a file inside the model's directory if the template needs one."""
        if self.file is not None:
            _check_name(self.file)
        elif isinstance(self.template, Collector):
            name = known_templates.name_of(type(self.template))
            raise ConfigError(f"the feature template '{name}' needs a file of features")


@settings
class ModelSettings:
    """Content of ``model.toml``."""

    version: int = setting(VERSION, "Version of the directory's layout.")
    grammars: tuple[GrammarFile, ...] = setting((), "The grammars.")
    language_models: tuple[LanguageModelFile, ...] = setting((), "The language models.")
    glue: str | None = setting(
        None, "Grammar whose rules may cover any number of words; by default `glue_grammar`."
    )
    weights: str = setting("weights.tsv", "File of weights, in any registered format.")
    rule_weights: str | None = setting(
        None,
        "File of the weights that choose the `rule_limit` best rules of each source side, where "
        "`views` make other features of them; by default `weights`.",
    )
    views: Mapping[str, FeatureViewName] = setting(
        factory=dict,
        help='Views of rule features by their names, with wildcards, as in {"p_*" = "value"}; they '
        "go over those of the grammars, which still choose the rules of each source side.",
    )
    normalization: Normalization = setting(
        help="Normalization of input sentences.", factory=Normalization
    )
    decoder: DecoderOptions = setting(
        help="Decoder settings, unless the caller overrides them.", factory=DecoderOptions
    )
    names: ModelNames = setting(
        help="Names of the decoder's own labels and features.", factory=ModelNames
    )
    templates: tuple[TemplateFile, ...] = setting((), "Feature templates.")

    bins: str | None = setting(
        None,
        "File of bins that take the place of rule features; as with `views`, the values still "
        "choose the rules of each source side.",
    )

    def check(self) -> None:
        """Require a known version, different features, and files inside the directory."""
        if self.version != VERSION:
            raise OptionError(
                self, "version", f": this program reads version {VERSION}, got {self.version}"
            )
        features = [model.feature for model in self.language_models]
        if len(set(features)) < len(features):
            repeated = next(name for name in features if features.count(name) > 1)
            raise OptionError(
                self, "language_models", f": several models have the feature '{repeated}'"
            )
        for name in filter(None, (self.weights, self.rule_weights, self.glue, self.bins)):
            _check_name(name)

    @property
    def files(self) -> list[str]:
        """All files of the model except ``model.toml``."""
        grammars = [grammar.file for grammar in self.grammars]
        models = [model.file for model in self.language_models]
        others = [self.glue, self.rule_weights, self.bins, *(u.file for u in self.templates)]
        return list(dict.fromkeys([*grammars, *models, *filter(None, others), self.weights]))


@settings
class RunFeatures:
    """Features that a run gives a model beside, or in place of, those it was trained with."""

    views: Mapping[str, FeatureViewName] = setting(
        factory=dict, help="Views of rule features; see `ModelSettings`."
    )
    templates: tuple[Annotated[object, known_templates], ...] = setting(
        (), "Feature templates that need no bitext."
    )


def run_features(run: PathLike) -> RunFeatures:
    """Return the features that a run gave its model, by its directory; none for a file."""
    path = Path(run) / "config.toml"
    if not path.is_file():
        return RunFeatures()
    table = config.read_table(path)
    known: tuple[str, ...] = ("views", "templates")
    own = {key: table[key] for key in known if key in table}
    return config.decode(RunFeatures, own, source=str(path))


class Model:
    """A translation model: grammars, language models, weights and settings.

    Parameters
    ----------
    path
        The directory; large files are mapped, so that the model is ready at once.
    verify
        Whether to verify the checksums of grammars and language models. Without it a damaged
        grammar is noticed later or not at all, but never read beyond its end, and KenLM trusts its
        binaries. Checksums reveal damage, not malice: use models from trusted sources.
    settings
        Settings to use instead of ``model.toml``, which is written last when a model is built.

    Raises
    ------
    FormatError
        If a file is missing or corrupt.

    Attributes
    ----------
    path : Path
        The directory.
    settings : ModelSettings
        Content of ``model.toml``.
    weights : Weights
        The default weights.
    rule_weights : Weights
        The weights that choose the best rules of each source side.
    grammars : tuple of GrammarUse
        The grammars and how the decoder uses them, without `views`.
    glue : Grammar, optional
        Rules that combine parts into a sentence.
    language_models : mapping
        Language models by the names of their features.
    features : FeatureSet
        Features of templates.
    bins : mapping
        Bins of rule features by their names.
    """

    def __init__(
        self, path: PathLike, *, verify: bool = True, settings: ModelSettings | None = None
    ) -> None:
        self.path = Path(path)
        self.settings = _load_settings(self.path) if settings is None else settings
        files = {name: _inside(self.path, name) for name in self.settings.files}
        self.weights = read_weights(files[self.settings.weights])
        chosen_by = self.settings.rule_weights
        self.rule_weights = self.weights if chosen_by is None else read_weights(files[chosen_by])
        self.grammars = tuple(
            GrammarUse(
                grammar=Grammar(files[use.file], verify=verify),
                max_span=use.max_span,
                features=use.features,
            )
            for use in self.settings.grammars
        )
        glue = self.settings.glue
        self.glue = None if glue is None else Grammar(files[glue], verify=verify)
        self.language_models: Mapping[str, LanguageModel] = {
            model.feature: load_language_model(
                files[model.file], model.checksum_number if verify else None
            )
            for model in self.settings.language_models
        }
        self.features = FeatureSet.joined(
            _load_features(use, files) for use in self.settings.templates
        )
        bins = self.settings.bins
        self.bins: FeatureBins = {} if bins is None else read_bins(files[bins])

    def __repr__(self) -> str:
        rules = sum(len(use.grammar) for use in self.grammars)
        models = ", ".join(
            f"{name} of order {model.order}" for name, model in self.language_models.items()
        )
        return f"Model({str(self.path)!r}: {rules:,} rules, {models or 'no language model'})"

    def decoder(
        self,
        weights: Weights | None = None,
        *,
        further: Sequence[GrammarUse] = (),
        **options: object,
    ) -> Decoder:
        """Return a decoder.

        Parameters
        ----------
        weights
            Weights to use instead of the model's. The model's `rule_weights` still select the
            `rule_limit` best rules of each source side, so that tuned weights meet the rules that
            they were tuned with.
        further
            Grammars to use in addition to the model's.
        **options
            Settings to override, see `DecoderOptions`.
        """
        table = config.encode(self.settings.decoder) | options
        grammars, names = [*self.grammars, *further], self.settings.names
        uses, own = viewed(grammars, names, self.settings.views)
        return Decoder(
            uses,
            self.language_models,
            self.weights if weights is None else weights,
            glue=self.glue,
            options=config.decode(DecoderOptions, table, source="decoder"),
            names=own,
            word_features=self.features.word_features,
            templates=self.features.templates,
            rule_weights=self.rule_weights,
            chosen_by=Chooser(grammars=grammars, names=names) if self._differs else None,
            bins=self.bins,
        )

    @property
    def _differs(self) -> bool:
        """Whether the decoder has other features than those that choose rules."""
        return bool(self.settings.views or self.bins)

    def with_features(self, features: "RunFeatures", bins: FeatureBins | None = None) -> "Model":
        """Return the model with other views of its rule features, further templates, and bins.

        Its files are shared, and the same rules of each source side are considered. Weights of
        features that have bins are spread over these.
        """
        if not features.views and not features.templates and not bins:
            return self
        model = copy(self)
        templates = tuple(TemplateFile(template=template) for template in features.templates)
        model.settings = replace(
            self.settings,
            views={**self.settings.views, **features.views},
            templates=(*self.settings.templates, *templates),
        )
        model.features = FeatureSet.joined(
            [self.features, *(_load_features(use, {}) for use in templates)]
        )
        model.bins = {**self.bins, **(bins or {})}
        dropped = model.decoder().dropped_features
        table = spread(self.weights, model.bins).items()
        model.weights = Weights({name: w for name, w in table if name not in dropped})
        return model

    def save(self, path: PathLike, *, weights: Weights | None = None) -> "Model":
        """Copy the model to a new or empty directory, optionally with other weights."""
        directory = Path(path)
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise ConfigError(f"{directory}: the directory must be new or empty")
        own = self.weights if weights is None else weights
        chosen_by = RULE_WEIGHTS_FILE if self._differs else self.settings.rule_weights
        settings = replace(
            self.settings,
            weights="weights.tsv",
            rule_weights=chosen_by,
            bins=BINS_FILE if self.bins else None,
        )
        for name in settings.files:
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name not in (settings.weights, chosen_by, settings.bins):
                with replacing(target) as temporary:
                    shutil.copyfile(_inside(self.path, name), temporary)
        write_weights(directory / settings.weights, own)
        if chosen_by is not None:
            write_weights(directory / chosen_by, self.rule_weights)
        if settings.bins is not None:
            write_bins(directory / settings.bins, self.bins)
        write_settings(directory, settings)
        return Model(directory)


def _load_features(use: TemplateFile, files: Mapping[str, Path]) -> FeatureSet:
    template = use.template
    if isinstance(template, Collector) and use.file is not None:
        try:
            return template.features(read_feature_table(files[use.file]))
        except DataError as error:
            raise FormatError(f"{files[use.file]}: {error}") from error
    if isinstance(template, RuleTemplate | BuiltInTemplate):
        return FeatureSet(templates=[template])
    name = known_templates.name_of(type(template))
    raise ConfigError(f"the feature template '{name}' must be callable with a rule")


def write_settings(directory: Path, settings: ModelSettings) -> None:
    """Write ``model.toml``, the last file of a model: without it, the model is incomplete."""
    with open_output(directory / SETTINGS_FILE) as out:
        out.write(config.dumps(settings))


def _load_settings(directory: Path) -> ModelSettings:
    if not directory.is_dir():
        raise FormatError(f"{directory}: no such model directory")
    path = directory / SETTINGS_FILE
    if not path.is_file():
        raise FormatError(
            f"{directory}: not a model, or an incomplete one: it has no {SETTINGS_FILE}; run "
            "'hopefear train' again with the same options to complete it"
        )
    try:
        return config.load(ModelSettings, path)
    except ConfigError as error:
        raise FormatError(str(error)) from error


def _check_name(name: str) -> None:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise ConfigError(f"'{name}' is not a path inside the model's directory")


def _inside(directory: Path, name: str) -> Path:
    """Return the path of a file, which must exist and not be a link out of the directory."""
    path = directory / name
    if not path.resolve().is_relative_to(directory.resolve()):
        raise FormatError(f"{path}: links to a file outside the model's directory; copy it there")
    if not path.is_file():
        raise FormatError(f"{path}: file not found; {directory / SETTINGS_FILE} refers to it")
    return path


def weights_for(
    model: Model, weights: Weights, *, format: str = "tsv", further: bool = False
) -> Weights:
    """Return weights in terms of a model's features; warn about those that have no effect.

    Parameters
    ----------
    model
        The model.
    weights
        Weights by the names of the model's features, or of Moses, cdec or Joshua, whose names and
        units are converted; see `hopefear.translation.units`.
    format
        The format of the file that they are from.
    further
        Whether grammars of single sentences may bring features that the model does not know yet.

    Raises
    ------
    DataError
        If no weight belongs to a feature of the model, or if its units are not known.
    """
    names = set(model.decoder().feature_names)
    own = converted(model, weights, format)
    others = [name for name, weight in own.items() if weight != 0 and name not in names]
    if own and not names & set(own):
        raise DataError(
            f"no weight belongs to a feature of the model {model.path}: the weights are of "
            f"{_some(list(own))}; the model has the features {_some(sorted(names))}"
        )
    # Templates in Python make up features as they meet rules, so that not all names are known.
    if others and not further and not model.settings.templates:
        warnings.warn(
            f"the model {model.path} has no feature {_some(others)}: these weights have no "
            f"effect; features of the model without a weight: "
            f"{_some(sorted(names - set(own))) or 'none'}",
            HopefearWarning,
            stacklevel=3,
        )
    return own


def converted(model: Model, weights: Weights, format: str) -> Weights:
    """Return weights from a file of this format by the names and in the units of a model."""
    return own_units(
        weights,
        model.settings.names,
        [use.feature for use in model.settings.language_models],
        known=frozenset(model.decoder().feature_names),
        format=format,
    )


def _some(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
