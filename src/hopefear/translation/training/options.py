"""Settings of a training from a TOML file and options, as the command line and Python have them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hopefear.formats.files import PathLike
from hopefear.settings import config
from hopefear.settings.overrides import Table, parse_assignment, put, read_table
from hopefear.translation.training.extract import MOSES
from hopefear.translation.training.settings import ESTIMATION, TrainSettings

__all__ = ["build_train_settings"]


def build_train_settings(
    file: PathLike | None, options: Mapping[str, object], assignments: Sequence[str] = ()
) -> TrainSettings:
    """Put the settings of a training together.

    Parameters
    ----------
    file
        A TOML file of settings, or None.
    options
        Dotted keys and plain values that go over the file's; a value of None is no option.
    assignments
        ``key=value`` with dotted keys and TOML values, which go over everything else.
    """
    source = "train" if file is None else str(file)
    table: Table = {} if file is None else read_table(Path(file))
    for key, value in options.items():
        if value is not None:
            put(table, key, value, source)
    for assignment in assignments:
        put(table, *parse_assignment(assignment), source)
    _complete(table, "extraction", MOSES)
    if isinstance(chosen := table.get("language_model"), dict):
        _complete(chosen, "estimation", ESTIMATION)
    return config.decode(TrainSettings, table, source=source)


def _complete(table: Table, key: str, default: object) -> None:
    """Keep our own defaults of a part where only some of its options are said."""
    if isinstance(given := table.get(key), dict):
        table[key] = config.encode(default) | given
