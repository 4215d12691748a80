"""The settings of `hopefear convert`."""

from pathlib import Path
from typing import Literal

from hopefear.commands.choices import formats_to_choose
from hopefear.settings import setting, settings


@settings
class ConvertSettings:
    """From which format to which."""

    source: Path = setting(help="A file, or '-'.", argument=True, metavar="IN")
    target: Path = setting(help="A file, or '-'.", argument=True, metavar="OUT")
    to: str = setting(
        help="Format to write.",
        metavar="FORMAT",
        complete=lambda: formats_to_choose("nbest", "weights", "forest"),
    )
    format: str | None = setting(
        None,
        "Format to read.",
        option="from",
        metavar="FORMAT",
        shown="auto-detected",
        complete=lambda: formats_to_choose("nbest", "weights", "forest"),
    )
    kind: Literal["forests", "nbest", "weights"] | None = setting(
        None, "What the file contains, where that is not clear."
    )
