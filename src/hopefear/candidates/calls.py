"""Running a decoder: its processes, what they read and write, and how they fail."""

import shlex
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Self, cast

from hopefear.errors import DecoderError, FormatError
from hopefear.formats import read_lines
from hopefear.formats.files import Source, is_compressed, open_source
from hopefear.formats.rules import numbered_segment

__all__ = ["Call", "plain_source", "source_parts"]

SHOWN_LINES = 20  # of what a decoder wrote to standard error, where it fails


class Call:
    """One run of a command: started when it is entered, and ended, if it still goes on, when left.

    Parameters
    ----------
    words : list of str
        The command.
    source, log : Path
        For its standard input and its standard error.
    output : Path, optional
        For its standard output. Without it the lists are read while the command writes them; but
        a full pipe stops a command that nobody reads from.
    lists : Path, optional
        Where the command writes the lists, if not to standard output.
    """

    def __init__(
        self,
        words: list[str],
        *,
        source: Path,
        log: Path,
        output: Path | None = None,
        lists: Path | None = None,
    ) -> None:
        self._words, self._source, self._log = words, source, log
        self._output, self._lists = output, lists or output

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            given = stack.enter_context(self._source.open("rb"))
            errors = stack.enter_context(self._log.open("wb"))
            out: int | BinaryIO = subprocess.PIPE
            if self._output is not None:
                out = stack.enter_context(self._output.open("wb"))
            try:
                self._process = subprocess.Popen(
                    self._words, stdin=given, stdout=out, stderr=errors
                )
            except OSError as error:
                problem = f"{self._words[0]}: cannot be run: {error.strerror}"
                raise DecoderError(problem) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def read(self, take: Callable[[Source], None]) -> None:
        """Take the lists; raise DecoderError if the command fails."""
        output, name = self._process.stdout, self._words[0]
        try:
            if output is not None and self._lists is None:
                take(Source(name, Path(name), cast(BinaryIO, output)))
            while output is not None and output.read(1 << 16):
                pass  # a full pipe would stop the decoder
            failed = self._process.wait() != 0
        except FormatError:
            # Half a line is what a decoder that failed has left.
            failed = _exit(self._process) not in (None, 0)
            if not failed:
                raise
        if failed:
            raise DecoderError(_failure(self._words, self._process.returncode, self._log))
        if self._lists is not None:
            with open_source(self._lists) as lists:
                take(lists)


def plain_source(source: Path, folder: Path) -> Path:
    """Return the sentences as text: a decoder does not expect compressed standard input."""
    if not is_compressed(source):
        return source
    copied = folder / "source"
    with open_source(source) as opened, copied.open("wb") as out:
        out.writelines(opened.pieces())
    return copied


def source_parts(source: Path, folder: Path, count: int) -> list[Path]:
    """Write the sentences, with their numbers, to as many files, one part after the other."""
    lines = [numbered_segment(i, line) for i, line in enumerate(read_lines(source))]
    size = max(1, -(-len(lines) // count))
    paths: list[Path] = []
    for begin in range(0, max(1, len(lines)), size):
        paths.append(folder / f"source.{len(paths)}")
        part = "".join(f"{line}\n" for line in lines[begin : begin + size])
        paths[-1].write_text(part, encoding="utf-8")
    return paths


def _exit(process: "subprocess.Popen[bytes]") -> int | None:
    """Return how the process ended by itself; None if it goes on."""
    try:
        return process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        return None


def _failure(words: list[str], status: int, log: Path) -> str:
    ended = f"was ended by signal {-status}" if status < 0 else f"failed with exit code {status}"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    told = "\n".join(f"  {line}" for line in lines[-SHOWN_LINES:]) or "  (nothing)"
    return (
        f"the decoder {ended}: {shlex.join(words)}\n"
        f"the end of what it wrote to standard error ({log}):\n{told}"
    )
