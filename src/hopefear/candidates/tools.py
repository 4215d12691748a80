"""Moses, cdec and Joshua as their users know them: how to run each, and what it reads and writes.

``--decoder moses --config moses.ini`` stands for a command with all its places, the formats of
weights and lists, and the weights to start from. Whatever else is in the command stays, so that
``--decoder "moses -distortion-limit 8"`` works, too.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from hopefear.errors import ConfigError, DataError
from hopefear.formats.files import named_file, open_source

__all__ = ["TOOLS", "USUAL_LEARNER", "Tool", "tool_of"]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A decoder that we know.

    Attributes
    ----------
    name : str
    programs : tuple of str
        What the program may be called.
    options : str
        What to put after it; ``{config}`` is its configuration.
    weights, nbest : str
        Formats of the weights that it reads and of the lists that it writes.
    in_config : bool
        Whether weights are in the configuration, so that each decoding gets a copy of it.
    split : bool
        Whether several copies have to run to use several cores.
    """

    name: str
    programs: tuple[str, ...]
    options: str
    weights: str
    nbest: str
    in_config: bool
    split: bool = False

    def command(self, given: str, config: Path) -> str:
        """Return the command with all that the tool needs."""
        return f"{given} {self.options.replace('{config}', shlex.quote(str(config)))}"

    def start(self, config: Path) -> Path:
        """Return the file of weights that the configuration has or names."""
        if self.in_config:
            return config
        with open_source(config) as source:
            for _, line in source:
                if (found := _WEIGHTS.fullmatch(line.partition("#")[0])) is not None:
                    return named_file(source, found[1], "weights", trusted=True)
        raise DataError(
            f"{config}: names no weights to start from (weights=FILE); name a file of weights",
            settings=("start_file",),
        )


USUAL_LEARNER = "moses-kbmira"
"""What is run around these decoders, and what is stable from decoding to decoding."""

_WEIGHTS = re.compile(r"\s*weights\s*=\s*(\S+)\s*")

# Lists come through standard output, and are read while the decoder goes on. They have different
# words: Moses and cdec else spend most of a list on derivations of the same ones.
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="moses",
            programs=("moses", "moses_chart"),
            options="-config {weights} -n-best-list - {size} distinct -threads {threads}",
            weights="moses",
            nbest="moses",
            in_config=True,
        ),
        Tool(
            name="cdec",
            programs=("cdec",),
            options="-c {config} -w {weights} -k {size} -r",
            weights="cdec",
            nbest="cdec",
            in_config=False,
            split=True,
        ),
        Tool(
            name="joshua",
            programs=("joshua", "joshua-decoder"),
            options="-config {weights} -top-n {size} -threads {threads} -use-unique-nbest true "
            "-mark-oovs false -output-format '%i ||| %s ||| %f ||| %c'",
            weights="joshua",
            nbest="joshua",
            in_config=True,
        ),
    )
}


def tool_of(command: str) -> Tool | None:
    """Return the tool that a command without places runs.

    Examples
    --------
    >>> tool_of("mosesdecoder/bin/moses_chart -v 0").name
    'moses'
    >>> tool_of("moses -f {weights}") is None
    True
    """
    if "{weights}" in command:
        return None
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"command: {error}: {command}") from None
    program = PurePath(words[0]).name if words else ""
    return next((tool for tool in TOOLS.values() if program in tool.programs), None)
