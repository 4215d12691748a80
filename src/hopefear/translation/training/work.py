"""What all stages of making a model share."""

from dataclasses import dataclass
from pathlib import Path

from hopefear.settings import config
from hopefear.translation.training.progress import Progress
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import Fingerprint, Stages

__all__ = ["Work", "options_of"]

RESOURCES = {"memory", "threads", "temporary_directory"}


@dataclass(frozen=True, kw_only=True)
class Work:
    """A model in the making.

    Attributes
    ----------
    settings : TrainSettings
        What it is made of.
    out : Path
        Its directory.
    stages : Stages
        Does each stage once.
    fingerprint : Fingerprint
        Hashes what a stage is made from.
    tell : callable
        Called now and then with what is being done, how much of it is done, and of how much.
    """

    settings: TrainSettings
    out: Path
    stages: Stages
    fingerprint: Fingerprint
    tell: Progress


def options_of(part: object) -> dict[str, object]:
    """Return the options that a result depends on: all but resources."""
    return {name: value for name, value in config.encode(part).items() if name not in RESOURCES}
