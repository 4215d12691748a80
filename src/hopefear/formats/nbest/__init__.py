"""N-best lists: reading and writing in all registered formats."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.base import (
    NBestFormat,
    WritableNBestFormat,
    choose_format,
    named_format,
    nbest_formats,
)
from hopefear.formats.files import (
    PathLike,
    Source,
    Tell,
    open_output,
    open_source,
    tell_nobody,
)
from hopefear.formats.nbest.bars import BarNBestFormat
from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import Segment, Vocabulary

__all__ = [
    "SentenceKeys",
    "add_nbest",
    "detect_nbest",
    "finish_nbest",
    "load_nbest",
    "read_nbest",
    "write_nbest",
]


class SentenceKeys:
    """Numbers for sentences that have keys, in order of first appearance.

    Examples
    --------
    >>> keys = SentenceKeys()
    >>> [keys.number(key) for key in ("utt-b", "utt-a", "utt-b")]
    [0, 1, 0]
    >>> keys.names
    ['utt-b', 'utt-a']

    Keys that are offered are taken over if the first sentence has one of them. Numbers that do not
    count sentences from 0 may be such keys:

    >>> keys = SentenceKeys(offered=["utt-a", "utt-b"])
    >>> keys.number("utt-b"), keys.names
    (1, ['utt-a', 'utt-b'])
    >>> SentenceKeys(offered=["4001", "4017"]).number(4017)
    1
    """

    def __init__(self, names: Iterable[str] = (), *, offered: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._counted = False
        self._offered = dict.fromkeys(offered)
        counted = set(map(str, range(len(self._offered))))
        decimal = bool(self._offered) and all(map(str.isdecimal, self._offered))
        self._by_number = decimal and counted != self._offered.keys()
        for name in names:
            self.number(name)

    @property
    def names(self) -> list[str]:
        """The keys in the order of their numbers; empty if sentences have numbers."""
        return list(self._numbers)

    def count(self) -> None:
        """Take all numbers for those of sentences from 0."""
        self._by_number = False

    def number(self, sentence: int | str) -> int:
        """Return the number of a sentence; a new key gets the next number.

        All sentences of a data set must have numbers, or all must have keys.
        """
        if self._by_number and not self._counted and isinstance(sentence, int):
            name = str(sentence)
            sentence = name if self._numbers or name in self._offered else sentence
        self._counted |= isinstance(sentence, int)
        if self._counted and (self._numbers or isinstance(sentence, str)):
            raise FormatError(
                f"sentences must all have numbers or all have keys; found a mixture at {sentence!r}"
            )
        if isinstance(sentence, int):
            return sentence
        if not self._numbers and sentence in self._offered:
            self._numbers = {name: number for number, name in enumerate(self._offered)}
        return self._numbers.setdefault(sentence, len(self._numbers))


def detect_nbest(path: PathLike) -> str:
    """Return the name of the format of n-best lists."""
    with open_source(path) as source:
        return nbest_formats.name_of(type(choose_format(source, nbest_formats, None)))


def read_nbest(
    path: PathLike, format: str | NBestFormat | None = None, *, tell: Tell = tell_nobody
) -> Iterator[Segment]:
    """Read hypotheses, holding one sentence in memory at a time.

    Parameters
    ----------
    path : str or Path
        A file, perhaps compressed, or ``-`` for standard input; for some formats a directory.
    format : str or NBestFormat, optional
        A name in `nbest_formats`, or a format; detected from the content by default.
    tell : callable
        Progress callback, called with the file, the bytes read and the size.
    """
    with open_source(path) as source:
        segments = choose_format(source, nbest_formats, format).read(source)
        yield from source.watched(segments, tell)


def write_nbest(path: PathLike, segments: Iterable[Segment], format: str | NBestFormat) -> None:
    """Write hypotheses; the file appears only when complete.

    Parameters
    ----------
    path : str or Path
        The file, compressed if its name ends in ``.gz``, or ``-`` for standard output.
    segments : iterable of Segment
        The hypotheses.
    format : str or NBestFormat
        A name in `nbest_formats`, or a format.
    """
    chosen = named_format(format, nbest_formats) if isinstance(format, str) else format
    if not isinstance(chosen, WritableNBestFormat):
        writable = [n for n in nbest_formats if isinstance(nbest_formats[n](), WritableNBestFormat)]
        title = nbest_formats.name_of(type(chosen))
        known = ", ".join(writable)
        raise ConfigError(f"cannot write the n-best format '{title}'; choose one of: {known}")
    broken: list[FormatError] = []
    with open_output(path) as out:
        try:
            chosen.write(_watched(segments, broken), out)
        except FormatError as error:
            if error in broken:  # the error is about the input, and names it
                raise
            raise FormatError(f"{path}: {error}") from error


def _watched(segments: Iterable[Segment], broken: list[FormatError]) -> Iterator[Segment]:
    """Yield the segments, and remember an error from reading them."""
    try:
        yield from segments
    except FormatError as error:
        broken.append(error)
        raise


def load_nbest(
    paths: PathLike | Sequence[PathLike],
    format: str | NBestFormat | None = None,
    *,
    feature_names: Vocabulary | None = None,
    sentences: int = 0,
    keys: SentenceKeys | None = None,
    memory_limit: int = 0,
    tell: Tell = tell_nobody,
) -> NBest:
    """Read n-best lists from one or more files, without duplicates.

    Parameters
    ----------
    paths : path or several
        Files, perhaps compressed, or ``-`` for standard input; for some formats directories.
    format : str or NBestFormat, optional
        A name in `nbest_formats`, or a format; detected from the content by default.
    feature_names : Vocabulary, optional
        Names to share with other lists.
    sentences : int
        The least number of sentences; missing ones have no hypotheses.
    keys : SentenceKeys, optional
        Receives the keys of the sentences, if they have keys instead of numbers.
    memory_limit : int
        Size in bytes beyond which the lists move to a temporary file; 0 for no limit.
    tell : callable
        Progress callback, called with the file, the bytes read and the size.
    """
    builder = NBestBuilder(feature_names=feature_names, memory_limit=memory_limit)
    keys = SentenceKeys() if keys is None else keys
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    for path in files:
        with open_source(path) as source:
            add_nbest(source, format, builder, keys, tell=tell)
    return finish_nbest(builder, files, sentences)


def finish_nbest(builder: NBestBuilder, files: Sequence[PathLike], sentences: int = 0) -> NBest:
    """Make the lists; errors name the files that were read."""
    try:
        return builder.finish(sentences)
    except DataError as error:  # about a sentence number, which may be in any of the files
        raise DataError(f"{', '.join(map(str, files))}: {error}") from None


def add_nbest(
    source: Source,
    format: str | NBestFormat | None,
    builder: NBestBuilder,
    keys: SentenceKeys,
    *,
    tell: Tell = tell_nobody,
) -> None:
    """Read n-best lists from an open source into a builder; see `load_nbest`."""
    chosen = choose_format(source, nbest_formats, format)
    if isinstance(chosen, BarNBestFormat):
        keys.count()  # all these formats number their sentences
        _number(source, keys, 0)
        builder.parse(source.watched(source.pieces(), tell), chosen.layout, source.name)
        return
    for segment in source.watched(chosen.read(source), tell):
        sentence = _number(source, keys, segment.sentence)
        for hypothesis in segment.hypotheses:
            builder.add(sentence, hypothesis.text, hypothesis.features)


def _number(source: Source, keys: SentenceKeys, sentence: int | str) -> int:
    try:
        return keys.number(sentence)
    except FormatError as error:
        raise FormatError(f"{source.name}: {error}") from None
