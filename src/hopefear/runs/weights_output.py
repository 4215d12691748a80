"""Final weights in the format of the tool that the lists came from."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hopefear.errors import DataError, FormatError
from hopefear.formats import read_weights, weights_formats, write_weights
from hopefear.formats.fields import numbering_conflict
from hopefear.formats.weights import TEMPLATES
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
    """A format of weights, and the moses.ini or joshua.config to put them in, if any."""

    format: str | None = None
    template: Path | None = None

    def file(self, folder: Path) -> Path | None:
        """Return the file that the weights go to; None if there is no format."""
        if self.format is None:
            return None
        return folder / (TEMPLATES[self.format] if self.template else f"weights.{self.format}")

    def write(self, folder: Path, weights: Weights) -> None:
        """Write the weights into the directory of a run."""
        if self.format is not None and (file := self.file(folder)) is not None:
            write_weights(file, weights, self.format, template=self.template)


def choose_output(
    settings: TuneSettings, features: Vocabulary, data_format: str
) -> tuple[WeightsOutput, str | None]:
    """Return how weights are written, and a warning if the tool's format cannot carry them.

    `data_format` is that of the lists or forests. A format that was asked for must do: it
    is tried before anything is learned.
    """
    asked, decoder = settings.weights_format, settings.decoder
    tool = None if decoder is None else decoder.weights_format
    template = settings.moses_ini
    if template is None and decoder is not None and asked in (None, tool):
        template = decoder.template
    if template is not None:
        format = "moses" if settings.moses_ini is not None else cast(str, tool)
        if (conflict := numbering_conflict(features, read_weights(template, format))) is not None:
            raise DataError(f"{template} does not fit the data: {conflict}")
        return WeightsOutput(format=format, template=template), None
    chosen = asked or tool or _WEIGHTS_OF_TOOL.get(data_format)
    if chosen in (None, "tsv"):
        return WeightsOutput(), None
    weights = Weights.from_vector(features, [0.0] * len(features))
    try:
        weights_formats[chosen]().write(weights, io.StringIO())
    except FormatError as error:
        if asked:
            raise
        return WeightsOutput(), f"weights are written to weights.tsv only: {error}"
    return WeightsOutput(format=chosen), None
