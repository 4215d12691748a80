"""Which settings go together: found from the settings, before anything is read.

Every combination of learner, candidates, strategy and metric either runs or is refused here, with
the reason that the documentation also shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hopefear.candidates import (
    Candidates,
    CommandSet,
    DecodedSet,
    ForestSet,
    HasBlockLists,
    ListSet,
)
from hopefear.errors import ConfigError
from hopefear.learners import AnyLearner, learners, needed_data
from hopefear.learners.base import check_metric, check_packages, learns_from_whole
from hopefear.metrics import Metric
from hopefear.parallel import Strategy, strategies
from hopefear.rhythm import Rhythm
from hopefear.runs.course import lists_are_made

__all__ = [
    "COMMAND",
    "FORESTS",
    "KINDS",
    "LISTS",
    "MODEL",
    "DataKind",
    "check_folds",
    "check_for_lists",
    "check_together",
    "learns_from",
    "refusal",
]

# Its learner learns from candidates of every kind.
FOR_ALL = "moses-kbmira"
FOR_MODELS = "annealed-mira"


@dataclass(frozen=True)
class DataKind:
    """Where candidates come from.

    Attributes
    ----------
    data : type
        The class of such candidates.
    settings : str
        The settings that ask for them, as messages put it.
    name : str
        One word for them.
    keys : tuple of str
        The same settings by their names.
    """

    data: type[Candidates]
    settings: str
    name: str
    keys: tuple[str, ...]


LISTS = DataKind(ListSet, "nbest", "lists", ("tuning.nbest",))
FORESTS = DataKind(ForestSet, "forests", "forests", ("tuning.forests",))
MODEL = DataKind(DecodedSet, "a model and a source", "model", ("model", "tuning.source"))
COMMAND = DataKind(
    CommandSet, "a decoder and a source", "decoder", ("decoder.command", "tuning.source")
)
KINDS = (LISTS, FORESTS, MODEL, COMMAND)


def _learns(learner: AnyLearner, kind: type[Candidates]) -> bool:
    return issubclass(kind, needed_data(learner)) or lists_are_made(learner, kind)


def learns_from(
    learner: AnyLearner, settings: Mapping[str, object] = MappingProxyType({})
) -> list[str]:
    """Return the names of the kinds of candidates that a learner, or a preset, learns from.

    A preset whose settings change the features of a model cannot change those of a command.
    """
    kinds = [kind for kind in KINDS if kind is not COMMAND or "views" not in settings]
    return [kind.name for kind in kinds if _learns(learner, kind.data)]


def refusal(
    learner: AnyLearner,
    kind: DataKind,
    strategy: Strategy,
    metric: Metric,
    rhythm: Rhythm | None = None,
) -> ConfigError | None:
    """Return why a combination cannot run; None if it can."""
    rhythm = rhythm or learner.rhythm
    name = learners.name_of(type(learner))
    if not _learns(learner, kind.data):
        return _misfit(name, learner, kind)
    try:
        check_metric(learner, metric)
    except ConfigError as error:
        return error
    if (reason := strategy.refuse(learner)) is not None:
        chosen = strategies.name_of(type(strategy))
        return ConfigError(
            f"{name} does not go with the strategy '{chosen}': {reason}", settings=("strategy",)
        )
    whole = learns_from_whole(learner)
    if whole and rhythm.block:
        return ConfigError(
            f"{name} learns from all sentences at once: rhythm.block must be 0, got {rhythm.block}",
            settings=("rhythm.block",),
        )
    made = lists_are_made(learner, kind.data)
    in_blocks = made and rhythm.lists == "block" and issubclass(kind.data, HasBlockLists)
    if in_blocks and whole:
        return ConfigError(
            f"{name} learns from all sentences at once: rhythm.lists cannot be 'block'",
            settings=("rhythm.lists",),
        )
    if made and rhythm.lists == "forests" and not issubclass(ForestSet, needed_data(learner)):
        return ConfigError(
            f"{name} does not learn from whole forests: rhythm.lists cannot be 'forests'",
            settings=("rhythm.lists",),
        )
    if rhythm.line_search and not made and not issubclass(kind.data, ListSet | ForestSet):
        return ConfigError(
            f"rhythm.line_search needs lists or given forests; {name} learns from "
            f"{kind.data.description}",
            settings=("rhythm.line_search",),
        )
    return None


def _misfit(name: str, learner: AnyLearner, kind: DataKind) -> ConfigError:
    suited = [other for other in KINDS if _learns(learner, other.data)]
    known = " or from ".join(other.data.description for other in suited) or "nothing we know"
    instead = ", or ".join(other.settings for other in suited)
    give = f"give {instead}; or " if suited else ""
    return ConfigError(
        f"{name} learns from {known}, not from {kind.data.description}: {give}choose another "
        f"learner, such as {FOR_ALL}",
        settings=tuple(dict.fromkeys(key for other in suited for key in other.keys)),
    )


def check_together(
    learner: AnyLearner,
    kind: DataKind,
    strategy: Strategy,
    metric: Metric,
    rhythm: Rhythm,
    *,
    scaled: bool,
) -> None:
    """Refuse a combination that cannot run."""
    if (error := refusal(learner, kind, strategy, metric, rhythm)) is not None:
        raise error
    check_packages(learner)
    if scaled and getattr(learner, "bounds", None):
        raise ConfigError(
            "learner.bounds are in the units of the features, so scale_features cannot be used",
            settings=("learner.bounds", "scale_features"),
        )


def check_for_lists(kind: DataKind, chosen: Mapping[str, object]) -> None:
    """Refuse for other candidates what only given lists have."""
    for name, asked in chosen.items():
        if asked and kind is not LISTS:
            auto = name == "auto"
            hint = f"; {FOR_MODELS} suits a model, {FOR_ALL} all others" if auto else ""
            problem = f"{name} is for n-best lists, not for {kind.settings}{hint}"
            raise ConfigError(problem, settings=(name,))


def check_folds(folds: int, *, held_out: bool) -> None:
    """Refuse a single fold, and folds beside held-out data."""
    if folds == 1:
        raise ConfigError("folds must be 0, or at least 2; got 1", settings=("folds",))
    if folds and held_out:
        problem = "folds and dev: the epoch is chosen by one of them"
        raise ConfigError(problem, settings=("folds", "dev.nbest"))
