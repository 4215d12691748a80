"""Final weights in the format of the tool that the lists came from."""

import io
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import DataError, FormatError
from hopefear.formats import read_weights, weights_formats, write_weights
from hopefear.formats.fields import numbering_conflict
from hopefear.runs.settings import TuneSettings
from hopefear.types import Vocabulary, Weights

__all__ = ["WeightsOutput", "choose_output"]

# Of the tools whose n-best lists or forests we read, those that read weights.
_WEIGHTS_OF_TOOL = {
    "cdec": "cdec",
    "cdec-forest": "cdec",
    "cicada-forest": "cdec",  # cicada's weights have the same form
    "joshua": "cdec",
    "jsonl": "json",
    "marian": "moses",
    "moses": "moses",
    "moses-hypergraph": "moses",
    "travatar": "travatar",
    "travatar-forest": "travatar",
}


@dataclass(frozen=True, kw_only=True)
class WeightsOutput:
    """A format of weights, and the moses.ini to put them in; if both are None, nothing."""

    format: str | None = None
    moses_ini: Path | None = None

    def file(self, folder: Path) -> Path | None:
        """Return the file that the weights go to."""
        if self.moses_ini is not None:
            return folder / "moses.ini"
        return folder / f"weights.{self.format}" if self.format else None

    def write(self, folder: Path, weights: Weights) -> None:
        """Write the weights into the directory of a run."""
        file = self.file(folder)
        if file is not None:
            write_weights(file, weights, self.format or "moses", template=self.moses_ini)


def choose_output(
    settings: TuneSettings, features: Vocabulary, data_format: str
) -> tuple[WeightsOutput, str | None]:
    """Return how weights are written, and a warning if the tool's format cannot carry them.

    `data_format` is that of the lists or forests. A format that was asked for must do: it
    is tried before anything is learned.
    """
    template = settings.decoder.template if settings.decoder is not None else None
    if (moses_ini := settings.moses_ini or template) is not None:
        own = read_weights(moses_ini, "moses")
        if (conflict := numbering_conflict(features, own)) is not None:
            raise DataError(f"{moses_ini} does not fit the data: {conflict}")
        return WeightsOutput(format="moses", moses_ini=moses_ini), None
    asked = settings.weights_format
    tool = None if settings.decoder is None else settings.decoder.weights_format
    format = asked or tool or _WEIGHTS_OF_TOOL.get(data_format)
    if format in (None, "tsv"):
        return WeightsOutput(), None
    weights = Weights.from_vector(features, [0.0] * len(features))
    try:
        weights_formats[format]().write(weights, io.StringIO())
    except FormatError as error:
        if asked:
            raise
        return WeightsOutput(), f"weights are written to weights.tsv only: {error}"
    return WeightsOutput(format=format), None
