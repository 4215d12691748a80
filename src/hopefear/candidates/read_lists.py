"""Reading n-best lists, with what is known of every hypothesis beside its features."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar, cast

import numpy as np

from hopefear.errors import DataError
from hopefear.formats import NBestFormat, SentenceKeys, nbest_formats
from hopefear.formats.files import Source, Tell, open_source
from hopefear.formats.nbest import add_nbest, finish_nbest
from hopefear.formats.nbest.columns import choose_nbest_format
from hopefear.formats.scores import read_scores
from hopefear.nbest import NBest, NBestBuilder
from hopefear.translation.features.counting import Links
from hopefear.types import FloatArray, Hypothesis

__all__ = ["Lists", "ReadLists", "read_lists"]


@dataclass(frozen=True, kw_only=True)
class ReadLists:
    """N-best lists out of files.

    Attributes
    ----------
    nbest : NBest
    format : str
        The format of the first file.
    scores : array, optional
        The score of each hypothesis, where these take the place of references.
    links : list, optional
        The word alignment of each hypothesis, where these are given.
    """

    nbest: NBest
    format: str
    scores: FloatArray | None = None
    links: list[Links] | None = None


class Lists(Protocol):
    """Settings that say where lists are, and what there is beside them."""

    @property
    def nbest(self) -> tuple[Path, ...]:
        """The files."""

    @property
    def format(self) -> str | None:
        """Their format."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What their columns are called."""

    @property
    def ignore(self) -> tuple[str, ...]:
        """Their columns that are no features."""

    @property
    def sentences(self) -> int:
        """The least number of sentences."""

    @property
    def alignments(self) -> Path | None:
        """Word alignments, a line for each hypothesis."""


def read_lists(settings: Lists, builder: NBestBuilder, keys: SentenceKeys, tell: Tell) -> ReadLists:
    """Read the lists that settings name; of equal hypotheses the first one counts."""
    formats: list[str] = []
    sources = _sources(settings, formats)
    scores = _Scores.of(settings)
    if scores is None and settings.alignments is None:
        for source, format in sources:
            add_nbest(source, format, builder, keys, tell=tell)
        nbest = finish_nbest(builder, settings.nbest, settings.sentences)
        return ReadLists(nbest=nbest, format=formats[0])
    aligned = settings.alignments
    links = None if aligned is None else _Beside(settings, aligned, "word alignments", _links)
    kept: list[tuple[int, float, Links]] = []
    for source, format in sources:
        for segment in source.watched(format.read(source), tell):
            number = keys.number(segment.sentence)
            for hypothesis in segment.hypotheses:
                features = dict(hypothesis.features)
                place = f"{source.name}: sentence {segment.sentence}"
                score = 0.0 if scores is None else scores.take(hypothesis, features, place)
                link: Links = () if links is None else links.take()
                if builder.add(number, hypothesis.text, features):
                    kept.append((number, score, link))
    for beside in (links, scores.beside if scores else None):
        if beside is not None:
            beside.finish()
    # Rows are sorted by sentence, and otherwise in the order in which they came.
    kept.sort(key=lambda one: one[0])
    return ReadLists(
        nbest=finish_nbest(builder, settings.nbest, settings.sentences),
        format=formats[0],
        scores=None if scores is None else np.array([score for _, score, _ in kept]),
        links=None if links is None else [link for _, _, link in kept],
    )


def _sources(settings: Lists, formats: list[str]) -> Iterator[tuple[Source, NBestFormat]]:
    """Open the files of lists one after the other; `formats` gets the name of each one's format."""
    for path in settings.nbest:
        with open_source(path) as source:
            format = choose_nbest_format(source, settings.format, settings.columns, settings.ignore)
            formats.append(nbest_formats.name_of(type(format)))
            yield source, format


Item = TypeVar("Item")


class _Beside(Generic[Item]):
    """What a file has for each hypothesis, in their order."""

    def __init__(
        self, settings: Lists, path: Path, what: str, read: Callable[[Source], Iterator[Item]]
    ) -> None:
        self.path, self._what, self._nbest = path, what, ", ".join(map(str, settings.nbest))
        self._items, self._count = _read(path, read), 0

    def take(self) -> Item:
        """Return what belongs to the next hypothesis."""
        for item in self._items:
            self._count += 1
            return item
        has = f"has {self._count} {self._what}, but {self._nbest} has more hypotheses"
        raise DataError(f"{self.path}: {has}")

    def finish(self) -> None:
        """Refuse further items."""
        if rest := sum(1 for _ in self._items):
            raise DataError(
                f"{self.path}: has {self._count + rest} {self._what}, but {self._nbest} has "
                f"{self._count} hypotheses"
            )


def _read(path: Path, read: Callable[[Source], Iterator[Item]]) -> Iterator[Item]:
    with open_source(path) as source:
        yield from read(source)


class _Scores:
    """The scores of hypotheses: a feature, or a file."""

    def __init__(self, feature: str | None, beside: _Beside[float] | None) -> None:
        self._feature, self.beside = feature, beside

    @classmethod
    def of(cls, settings: Lists) -> Self | None:
        """Return the scores that settings name, if they name any."""
        feature: str | None = getattr(settings, "score_feature", None)
        path: Path | None = getattr(settings, "scores", None)
        if feature is None and path is None:
            return None
        return cls(
            feature, None if path is None else _Beside(settings, path, "scores", read_scores)
        )

    def take(self, hypothesis: Hypothesis, features: dict[str, float], place: str) -> float:
        """Return the score of a hypothesis; it is not one of its features any more."""
        if self.beside is not None:
            return self.beside.take()
        value = features.pop(cast(str, self._feature), None)
        if value is None:
            raise DataError(f"{place}: '{hypothesis.text}' has no feature '{self._feature}'")
        return value


def _links(source: Source) -> Iterator[Links]:
    for line, text in source:
        try:
            yield [_link(word) for word in text.split()]
        except ValueError as error:
            raise source.error(line, f"expected links as in '0-0 1-2', found {error}") from None


def _link(text: str) -> tuple[int, int]:
    first, dash, second = text.partition("-")
    if not (dash and first.isdecimal() and second.isdecimal()):
        raise ValueError(f"'{text}'")
    return int(first), int(second)
