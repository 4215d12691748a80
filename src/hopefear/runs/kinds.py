"""Which learners learn from which data: found out from the settings, before anything is read."""

from dataclasses import dataclass

from hopefear.candidates import CommandSet, DecodedSet
from hopefear.errors import ConfigError
from hopefear.learners import ForestSet, Learner, TuningData, TuningSet, learners, learns

__all__ = ["COMMAND", "FORESTS", "LISTS", "MODEL", "DataKind", "check_learner", "learns_from"]

# Its learner learns from data of every kind.
FOR_ALL = "moses-kbmira"


@dataclass(frozen=True)
class DataKind:
    """What candidates may come from: the data made of them, and the settings that say so.

    `name` is one word for it, and `keys` are the settings by their names.
    """

    data: type[TuningData]
    settings: str
    name: str
    keys: tuple[str, ...]


LISTS = DataKind(TuningSet, "nbest", "lists", ("tuning.nbest",))
FORESTS = DataKind(ForestSet, "forests", "forests", ("tuning.forests",))
MODEL = DataKind(DecodedSet, "a model and a source", "model", ("model", "tuning.source"))
COMMAND = DataKind(
    CommandSet, "a decoder and a source", "decoder", ("decoder.command", "tuning.source")
)
KINDS = (LISTS, FORESTS, MODEL, COMMAND)


def learns_from(learner: Learner) -> list[str]:
    """Return the names of what a learner learns from."""
    return [kind.name for kind in KINDS if learns(learner, kind.data)]


def check_learner(learner: Learner, kind: DataKind) -> None:
    """Refuse a learner that does not learn from data of a kind, and say what would do."""
    if learns(learner, kind.data):
        return
    suited = [other for other in KINDS if learns(learner, other.data)]
    known = " or from ".join(other.data.description for other in suited) or "none of our data"
    instead = ", or ".join(other.settings for other in suited)
    give = f"give {instead}; or " if suited else ""
    raise ConfigError(
        f"{learners.name_of(type(learner))} learns from {known}, not from "
        f"{kind.data.description}: {give}choose another learner, such as {FOR_ALL}",
        settings=tuple(dict.fromkeys(key for other in suited for key in other.keys)),
    )
