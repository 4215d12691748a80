"""Directories of hypergraphs: Moses' -output-search-graph-hypergraph, cdec's --show_target_graph.

One file for each sentence, ``0.gz``, ``1.gz``, ... (or ``.txt``, ``.bz2``; what it is is told by
content). A file ``weights``, which Moses writes too, is skipped.
"""

import bz2
import gzip
import secrets
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from hopefear.errors import ConfigError, FormatError
from hopefear.forest import Forest
from hopefear.forest.moses_text import format_moses_hypergraph, parse_moses_hypergraph
from hopefear.formats.base import forest_formats
from hopefear.formats.files import Source
from hopefear.types import Vocabulary

__all__ = ["MosesHypergraphs"]

HEADER = b"# target |||"
# The text of one sentence; a longer one is a broken or hostile file.
MOST_BYTES = 1 << 32


@forest_formats.register("moses-hypergraph")
@dataclass(frozen=True, kw_only=True)
class MosesHypergraphs:
    """A directory with a file of text for each sentence.

    Of a vertex the format knows how many source words it covers, not which; cdec's form does not
    know that either. The tails of an edge are in the order of its target side.

    Attributes
    ----------
    suffix : str
        For writing: ``txt``, ``gz`` or ``bz2``.
    covered : bool
        For writing: whether edges say how many source words their head covers, as Moses' tuner
        expects; without, it is cdec's form.
    """

    suffix: str = "gz"
    covered: bool = True

    def __post_init__(self) -> None:
        if self.suffix not in ("txt", "gz", "bz2"):
            raise ConfigError(
                f"MosesHypergraphs.suffix must be 'txt', 'gz' or 'bz2', got {self.suffix!r}"
            )

    def sniff(self, source: Source) -> bool:
        """Look for a directory whose file of sentence 0 begins as it should."""
        if not source.is_directory:
            return False
        for path in source.path.iterdir():
            if path.name.partition(".")[0] == "0" and path.is_file():
                with _opened(path) as stream:
                    start = stream.read(len(HEADER))
                return start == HEADER or start[:1].isdigit()
        return False

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in the order of sentences; memory is needed for one only."""
        for sentence, path in enumerate(_files(source)):
            yield sentence, parse_moses_hypergraph(_read(path), str(path), words, feature_names)

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a directory, which must not exist; it appears whole or not at all."""
        if path.exists():
            raise FormatError(f"{path}: exists already; a directory of forests is written anew")
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
        temporary.mkdir()
        try:
            for expected, (sentence, forest) in enumerate(forests):
                if sentence != expected:
                    raise FormatError(
                        f"{path}: sentence {sentence} comes where {expected} should; Moses' format"
                        " has sentences 0, 1, ... without gaps"
                    )
                try:
                    text = format_moses_hypergraph(forest, covered=self.covered)
                except FormatError as error:
                    raise FormatError(f"{path}: sentence {sentence}: {error}") from error
                (temporary / f"{sentence}.{self.suffix}").write_bytes(self._packed(text))
            temporary.rename(path)
        except BaseException:
            shutil.rmtree(temporary)
            raise

    def _packed(self, text: bytes) -> bytes:
        match self.suffix:
            case "gz":
                return gzip.compress(text, mtime=0)
            case "bz2":
                return bz2.compress(text)
            case _:
                return text


def _files(source: Source) -> list[Path]:
    """Return the files of sentences 0, 1, ..."""
    if not source.is_directory:
        raise FormatError(f"{source.name}: is a file; Moses' hypergraphs are a directory")
    found: dict[int, Path] = {}
    for path in sorted(source.path.iterdir()):
        stem = path.name.partition(".")[0]
        if path.name == "weights" or path.name.startswith("."):
            continue
        if not (stem.isascii() and stem.isdigit()):
            raise FormatError(f"{path}: expected a file named by the number of its sentence")
        if int(stem) in found:
            raise FormatError(f"{path}: {found[int(stem)].name} is of the same sentence")
        found[int(stem)] = path
    if not found:
        raise FormatError(f"{source.name}: there is no file of a sentence in this directory")
    for sentence in range(len(found)):
        if sentence not in found:
            later = min(number for number in found if number > sentence)
            raise FormatError(
                f"{source.name}: there is no file of sentence {sentence}, but {found[later].name};"
                " sentences are numbered 0, 1, ... without gaps"
            )
    return [found[sentence] for sentence in range(len(found))]


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, plain or compressed."""
    try:
        with path.open("rb") as file:
            start = file.read(3)
            file.seek(0)
            if start[:2] == b"\x1f\x8b":
                yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
            elif start == b"BZh":
                yield cast(BinaryIO, bz2.BZ2File(file))
            else:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: the compressed data is broken: {error}") from error
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from error


def _read(path: Path) -> bytes:
    """Return the content of a file, decompressed."""
    pieces: list[bytes] = []
    size = 0
    with _opened(path) as stream:
        while piece := stream.read(1 << 20):
            pieces.append(piece)
            size += len(piece)
            if size > MOST_BYTES:
                raise FormatError(f"{path}: more than {MOST_BYTES} bytes for one sentence")
    return b"".join(pieces)
