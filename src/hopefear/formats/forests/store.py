"""The forest store: many forests in compact files with random access.

A shard is one file::

    header    magic, version, checksum
    records   the bytes of each forest (see the core's forest_codec.hpp), compressed
    words     the vocabulary of all target sides, compressed
    features  the vocabulary of all feature names, compressed
    index     sentence, place, sizes and checksum of each record, compressed
    footer    place, sizes and checksum of the last three; checksum; magic

All numbers are little-endian. The content of a shard is checked before use, so a broken or hostile
file only leads to an error. A store is one shard, or a directory of shards.
"""

import os
import struct
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np

from hopefear import _core
from hopefear.errors import ConfigError, DataError, ForestError, FormatError
from hopefear.forest import Forest
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import LAST_SENTENCE
from hopefear.formats.files import PathLike, Source, open_binary_output
from hopefear.settings import setting, settings
from hopefear.types import Vocabulary

__all__ = ["ForestDecoder", "ForestEncoder", "ForestStore", "ForestWriter", "HopefearForests"]

SUFFIX = ".forests"


VERSION = 1


# As in PNG, these bytes show damage by a transfer as text.
MAGIC = b"\x89HFF\r\n\x1a\n"


END_MAGIC = b"HFFend\r\n"


HEADER_SIZE = len(MAGIC) + 8  # and version, checksum


# Place, stored size, size and checksum of the words, the features and the index.
TABLE = struct.Struct("<QQQI QQQI QQQI")


FOOTER_SIZE = TABLE.size + 4 + len(END_MAGIC)  # with the checksum of the table between them


INDEX_ROW = np.dtype(
    [("sentence", "<i8"), ("place", "<u8"), ("stored", "<u8"), ("size", "<u8"), ("crc", "<u4")]
)


# The largest compression ratio of zlib.
MOST_EXPANSION = 1032


# No forest, vocabulary or index comes near this size.
MOST_BYTES = 1 << 32


class ForestEncoder:
    """Encodes forests as bytes, with words and features numbered in its own vocabularies.

    The vocabularies grow with each forest. Decoding a forest needs its bytes and those of the
    vocabularies, taken at any later time.
    """

    def __init__(self) -> None:
        self._words, self._feature_names = Vocabulary(), Vocabulary()

    def encode(self, forest: Forest) -> bytes:
        """Return the bytes of a forest."""
        return _core.encode_forest(forest.core, self._words, self._feature_names)

    def vocabularies(self) -> tuple[bytes, bytes]:
        """Return the bytes of the words and of the feature names."""
        return _core.encode_vocabulary(self._words), _core.encode_vocabulary(self._feature_names)


class ForestDecoder:
    """Decodes the forests of one encoder, on any number of threads.

    Parameters
    ----------
    encoded_words, encoded_feature_names
        The bytes of the encoder's vocabularies.
    words, feature_names
        The vocabularies of the decoded forests, to which new entries are added.
    """

    def __init__(
        self,
        encoded_words: bytes,
        encoded_feature_names: bytes,
        words: Vocabulary,
        feature_names: Vocabulary,
    ) -> None:
        self._tables = (
            words,
            feature_names,
            _core.decode_vocabulary(encoded_words, words),
            _core.decode_vocabulary(encoded_feature_names, feature_names),
        )

    def decode(self, encoded: bytes) -> Forest:
        """Return the forest; raise FormatError or ForestError if the bytes are corrupt."""
        return Forest(_core.decode_forest(encoded, *self._tables))


@dataclass(frozen=True)
class _Block:
    """A compressed part of a shard."""

    place: int
    stored: int
    size: int
    crc: int


class ForestWriter:
    """Writes the forests of one shard; :meth:`open` makes it."""

    def __init__(self, name: str, file: BinaryIO, level: int) -> None:
        self._name, self._file, self._level = name, file, level
        self._encoder = ForestEncoder()
        self._index: dict[int, _Block] = {}
        self._place = 0
        start = MAGIC + struct.pack("<I", VERSION)
        self._write(start + struct.pack("<I", zlib.crc32(start)))

    @classmethod
    @contextmanager
    def open(cls, path: PathLike, *, level: int = 6) -> Iterator[Self]:
        """Open a shard for writing; the file appears when the block ends without exception.

        Parameters
        ----------
        path
            The file, ``*.forests`` if it belongs to a directory of shards.
        level
            Compression level, from 1 (fastest) to 9 (smallest).
        """
        if not 1 <= level <= 9:
            raise ConfigError(f"the compression level must be from 1 to 9, got {level}")
        if str(path) == "-" or Path(path).suffix == ".gz":
            raise ConfigError(
                f"{path}: a forest store must be a file, without .gz because it is compressed"
            )
        with open_binary_output(path) as file:
            writer = cls(str(path), file, level)
            yield writer
            writer._finish()

    @property
    def sentences(self) -> Set[int]:
        """The sentences whose forests are written."""
        return self._index.keys()

    def add(self, sentence: int, forest: Forest) -> None:
        """Write the forest of a sentence; each sentence has one forest."""
        if sentence in self._index:
            raise DataError(f"{self._name}: sentence {sentence} already has a forest")
        if problem := _describe_number(sentence):
            raise DataError(f"{self._name}: {problem}")
        self._index[sentence] = self._write_block(self._encoder.encode(forest))

    def _finish(self) -> None:
        rows = [(s, b.place, b.stored, b.size, b.crc) for s, b in sorted(self._index.items())]
        index = np.array(rows, dtype=INDEX_ROW).tobytes()
        blocks = [self._write_block(part) for part in (*self._encoder.vocabularies(), index)]
        numbers = [n for b in blocks for n in (b.place, b.stored, b.size, b.crc)]
        table = TABLE.pack(*numbers)
        self._write(table + struct.pack("<I", zlib.crc32(table)) + END_MAGIC)

    def _write_block(self, content: bytes) -> _Block:
        packed = zlib.compress(content, self._level)
        if self._file.seekable():  # a pipe has no place, and nothing can go on from it
            self._place = self._file.tell()  # Ctrl-C may have interrupted the block before
        block = _Block(self._place, len(packed), len(content), zlib.crc32(packed))
        self._write(packed)
        return block

    def _write(self, content: bytes) -> None:
        self._file.write(content)
        self._place += len(content)


class _Shard:
    """One file of a store."""

    def __init__(self, path: Path, words: Vocabulary, feature_names: Vocabulary) -> None:
        self.name = str(path)
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror}") from error
        self._close = weakref.finalize(self, os.close, self._file)
        try:
            self._size = os.fstat(self._file).st_size
            if self._size < HEADER_SIZE + FOOTER_SIZE:
                raise self._error("too short for a forest store")
            self._check_header()
            parts = [self._content(block, "the footer") for block in self._footer()]
            try:
                self._decoder = ForestDecoder(parts[0], parts[1], words, feature_names)
            except DataError as error:
                raise self._error(f"the vocabularies are corrupt: {error}") from error
            self.index = self._read_index(parts[2])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._close()

    def forest(self, sentence: int) -> Forest:
        content = self._content(self.index[sentence], f"sentence {sentence}")
        try:
            return self._decoder.decode(content)
        except (FormatError, ForestError) as error:
            raise self._error(f"sentence {sentence} is corrupt: {error}") from error

    def _read(self, place: int, size: int) -> bytes:
        # Not mapped: a file that is truncated meanwhile must not end the process.
        if not self._close.alive:
            raise ValueError(f"{self.name}: the forest store is closed")
        content = b""
        while len(content) < size:
            try:  # the system may give less than it was asked for
                piece = os.pread(self._file, size - len(content), place + len(content))
            except OSError as error:
                raise self._error(f"cannot be read: {error.strerror}") from error
            if not piece:
                raise self._error("the file was truncated while it was in use")
            content += piece
        return content

    def _error(self, problem: str) -> FormatError:
        return FormatError(f"{self.name}: {problem}")

    def _check_header(self) -> None:
        header = self._read(0, HEADER_SIZE)
        if not header.startswith(MAGIC):
            raise self._error("not a forest store")
        version, crc = struct.unpack_from("<II", header, len(MAGIC))
        if crc != zlib.crc32(header[:-4]):
            raise self._error("the header is corrupt: its checksum is wrong")
        if version != VERSION:
            raise self._error(
                f"forest store of version {version}; this program reads version {VERSION}"
            )

    def _footer(self) -> list[_Block]:
        footer = self._read(self._size - FOOTER_SIZE, FOOTER_SIZE)
        table, (crc,) = footer[: TABLE.size], struct.unpack_from("<I", footer, TABLE.size)
        if not footer.endswith(END_MAGIC):
            raise self._error("the file is truncated: its footer is missing")
        if crc != zlib.crc32(table):
            raise self._error("the footer is corrupt: its checksum is wrong")
        numbers = TABLE.unpack(table)
        return [_Block(*numbers[i : i + 4]) for i in range(0, len(numbers), 4)]

    def _read_index(self, content: bytes) -> dict[int, _Block]:
        if len(content) % INDEX_ROW.itemsize:
            raise self._error("the index is corrupt: its size is wrong")
        rows = np.frombuffer(content, dtype=INDEX_ROW).tolist()
        index = {sentence: _Block(*block) for sentence, *block in rows}
        if len(index) < len(rows):
            raise self._error("the index is corrupt: a sentence appears twice")
        if problem := next(filter(None, map(_describe_number, index)), None):
            raise self._error(f"the index is corrupt: {problem}")
        return index

    def _content(self, block: _Block, where: str) -> bytes:
        end = self._size - FOOTER_SIZE
        if block.place < HEADER_SIZE or block.stored > end or block.place > end - block.stored:
            raise self._error(f"{where} is corrupt: it lies outside the file")
        # Do not allocate memory for an impossible size.
        if block.size > min(MOST_EXPANSION * block.stored, MOST_BYTES):
            raise self._error(
                f"{where} is corrupt: {block.size} bytes cannot come from {block.stored}"
            )
        packed = self._read(block.place, block.stored)
        if zlib.crc32(packed) != block.crc:
            raise self._error(f"{where} is corrupt: its checksum is wrong")
        unpacker = zlib.decompressobj()
        try:
            content = unpacker.decompress(packed, block.size + 1)
        except zlib.error as error:
            raise self._error(f"{where} is corrupt: {error}") from error
        if len(content) != block.size or not unpacker.eof or unpacker.unused_data:
            raise self._error(f"{where} is corrupt: its size is wrong")
        return content


class ForestStore(Mapping[int, Forest]):
    """The forests of a store: a read-only mapping from sentences, in their order.

    Each access reads the forest from the file. Several threads may read at the same time. All
    forests share their vocabularies.
    """

    def __init__(
        self, shards: Iterable[PathLike], words: Vocabulary, feature_names: Vocabulary
    ) -> None:
        self.words, self.feature_names = words, feature_names
        self._shards: list[_Shard] = []
        places: dict[int, _Shard] = {}
        try:
            for path in shards:
                shard = _Shard(Path(path), words, feature_names)
                self._shards.append(shard)
                if twice := shard.index.keys() & places.keys():
                    raise FormatError(
                        f"{shard.name}: sentence {min(twice)} is also in {places[min(twice)].name}"
                    )
                places.update(dict.fromkeys(shard.index, shard))
        except BaseException:
            self.close()
            raise
        self._places = dict(sorted(places.items()))

    @classmethod
    def open(
        cls,
        path: PathLike | Sequence[PathLike],
        *,
        words: Vocabulary | None = None,
        feature_names: Vocabulary | None = None,
    ) -> Self:
        """Open a store.

        Parameters
        ----------
        path
            A shard, a directory of shards (``*.forests``), or several shards.
        words, feature_names
            Vocabularies to share with other forests. This method adds new entries; reading forests
            adds none.

        Raises
        ------
        FormatError
            If a file is not a shard or is corrupt, or two shards have the same sentence.
        """
        if isinstance(path, str | Path):
            shards: Sequence[PathLike] = _shards_in(Path(path))
        else:
            shards = path
        return cls(
            shards,
            Vocabulary() if words is None else words,
            Vocabulary() if feature_names is None else feature_names,
        )

    @staticmethod
    def write(path: PathLike, forests: Iterable[tuple[int, Forest]], *, level: int = 6) -> None:
        """Write a shard with sentences and their forests; see :class:`ForestWriter`."""
        with ForestWriter.open(path, level=level) as writer:
            for sentence, forest in forests:
                writer.add(sentence, forest)

    def __getitem__(self, sentence: int) -> Forest:
        return self._places[sentence].forest(sentence)

    def size(self, sentence: int) -> int:
        """Return the bytes of a forest before compression; 0 for a sentence that has none."""
        shard = self._places.get(sentence)
        return 0 if shard is None else shard.index[sentence].size

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, sentence: object) -> bool:
        return sentence in self._places

    def close(self) -> None:
        """Close the files; forests that were read remain valid."""
        for shard in self._shards:
            shard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _describe_number(sentence: int) -> str | None:
    """Return the problem of a sentence number; None if it is valid."""
    if 0 <= sentence <= LAST_SENTENCE:
        return None
    return f"a sentence number must be from 0 to {LAST_SENTENCE}, got {sentence}"


def _shards_in(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    shards = sorted(path.glob(f"*{SUFFIX}"))
    if not shards:
        raise FormatError(f"{path}: the directory has no files of a forest store (*{SUFFIX})")
    return shards


@forest_formats.register("hopefear")
@settings
class HopefearForests:
    """The forest store as a format of forests."""

    level: int = setting(6, "Compression level: 1 is fastest, 9 is smallest.", least=1, most=9)

    def sniff(self, source: Source) -> bool:
        """Look at the first bytes, or for shards in a directory."""
        if source.is_directory:
            return any(source.path.glob(f"*{SUFFIX}"))
        if not source.path.is_file():
            return False
        with source.path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in the order of the sentences, one at a time."""
        with ForestStore.open(source.path, words=words, feature_names=feature_names) as store:
            yield from store.items()

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write one shard."""
        ForestStore.write(path, forests, level=self.level)
