"""Weights: reading and writing in all registered formats."""

from collections.abc import Mapping
from pathlib import Path

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.base import WeightsFormat, choose_format, named_format, weights_formats
from hopefear.formats.files import PathLike, open_output, open_source
from hopefear.formats.weights.joshua import JoshuaWeights, write_joshua_config
from hopefear.formats.weights.moses import write_moses_ini
from hopefear.types import Weights

__all__ = [
    "TEMPLATES",
    "detect_weights",
    "is_configuration",
    "read_run_weights",
    "read_weights",
    "read_weights_and_format",
    "write_weights",
]


TEMPLATES = {"moses": "moses.ini", "joshua": "joshua.config"}
"""The formats of weights within a tool's configuration, and what that is called."""


def detect_weights(path: PathLike) -> str:
    """Return the name of the format of weights."""
    with open_source(path) as source:
        return weights_formats.name_of(type(choose_format(source, weights_formats, None)))


def is_configuration(path: PathLike) -> bool:
    """Whether a file has weights among other settings, as moses.ini and joshua.config do."""
    with open_source(path) as source:
        lines = source.head(1000)
    return any(line.strip() == "[weight]" for line in lines) or JoshuaWeights.has_settings(lines)


def read_weights(path: PathLike, format: str | WeightsFormat | None = None) -> Weights:
    """Read weights.

    Parameters
    ----------
    path : str or Path
        A file, perhaps compressed, or ``-`` for standard input.
    format : str or WeightsFormat, optional
        A name in `weights_formats`, or a format; detected from the content by default.
    """
    with open_source(path) as source:
        return choose_format(source, weights_formats, format).read(source)


def read_run_weights(path: PathLike | Mapping[str, float]) -> Weights:
    """Read weights from a file, or from the directory of a run or a model; a mapping has them."""
    return read_weights_and_format(path)[0]


def read_weights_and_format(path: PathLike | Mapping[str, float]) -> tuple[Weights, str]:
    """Read weights as `read_run_weights`, and return the name of their format, too."""
    if isinstance(path, Mapping):
        return Weights(path), "tsv"
    if not Path(path).is_dir():
        with open_source(path) as source:
            format = choose_format(source, weights_formats, None)
            return format.read(source), weights_formats.name_of(type(format))
    file = Path(path) / "weights.tsv"
    if not file.is_file():
        raise DataError(
            f"{path}: no weights.tsv: this is not a run directory, or the run did not finish; its "
            "folder weights/ may have the weights of single epochs"
        )
    return read_weights(file, "tsv"), "tsv"


def write_weights(
    path: PathLike,
    weights: Weights,
    format: str | WeightsFormat = "tsv",
    *,
    template: PathLike | None = None,
    durable: bool = True,
) -> None:
    """Write weights with full precision; the file appears only when complete.

    Parameters
    ----------
    path : str or Path
        The file, compressed if its name ends in ``.gz``, or ``-`` for standard output.
    weights : Weights
        The weights; reading the file gives the same bits.
    format : str or WeightsFormat
        A name in `weights_formats`, or a format.
    template : str or Path, optional
        The moses.ini or joshua.config to copy with new weights, for the formats of `TEMPLATES`; see
        `hopefear.formats.weights.moses.write_moses_ini`.
    durable : bool
        Whether the file has to be on the disk before this returns, whatever happens then.
    """
    if template is not None:
        if format not in TEMPLATES:
            raise ConfigError(
                f"a template is only used by the formats {' and '.join(TEMPLATES)}, but the format "
                f"is '{format}'"
            )
        (write_moses_ini if format == "moses" else write_joshua_config)(path, weights, template)
        return
    chosen = named_format(format, weights_formats) if isinstance(format, str) else format
    with open_output(path, durable=durable) as out:
        try:
            chosen.write(weights, out)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from error
