"""The files that a model is made of are looked at before anything is done with them."""

from pathlib import Path

from hopefear.errors import DataError
from hopefear.formats.files import open_source
from hopefear.translation.training.progress import Progress
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import existing_file

__all__ = ["check_inputs"]


def check_inputs(settings: TrainSettings, tell: Progress) -> None:
    """Require that all files are there, and that the sides of the bitext are of one length."""
    models, rules = settings.language_model, settings.rules
    single = (settings.alignment.file, rules.glue, settings.weights)
    several = (*settings.inputs, *rules.files, *models.files, *models.texts)
    for path in (settings.source, settings.target, *single, *several):
        if path is not None:
            existing_file(path)
    if settings.source is None or settings.target is None:
        return
    source, target = (_count_lines(path, tell) for path in (settings.source, settings.target))
    if source != target:
        raise DataError(
            f"{settings.target}: has {target} lines, but {settings.source} has {source}"
        )
    if not source:
        raise DataError(
            f"{settings.source}, {settings.target}: are empty; there is nothing to learn"
        )


def _count_lines(path: Path, tell: Progress) -> int:
    """Return how many lines a file has; what follows the last newline is one, too."""
    count, last = 0, b"\n"
    with open_source(path) as source:
        total = source.size
        for piece in source.pieces():
            count += piece.count(b"\n")
            last = piece[-1:] or last
            tell("counting lines", source.bytes_read, total)
    return count + (last != b"\n")
