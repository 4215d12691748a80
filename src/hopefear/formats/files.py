"""Input as lines, compressed or not, and output that replaces a file only when complete."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, TextIO, TypeVar, cast

from hopefear.errors import ConfigError, FormatError, file_error_reason, naming

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = [
    "PathLike",
    "Source",
    "Tell",
    "check_other_file",
    "is_compressed",
    "is_litter",
    "keep",
    "named_file",
    "numbered_folders",
    "open_binary_output",
    "open_output",
    "open_source",
    "read_lines",
    "remove_litter",
    "replacing",
    "tell_nobody",
]

PathLike = str | Path
Tell = Callable[[str, int, int], None]
"""Progress callback: file, bytes read and size of the file (0 if unknown)."""

T = TypeVar("T")

# The first bytes of compressed files.
GZIP_MAGIC, XZ_MAGIC = b"\x1f\x8b", b"\xfd7zXZ\0"
BZIP2_MAGIC = re.compile(rb"BZh[1-9]1AY&SY")
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MAGIC_BYTES = 10
HEAD_BYTES = 1 << 18
PIECE_BYTES = 1 << 18
# No line of any format comes near this length; a longer one means a broken or hostile file.
LONGEST_LINE = 1 << 30
BYTE_ORDER_MARK = "\ufeff"
# Lists and forests become 5 to 20 times as large; what grows more than this is made to fill memory.
MAX_GROWTH = 100
ANY_GROWTH = 1 << 26  # bytes that a file may always become
# Names of temporary files, of ours and of the core.
LITTER = re.compile(r"\..+\.([0-9a-f]{16}|\w{6})\.part", re.DOTALL)


def tell_nobody(file: str, done: int, total: int) -> None:
    """Ignore progress."""


class Source:
    """A file to read: its first lines as a preview, then all lines in order.

    A directory is a source without lines, for formats of several files.

    Attributes
    ----------
    name : str
        The file as the user wrote it, with which every error begins.
    path : Path
        Its path; ``-`` for standard input.
    """

    def __init__(
        self, name: str, path: Path, stream: BinaryIO | None, file: BinaryIO | None = None
    ) -> None:
        self.name, self.path, self._file = name, path, file
        self._head = b""
        self._stream: BinaryIO | None = None
        if stream is not None:
            with self._intact():
                self._head = stream.read(HEAD_BYTES)
            if self._head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                hint = "convert it, as in 'iconv -f UTF-16 -t UTF-8'"
                raise FormatError(f"{name}: the file is in UTF-16, not in UTF-8; {hint}")
            self._stream = io.BufferedReader(_Replay(self._head, stream), PIECE_BYTES)

    @property
    def is_directory(self) -> bool:
        """Whether this is a directory, which has no lines."""
        return self._stream is None

    def pieces(self) -> Iterator[bytes]:
        """Yield the decompressed bytes in large pieces; this consumes lines, too."""
        with self._intact():
            first = True
            while piece := self._bytes().read(PIECE_BYTES):
                yield piece.removeprefix(BYTE_ORDER_MARK.encode()) if first else piece
                first = False

    def head(self, limit: int = 100) -> list[str]:
        """Return the first lines within 256 kB, without consuming them."""
        lines = self._head.split(b"\n", limit)
        if len(lines) > 1:
            lines.pop()  # an incomplete line, or the rest after the last newline
        text = [line.removesuffix(b"\r").decode(errors="replace") for line in lines]
        return [text[0].removeprefix(BYTE_ORDER_MARK), *text[1:]] if self._head else []

    @property
    def beginning(self) -> str:
        """The first 256 kB of text, without consuming them."""
        return self._head.decode(errors="replace").removeprefix(BYTE_ORDER_MARK)

    def alone(self, line: str) -> "Source":
        """Return a source with only this line."""
        return Source(self.name, self.path, io.BytesIO(line.encode()))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number from 1; only newlines end lines."""
        number, stream = 0, self._bytes()
        with self._intact():
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise self.error(number, f"the line is longer than {LONGEST_LINE} bytes")
                try:
                    text = line.removesuffix(b"\n").removesuffix(b"\r").decode()
                except UnicodeDecodeError as error:
                    place = f"{error.reason} at byte {error.start + 1} of the line"
                    raise self.error(number, f"not UTF-8: {place}") from None
                yield number, text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text

    @property
    def bytes_read(self) -> int:
        """The number of bytes read so far, before decompression; 0 if unknown."""
        return self._file.tell() if self._file is not None else 0

    @property
    def size(self) -> int:
        """The size of the file in bytes; 0 if unknown."""
        return os.fstat(self._file.fileno()).st_size if self._file is not None else 0

    def watched(self, items: Iterable[T], tell: Tell) -> Iterator[T]:
        """Yield items that are read from this source, and report progress."""
        total = self.size
        for item in items:
            yield item
            tell(self.name, self.bytes_read, total)

    def error(self, line: int, message: str) -> FormatError:
        """Return a FormatError that names the file and the line."""
        return FormatError(f"{self.name}:{line}: {message}")

    def _bytes(self) -> BinaryIO:
        if self._stream is None:
            raise FormatError(f"{self.name}: expected a file, found a directory")
        return self._stream

    @contextmanager
    def _intact(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # an error of the disk, not of the data
            raise FormatError(f"{self.name}: the compressed data is corrupt: {error}") from error


@contextmanager
def open_source(path: PathLike) -> Iterator[Source]:
    """Open a file, a directory or standard input (``-``).

    The first bytes show whether a file is compressed by gzip, bzip2 or xz.
    """
    name = str(path)
    if name == "-":
        name = "standard input"
        yield Source(name, Path("-"), _decompressed(sys.stdin.buffer, name))
    elif _is_directory(Path(path)):
        yield Source(name, Path(path), None)
    else:
        with _opened(Path(path)) as file:
            seekable = file if file.seekable() else None
            yield Source(name, Path(path), _decompressed(file, name), seekable)


def is_compressed(path: Path) -> bool:
    """Whether the first bytes of a file are those of gzip, bzip2, xz or Zstandard."""
    with _opened(path) as file:
        start = file.read(MAGIC_BYTES)
    packed = start.startswith((GZIP_MAGIC, XZ_MAGIC, ZSTD_MAGIC))
    return packed or BZIP2_MAGIC.match(start) is not None


def named_file(source: Source, written: str, what: str, *, trusted: bool = False) -> Path:
    """Find a file that `source` refers to, in its folder or in the current one.

    Others are refused unless the source is trusted: a stranger's file must not choose what is read.
    """
    places = list(dict.fromkeys([source.path.parent / written, Path(written)]))
    for path in places:
        if path.is_file():
            folders = [source.path.parent.resolve(), Path.cwd()]
            if not trusted and not any(path.resolve().is_relative_to(f) for f in folders):
                raise FormatError(
                    f"{source.name}: the {what} is {path}, which is neither in its folder nor in "
                    "the current one; copy it there"
                )
            return path
    tried = " or ".join(map(str, places))
    raise FormatError(f"{source.name}: the {what} does not exist: {tried}")


def numbered_folders(folder: Path, name: re.Pattern[str]) -> list[Path]:
    """Return the subfolders whose names match, sorted by the number in the first group."""
    if not folder.is_dir():
        return []
    found = [(name.fullmatch(path.name), path) for path in folder.iterdir() if path.is_dir()]
    return [path for _, path in sorted((int(match[1]), path) for match, path in found if match)]


def read_lines(path: PathLike) -> list[str]:
    """Read plain text with one sentence per line.

    Only newlines end lines, not the other line separators of Unicode. A carriage return before a
    newline is dropped.
    """
    with open_source(path) as source:
        return [line for _, line in source]


@contextmanager
def open_output(path: PathLike, *, durable: bool = True) -> Iterator[TextIO]:
    """Open a text file for writing in UTF-8; see `open_binary_output`."""
    with open_binary_output(path, durable=durable) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
        except UnicodeEncodeError as error:
            raise FormatError(f"{path}: cannot be written as UTF-8: {error.reason}") from error
        finally:
            text.detach()  # so that it does not close the stream


@contextmanager
def open_binary_output(path: PathLike, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing, compressed if its name ends in ``.gz``.

    The content goes to a temporary file in the same folder, which replaces the target when the
    block ends, or is removed after an exception. ``-`` is standard output.
    """
    target = Path(path)
    if str(path) == "-":
        with naming("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    if target.exists() and not target.is_file():
        # A pipe or a device cannot be replaced, so it is written directly.
        with naming(target), _created(target, target, "wb") as file:
            yield file
        return
    with (
        replacing(target, durable=durable) as temporary,
        _created(temporary, target) as new,
        _compressed(new, target) as stream,
    ):
        yield stream


@contextmanager
def replacing(path: PathLike, *, durable: bool = True) -> Iterator[Path]:
    """Yield a temporary name in the folder of `path`; its file replaces `path` in the end.

    After an exception the temporary file is removed instead. What is durable is on the disk before
    it replaces a file, and so is the new name afterwards: a power cut leaves the one or the other.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.urandom(8).hex()}.part")
    try:
        with naming(target, temporary):
            yield temporary
            if durable:
                _to_disk(temporary)
            temporary.replace(target)
            if durable:
                _to_disk(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def keep(path: Path) -> None:
    """Wait until a file that grows is on the disk, so that a power cut leaves what it has now."""
    with naming(path):
        _to_disk(path)
        _to_disk(path.parent)


def _to_disk(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def is_litter(name: str) -> bool:
    """Whether a file has the name of a temporary one, which a killed process leaves."""
    return LITTER.fullmatch(name) is not None


def remove_litter(folder: Path) -> None:
    """Remove temporary files that a killed process left; the caller holds the folder's lock."""
    for path in folder.rglob(".*.part"):
        if is_litter(path.name) and not path.is_dir():
            path.unlink(missing_ok=True)


def _created(temporary: Path, target: Path, mode: Literal["wb", "xb"] = "xb") -> BinaryIO:
    try:
        return temporary.open(mode)
    except OSError as error:
        raise FormatError(f"{target}: cannot be written: {file_error_reason(error)}") from error


@contextmanager
def _compressed(file: BinaryIO, target: Path) -> Iterator[BinaryIO]:
    if target.suffix != ".gz":
        yield file
        return
    # Without time and name, the same content gives the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        yield cast(BinaryIO, packed)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # not a valid name: opening the file reports it
        return False


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {file_error_reason(error)}") from error


def _decompressed(file: BinaryIO, name: str) -> BinaryIO:
    start = file.read(MAGIC_BYTES)
    raw = _Replay(start, file)
    whole = io.BufferedReader(raw, PIECE_BYTES)
    if start.startswith(ZSTD_MAGIC):
        raise FormatError(
            f"{name}: zstd compression is not supported; decompress the file, or use gzip"
        )
    unpacker: Callable[[BinaryIO], io.BufferedIOBase]
    if start.startswith(GZIP_MAGIC):
        unpacker = _gunzip
    elif start.startswith(XZ_MAGIC):
        unpacker = lzma.LZMAFile
    elif BZIP2_MAGIC.match(start):
        unpacker = bz2.BZ2File
    else:
        return whole
    return io.BufferedReader(_Bounded(unpacker(whole), raw, name), PIECE_BYTES)


def _gunzip(file: BinaryIO) -> io.BufferedIOBase:
    return gzip.GzipFile(fileobj=file)


class _Bounded(io.RawIOBase):
    """What a file is when it is decompressed, unless that is far too much."""

    def __init__(self, unpacked: io.BufferedIOBase, packed: "_Replay", name: str) -> None:
        self._unpacked, self._packed, self._name, self._size = unpacked, packed, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        count = self._unpacked.readinto(buffer)
        self._size += count
        if self._size > max(ANY_GROWTH, MAX_GROWTH * self._packed.taken):
            raise FormatError(
                f"{self._name}: becomes more than {MAX_GROWTH} times as large when it is "
                "decompressed, which no text does; decompress it yourself if it is one"
            )
        return count


class _Replay(io.RawIOBase):
    """The bytes that were already read, and the rest; `taken` is how many were read again."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest, self.taken = memoryview(head), rest, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        data = self._head[: len(view)] if self._head else self._rest.read(len(view))
        self._head = self._head[len(data) :]
        self.taken += len(data)
        view[: len(data)] = data
        return len(data)


def check_other_file(source: PathLike, target: PathLike) -> None:
    """Raise ConfigError if the target is the file that is read."""
    paths = (Path(source), Path(target))
    if "-" not in map(str, paths) and all(map(Path.exists, paths)) and paths[0].samefile(paths[1]):
        raise ConfigError(f"{target}: cannot replace the input file; choose another output file")
