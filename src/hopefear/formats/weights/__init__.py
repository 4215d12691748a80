"""Reading and writing weights in any of the registered formats."""

from pathlib import Path

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.base import WeightsFormat, choose_format, named_format, weights_formats
from hopefear.formats.files import PathLike, open_output, open_source
from hopefear.formats.weights.moses import write_moses_ini
from hopefear.types import Weights

__all__ = ["detect_weights", "read_run_weights", "read_weights", "write_weights"]


def detect_weights(path: PathLike) -> str:
    """Return the name of the format in which a file of weights is written."""
    with open_source(path) as source:
        return weights_formats.name_of(type(choose_format(source, weights_formats, None)))


def read_weights(path: PathLike, format: str | WeightsFormat | None = None) -> Weights:
    """Read weights.

    Parameters
    ----------
    path : str or Path
        A file, plain or gzip, or ``-`` for standard input.
    format : str or WeightsFormat, optional
        A name out of `weights_formats`, or a format with options; told by content if not given.
    """
    with open_source(path) as source:
        return choose_format(source, weights_formats, format).read(source)


def read_run_weights(path: PathLike) -> Weights:
    """Read the weights of a run (or of a model), which are in its directory, or a file of them."""
    if not Path(path).is_dir():
        return read_weights(path)
    file = Path(path) / "weights.tsv"
    if not file.is_file():
        raise DataError(
            f"{path}: has no weights.tsv, so it is no run directory, or the run did not end well; "
            "those of a single epoch may be in weights/"
        )
    return read_weights(file, "tsv")


def write_weights(
    path: PathLike,
    weights: Weights,
    format: str | WeightsFormat = "tsv",
    *,
    template: PathLike | None = None,
) -> None:
    """Write weights with all their digits; the file appears whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file, compressed if its name ends in ``.gz``, or ``-`` for standard output.
    weights : Weights
        What to write; reading it back gives equal weights, bit for bit.
    format : str or WeightsFormat
        A name out of `weights_formats`, or a format with options.
    template : str or Path, optional
        For the format ``moses``: the moses.ini into which the weights are put, see
        `hopefear.formats.weights.moses.write_moses_ini`.
    """
    if template is not None:
        if format != "moses":
            raise ConfigError(f"a template is a moses.ini; the format is '{format}', not 'moses'")
        write_moses_ini(path, weights, template)
        return
    chosen = named_format(format, weights_formats) if isinstance(format, str) else format
    with open_output(path) as out:
        try:
            chosen.write(weights, out)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from error
